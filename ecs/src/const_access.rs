//! What systems borrow, as far as it is known when they are compiled, and whether their parameters get into each other's
//! way.
//!
//! The check goes by [`ComponentKey`]s. Where one is not exact it says nothing; the check when a system is built, which
//! goes by `TypeId`s, sees everything.

use core::marker::PhantomData;

use crate::component::ComponentKey;

/// What something borrows and demands.
#[derive(Clone, Copy)]
pub enum ConstAccess {
    /// Nothing that is known.
    Nothing,
    /// A component of each entity.
    Component { key: ComponentKey, write: bool },
    /// Entities must have a component.
    With(ComponentKey),
    /// Entities must lack a component.
    Without(ComponentKey),
    /// The same, of entities that may lack it.
    Optional(&'static Self),
    /// A resource.
    Resource { key: ComponentKey, write: bool },
    /// Everything, to read.
    World,
    /// All of these, of the same entities.
    Terms(&'static [Self]),
    /// Parameters of a system, each by itself.
    Params(&'static [Self]),
}

/// A parameter of a system.
#[derive(Clone, Copy)]
pub struct NamedAccess {
    name: &'static str,
    access: ConstAccess,
    /// Whether it is part of the query that a row system runs over.
    row: bool,
}

impl NamedAccess {
    pub(crate) const fn new(name: &'static str, access: ConstAccess, row: bool) -> Self {
        Self { name, access, row }
    }

    /// Whether it is a query, or a resource, and no parameter of another library with such a name.
    const fn is_what_it_says(&self, resource: bool) -> bool {
        match self.access {
            ConstAccess::Resource { .. } => resource,
            ConstAccess::Terms(_) | ConstAccess::Optional(_) => !resource,
            _ => false,
        }
    }
}

/// What two accesses have in common that they must not.
#[derive(Clone, Copy)]
struct Conflict {
    key: ComponentKey,
    resource: bool,
}

/// A component or resource that two parameters of a system borrow by the same type, written out in both, one of them
/// mutably. Where types are written out, their identity is certain even if their keys are not exact.
#[derive(Clone, Copy)]
pub struct Twin {
    /// The places of the parameters.
    params: (usize, usize),
    /// The type as it is written.
    name: &'static str,
    resource: bool,
    /// Whether it is one type; what is written differently may be.
    same: bool,
}

impl Twin {
    /// A type that the parameters `first` and `second` borrow; the two are one parameter if it borrows it twice.
    #[must_use]
    pub const fn new(first: usize, second: usize, name: &'static str, resource: bool, same: bool) -> Self {
        Self { params: (first, second), name, resource, same }
    }
}

/// Tells whether two types are one where both are written out: an inherent constant is found before that of a trait.
pub struct Pair<A: ?Sized, B: ?Sized>(PhantomData<A>, PhantomData<B>);

impl<A: ?Sized> Pair<A, A> {
    /// They are.
    pub const SAME: bool = true;
}

/// Found where two types differ.
pub trait Differ {
    /// They are not.
    const SAME: bool = false;
}

impl<A: ?Sized, B: ?Sized> Differ for Pair<A, B> {}

/// Fails to compile if two parameters of a system get into each other's way. `filters` are those of its rows.
#[track_caller]
pub const fn check_system(system: &str, params: &[NamedAccess], filters: &[ConstAccess], twins: &[Twin]) {
    let mut second = 0;
    while second < params.len() {
        let b = &params[second];
        if let Some(conflict) = conflict_within(&b.access) {
            report_within(system, b, conflict.key.name());
        }
        let mut first = 0;
        while first < second {
            let a = &params[first];
            if let Some(conflict) = conflict_of(a, b, params, filters) {
                report(system, a, b, conflict.key.name(), conflict.resource);
            }
            first += 1;
        }
        second += 1;
    }
    let mut at = 0;
    while at < twins.len() {
        check_twin(system, &twins[at], params, filters);
        at += 1;
    }
}

/// Fails to compile if the parameters of a twin can be about the same entity.
#[track_caller]
const fn check_twin(system: &str, twin: &Twin, params: &[NamedAccess], filters: &[ConstAccess]) {
    let (a, b) = (&params[twin.params.0], &params[twin.params.1]);
    if !twin.same || !a.is_what_it_says(twin.resource) || !b.is_what_it_says(twin.resource) {
        return;
    }
    if twin.params.0 == twin.params.1 {
        report_within(system, a, twin.name);
    }
    let disjoint = match (a.row, b.row) {
        (true, true) => false,
        (true, false) => rows_exclude(&b.access, params, filters),
        (false, true) => rows_exclude(&a.access, params, filters),
        (false, false) => are_disjoint(&a.access, &b.access),
    };
    if twin.resource || !disjoint {
        report(system, a, b, twin.name, twin.resource);
    }
}

/// Fails to compile if a query borrows a component twice, once mutably.
#[track_caller]
pub(crate) const fn check_query(access: &ConstAccess) {
    if let Some(conflict) = conflict_within(access) {
        fail(&[&["a query borrows component `", conflict.key.name(), "` twice, once mutably\n", HELP_TERM]]);
    }
}

/// Fails to compile if two parameters of a function get into each other's way.
#[track_caller]
pub(crate) const fn check_function(params: &ConstAccess) {
    let ConstAccess::Params(parts) = params else { return };
    let mut second = 0;
    while second < parts.len() {
        if let Some(conflict) = conflict_within(&parts[second]) {
            let what = ["borrows component `", conflict.key.name(), "` twice, once mutably\n", HELP_TERM];
            fail(&[&["parameter ", number(second), " of the system "], &what]);
        }
        let mut first = 0;
        while first < second {
            if let Some(Conflict { key, resource }) = between(&parts[first], &parts[second]) {
                let (what, help) = if resource { ("resource", HELP_RESOURCE) } else { ("component", HELP_QUERY) };
                let who = ["parameters ", number(first), " and ", number(second), " of the system both borrow ", what];
                fail(&[&who, &[" `", key.name(), "`, one of them mutably\n", help]]);
            }
            first += 1;
        }
        second += 1;
    }
}

/// The place of a parameter, counted from one.
const fn number(at: usize) -> &'static str {
    const NUMBERS: [&str; 16] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
    if at < NUMBERS.len() { NUMBERS[at] } else { "17 or more" }
}

const HELP_TERM: &str = "help: borrow it once";
const HELP_ROW: &str = "help: borrow it once, as `&mut`";
const HELP_QUERY: &str = "help: if they are meant for different entities, say so with `With` and `Without` filters; else \
                          borrow it once";
const HELP_WORLD: &str = "help: `&World` reads every component and resource: take a query or `Res` for what is needed";
const HELP_RESOURCE: &str = "help: borrow it once, as `ResMut`";

#[track_caller]
const fn report(system: &str, a: &NamedAccess, b: &NamedAccess, name: &str, resource: bool) {
    let what = if resource { "resource" } else { "component" };
    let help = if matches!(a.access, ConstAccess::World) || matches!(b.access, ConstAccess::World) {
        HELP_WORLD
    } else if resource {
        HELP_RESOURCE
    } else if a.row && b.row {
        HELP_ROW
    } else {
        HELP_QUERY
    };
    let who = ["system `", system, "`: parameters `", a.name, "` and `", b.name];
    fail(&[&who, &["` both borrow ", what, " `", name, "`, one of them mutably\n", help]]);
}

#[track_caller]
const fn report_within(system: &str, param: &NamedAccess, name: &str) {
    let parts = ["system `", system, "`: parameter `", param.name, "` borrows component `", name];
    fail(&[&parts, &["` twice, once mutably\n", HELP_TERM]]);
}

/// Ends the compilation with a text of many parts.
#[track_caller]
const fn fail(parts: &[&[&str]]) {
    const ROOM: usize = 1024;
    let mut text = [0; ROOM];
    let mut len = 0;
    let mut row = 0;
    while row < parts.len() {
        let mut part = 0;
        while part < parts[row].len() {
            let bytes = parts[row][part].as_bytes();
            let mut at = 0;
            while at < bytes.len() && len < ROOM {
                text[len] = bytes[at];
                (len, at) = (len + 1, at + 1);
            }
            part += 1;
        }
        row += 1;
    }
    match core::str::from_utf8(text.split_at(len).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("two parameters of a system borrow the same, one of them mutably"),
    }
}

/// Parameters with rows among them are of one query; others are compared part by part.
const fn conflict_of(
    a: &NamedAccess,
    b: &NamedAccess,
    params: &[NamedAccess],
    filters: &[ConstAccess],
) -> Option<Conflict> {
    if a.row && b.row {
        return shared_component(&a.access, &b.access);
    }
    if a.row || b.row {
        let (row, other) = if a.row { (a, b) } else { (b, a) };
        return with_rows(&row.access, &other.access, params, filters);
    }
    between(&a.access, &b.access)
}

/// A conflict of a row parameter with one that is not.
const fn with_rows(
    row: &ConstAccess,
    other: &ConstAccess,
    params: &[NamedAccess],
    filters: &[ConstAccess],
) -> Option<Conflict> {
    match other {
        ConstAccess::Params(parts) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = with_rows(row, &parts[at], params, filters) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        ConstAccess::Terms(_) if rows_exclude(other, params, filters) => None,
        _ => between(row, other),
    }
}

/// Whether no entity is among the rows and in another query.
const fn rows_exclude(other: &ConstAccess, params: &[NamedAccess], filters: &[ConstAccess]) -> bool {
    let mut at = 0;
    while at < params.len() {
        if params[at].row && are_disjoint(&params[at].access, other) {
            return true;
        }
        at += 1;
    }
    let mut at = 0;
    while at < filters.len() {
        if are_disjoint(&filters[at], other) {
            return true;
        }
        at += 1;
    }
    false
}

/// A conflict between two parameters, each of which may have parts.
const fn between(a: &ConstAccess, b: &ConstAccess) -> Option<Conflict> {
    match (a, b) {
        (ConstAccess::Params(parts), other) | (other, ConstAccess::Params(parts)) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = between(&parts[at], other) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        (ConstAccess::Resource { key, write }, ConstAccess::Resource { key: other, write: other_write }) => {
            if key.is_same(*other) && (*write || *other_write) {
                Some(Conflict { key: *key, resource: true })
            } else {
                None
            }
        }
        (ConstAccess::World, other) | (other, ConstAccess::World) => written(other),
        _ => {
            if are_disjoint(a, b) {
                None
            } else {
                shared_component(a, b)
            }
        }
    }
}

/// Something that is borrowed mutably.
const fn written(access: &ConstAccess) -> Option<Conflict> {
    match access {
        ConstAccess::Component { key, write: true } => Some(Conflict { key: *key, resource: false }),
        ConstAccess::Resource { key, write: true } => Some(Conflict { key: *key, resource: true }),
        ConstAccess::Optional(access) => written(access),
        ConstAccess::Terms(parts) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = written(&parts[at]) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        _ => None,
    }
}

/// A component that both borrow, one of them mutably.
const fn shared_component(a: &ConstAccess, b: &ConstAccess) -> Option<Conflict> {
    match (a, b) {
        (ConstAccess::Optional(access), other) | (other, ConstAccess::Optional(access)) => {
            shared_component(access, other)
        }
        (ConstAccess::Terms(parts), other) | (other, ConstAccess::Terms(parts)) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = shared_component(&parts[at], other) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        (ConstAccess::Component { key, write }, ConstAccess::Component { key: other, write: other_write }) => {
            if key.is_same(*other) && (*write || *other_write) {
                Some(Conflict { key: *key, resource: false })
            } else {
                None
            }
        }
        _ => None,
    }
}

/// A component that the terms of one query borrow twice, once mutably.
const fn conflict_within(access: &ConstAccess) -> Option<Conflict> {
    match access {
        ConstAccess::Optional(access) => conflict_within(access),
        ConstAccess::Terms(parts) | ConstAccess::Params(parts) => {
            let mut second = 0;
            while second < parts.len() {
                if let Some(conflict) = conflict_within(&parts[second]) {
                    return Some(conflict);
                }
                let mut first = 0;
                while first < second && matches!(access, ConstAccess::Terms(_)) {
                    if let Some(conflict) = shared_component(&parts[first], &parts[second]) {
                        return Some(conflict);
                    }
                    first += 1;
                }
                second += 1;
            }
            None
        }
        _ => None,
    }
}

/// Whether one demands what the other excludes, or may do so.
const fn are_disjoint(a: &ConstAccess, b: &ConstAccess) -> bool {
    excludes(a, b) || excludes(b, a)
}

/// Whether something that `a` excludes is demanded by `b`.
const fn excludes(a: &ConstAccess, b: &ConstAccess) -> bool {
    match a {
        ConstAccess::Without(key) => demands(b, *key),
        ConstAccess::Terms(parts) => {
            let mut at = 0;
            while at < parts.len() {
                if excludes(&parts[at], b) {
                    return true;
                }
                at += 1;
            }
            false
        }
        _ => false,
    }
}

const fn demands(access: &ConstAccess, key: ComponentKey) -> bool {
    match access {
        // If it may be the same, it is left to the check when the system is built.
        ConstAccess::With(other) => key.may_be(*other),
        ConstAccess::Terms(parts) => {
            let mut at = 0;
            while at < parts.len() {
                if demands(&parts[at], key) {
                    return true;
                }
                at += 1;
            }
            false
        }
        _ => false,
    }
}
