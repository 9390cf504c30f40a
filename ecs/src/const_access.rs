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
    /// Of a component it is asked whether it has changed; `known` if that can be known.
    Ticks { key: ComponentKey, known: bool },
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
    /// All of these, of entities that are looked up by id.
    Lookup(&'static Self),
    /// A field of a struct of parameters.
    Field { name: &'static str, access: &'static Self },
    /// Of each entity one of these, or, if `together` is set, all of these that it has.
    Any { parts: &'static [Self], together: bool },
    /// Parameters of a system, each by itself.
    Params(&'static [Self]),
    /// Parameters of a system, of which one is in use at a time.
    OneOf(&'static [Self]),
}

impl ConstAccess {
    /// The terms that entities are looked up with, or the access as it is.
    const fn terms(&self) -> &Self {
        match self {
            Self::Lookup(terms) => terms,
            other => other,
        }
    }
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
            ConstAccess::Terms(_) | ConstAccess::Lookup(_) => !resource,
            _ => false,
        }
    }
}

/// What can be borrowed.
#[derive(Clone, Copy)]
enum Kind {
    Component,
    Resource,
    /// The resource that keeps the messages of a type.
    Messages,
}

/// What two accesses have in common that they must not.
#[derive(Clone, Copy)]
struct Conflict {
    name: &'static str,
    kind: Kind,
    /// Whether one of the two looks entities up.
    lookup: bool,
    /// The fields in which the two are, if their parameters are structs of parameters.
    fields: [Option<&'static str>; 2],
}

impl Conflict {
    const fn new(kind: Kind, name: &'static str) -> Self {
        Self { name, kind, lookup: false, fields: [None; 2] }
    }

    const fn component(key: ComponentKey) -> Self {
        Self::new(Kind::Component, key.name())
    }

    const fn resource(key: ComponentKey) -> Self {
        Self::new(if key.is_of_messages() { Kind::Messages } else { Kind::Resource }, key.name())
    }

    /// As in "component `Health`", in parts.
    const fn what(&self) -> [&'static str; 3] {
        match self.kind {
            Kind::Component => ["component `", self.name, "`"],
            Kind::Resource => ["resource `", self.name, "`"],
            Kind::Messages => ["resource `Messages<", self.name, ">`"],
        }
    }

    /// What to do about it; `of_components` if it is about a component.
    const fn help(&self, of_components: &'static str) -> &'static str {
        match self.kind {
            Kind::Component => of_components,
            Kind::Resource => HELP_RESOURCE,
            Kind::Messages => HELP_MESSAGES,
        }
    }

    /// The conflict of something in the first parameter's field.
    const fn in_first(found: Option<Self>, field: &'static str) -> Option<Self> {
        match found {
            Some(conflict) => Some(Self { fields: [Some(field), conflict.fields[1]], ..conflict }),
            None => None,
        }
    }

    /// The conflict of something in the second parameter's field.
    const fn in_second(found: Option<Self>, field: &'static str) -> Option<Self> {
        Self::swapped(Self::in_first(Self::swapped(found), field))
    }

    /// As in " (field `commands`)", in parts.
    const fn field(&self, of: usize) -> [&'static str; 3] {
        match self.fields[of] {
            Some(field) => [" (field `", field, "`)"],
            None => [""; 3],
        }
    }

    /// The same, of the parameters in the other order.
    const fn swapped(found: Option<Self>) -> Option<Self> {
        match found {
            Some(conflict) => Some(Self { fields: [conflict.fields[1], conflict.fields[0]], ..conflict }),
            None => None,
        }
    }

    /// The conflict of something that looks entities up.
    const fn of_lookup(found: Option<Self>) -> Option<Self> {
        match found {
            Some(conflict) => Some(Self { lookup: true, ..conflict }),
            None => None,
        }
    }
}

/// A component or resource that two parameters of a system borrow by the same type, written out in both, one of them
/// mutably. Where types are written out, their identity is certain even if their keys are not exact.
#[derive(Clone, Copy)]
pub struct Twin {
    /// The places of the parameters.
    params: (usize, usize),
    /// The type as it is written.
    name: &'static str,
    kind: Kind,
    /// Whether it is one type; what is written differently may be.
    same: bool,
}

impl Twin {
    /// A type that the parameters `first` and `second` borrow; the two are one parameter if it borrows it twice.
    #[must_use]
    pub const fn new(first: usize, second: usize, name: &'static str, resource: bool, same: bool) -> Self {
        let kind = if resource { Kind::Resource } else { Kind::Component };
        Self { params: (first, second), name, kind, same }
    }

    /// The same, of parameters for messages of the type.
    #[must_use]
    pub const fn messages(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: Kind::Messages, same }
    }

    const fn conflict(&self, lookup: bool) -> Conflict {
        Conflict { lookup, ..Conflict::new(self.kind, self.name) }
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
            report_within(system, b, conflict);
        }
        let mut first = 0;
        while first < second {
            let a = &params[first];
            if let Some(conflict) = conflict_of(a, b, params, filters) {
                report(system, a, b, conflict);
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
    let resource = !matches!(twin.kind, Kind::Component);
    if !twin.same || !a.is_what_it_says(resource) || !b.is_what_it_says(resource) {
        return;
    }
    if twin.params.0 == twin.params.1 {
        report_within(system, a, twin.conflict(false));
    }
    let disjoint = match (a.row, b.row) {
        (true, true) => false,
        (true, false) => rows_exclude(b.access.terms(), params, filters),
        (false, true) => rows_exclude(a.access.terms(), params, filters),
        (false, false) => are_disjoint(a.access.terms(), b.access.terms()),
    };
    if resource || !disjoint {
        let lookup = matches!(a.access, ConstAccess::Lookup(_)) || matches!(b.access, ConstAccess::Lookup(_));
        report(system, a, b, twin.conflict(lookup));
    }
}

/// Fails to compile if a query borrows a component twice, once mutably.
#[track_caller]
pub(crate) const fn check_query(access: &ConstAccess) {
    if let Some(conflict) = conflict_within(access) {
        fail(&[&["a query borrows "], &conflict.what(), &[" twice, once mutably\n", HELP_TERM]]);
    }
}

/// Fails to compile if two parameters of a function, which are behind its inputs, get into each other's way.
#[track_caller]
pub(crate) const fn check_function(params: &ConstAccess, inputs: usize) {
    let ConstAccess::Params(parts) = params else { return };
    let mut second = 0;
    while second < parts.len() {
        if let Some(conflict) = conflict_within(&parts[second]) {
            let who = ["parameter ", number(inputs + second), " of the system borrows "];
            fail(&[&who, &conflict.what(), &[" twice, once mutably\n", HELP_TERM]]);
        }
        let mut first = 0;
        while first < second {
            if let Some(conflict) = between(&parts[first], &parts[second]) {
                let (first, second) = (number(inputs + first), number(inputs + second));
                let who = ["parameters ", first, " and ", second, " of the system both borrow "];
                fail(&[&who, &conflict.what(), &[", one of them mutably\n", conflict.help(HELP_QUERY)]]);
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

#[track_caller]
const fn report_within(system: &str, param: &NamedAccess, conflict: Conflict) {
    let (who, what) = (["system `", system, "`: parameter `", param.name, "`"], conflict.what());
    let help = if matches!(conflict.kind, Kind::Messages) { HELP_MESSAGES } else { HELP_TERM };
    match conflict.fields {
        [Some(first), Some(second)] => {
            let fields = [" in its fields `", first, "` and `", second, "`, once mutably\n", help];
            fail(&[&who, &[" borrows "], &what, &fields]);
        }
        _ => fail(&[&who, &conflict.field(0), &[" borrows "], &what, &[" twice, once mutably\n", help]]),
    }
}

const HELP_TERM: &str = "help: borrow it once";
const HELP_ROW: &str = "help: borrow it once, as `&mut`";
const HELP_QUERY: &str = "help: if they are meant for different entities, say so with `With` and `Without` filters; if for \
                          different times, put them into a `ParamSet`";
const HELP_ROW_QUERY: &str = "help: if they are meant for different entities, say so with `with` and `without`, and filters of \
                              the query";
const HELP_WORLD: &str = "help: `&World` reads every component and resource: take a query or `Res` for what is needed";
const HELP_RESOURCE: &str = "help: borrow it once, as `ResMut`";
const HELP_MESSAGES: &str = "help: write with one `MessageWriter`, read and write with one `MessageMutator`, or put them into a \
                             `ParamSet`";
const HELP_LOOKUP: &str = "help: look up a component that the rows do not write, or collect what you need in a world system \
                           first";

#[track_caller]
const fn report(system: &str, a: &NamedAccess, b: &NamedAccess, conflict: Conflict) {
    if conflict.lookup && a.row != b.row {
        let (row, lookup) = if a.row { (a, b) } else { (b, a) };
        let who = ["system `", system, "`: parameter `", row.name, "` writes component `", conflict.name];
        let other = ["` of each row, while `", lookup.name, "`"];
        let looks =
            [" looks it up in other entities, some of which have been changed already and some not\n", HELP_LOOKUP];
        fail(&[&who, &other, &conflict.field(if a.row { 1 } else { 0 }), &looks]);
    }
    let help = if matches!(a.access, ConstAccess::World) || matches!(b.access, ConstAccess::World) {
        HELP_WORLD
    } else if a.row && b.row {
        HELP_ROW
    } else if a.row || b.row {
        HELP_ROW_QUERY
    } else {
        conflict.help(HELP_QUERY)
    };
    let (first, second) = (["system `", system, "`: parameters `", a.name, "`"], [" and `", b.name, "`"]);
    let (both, mutably) = ([" both borrow "], [", one of them mutably\n", help]);
    fail(&[&first, &conflict.field(0), &second, &conflict.field(1), &both, &conflict.what(), &mutably]);
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
        return shared_component(&a.access, &b.access, true);
    }
    if a.row || b.row {
        let (row, other) = if a.row { (a, b) } else { (b, a) };
        let found = with_rows(&row.access, &other.access, params, filters);
        return if a.row { found } else { Conflict::swapped(found) };
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
        ConstAccess::Params(parts) | ConstAccess::OneOf(parts) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = with_rows(row, &parts[at], params, filters) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        ConstAccess::Field { name, access } => Conflict::in_second(with_rows(row, access, params, filters), name),
        ConstAccess::Lookup(terms) => Conflict::of_lookup(with_rows(row, terms, params, filters)),
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
        (ConstAccess::Params(parts) | ConstAccess::OneOf(parts), _) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = between(&parts[at], b) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        (_, ConstAccess::Params(_) | ConstAccess::OneOf(_)) => Conflict::swapped(between(b, a)),
        (ConstAccess::Field { name, access }, _) => Conflict::in_first(between(access, b), name),
        (_, ConstAccess::Field { name, access }) => Conflict::in_second(between(a, access), name),
        (ConstAccess::Lookup(terms), other) | (other, ConstAccess::Lookup(terms)) => {
            Conflict::of_lookup(between(terms, other))
        }
        (ConstAccess::Resource { key, write }, ConstAccess::Resource { key: other, write: other_write }) => {
            if key.is_same(*other) && (*write || *other_write) { Some(Conflict::resource(*key)) } else { None }
        }
        (ConstAccess::World, other) | (other, ConstAccess::World) => written(other),
        _ => {
            if are_disjoint(a, b) {
                None
            } else {
                shared_component(a, b, false)
            }
        }
    }
}

/// Something that is borrowed mutably.
const fn written(access: &ConstAccess) -> Option<Conflict> {
    match access {
        ConstAccess::Component { key, write: true } => Some(Conflict::component(*key)),
        ConstAccess::Resource { key, write: true } => Some(Conflict::resource(*key)),
        ConstAccess::Optional(access) => written(access),
        ConstAccess::Terms(parts) | ConstAccess::Any { parts, .. } => {
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

/// A component that both borrow, one of them mutably. A query may change what it asks the changes of: `own`.
const fn shared_component(a: &ConstAccess, b: &ConstAccess, own: bool) -> Option<Conflict> {
    match (a, b) {
        (ConstAccess::Optional(access), other) | (other, ConstAccess::Optional(access)) => {
            shared_component(access, other, own)
        }
        (ConstAccess::Terms(parts) | ConstAccess::Any { parts, .. }, other)
        | (other, ConstAccess::Terms(parts) | ConstAccess::Any { parts, .. }) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = shared_component(&parts[at], other, own) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        (ConstAccess::Component { key, write }, ConstAccess::Component { key: other, write: other_write }) => {
            if key.is_same(*other) && (*write || *other_write) { Some(Conflict::component(*key)) } else { None }
        }
        (ConstAccess::Component { key, write: true }, ConstAccess::Ticks { key: other, .. })
        | (ConstAccess::Ticks { key, .. }, ConstAccess::Component { key: other, write: true }) => {
            if !own && key.is_same(*other) { Some(Conflict::component(*key)) } else { None }
        }
        _ => None,
    }
}

/// What the parts of one parameter borrow twice, once mutably: the terms of a query, or members that are in use at the
/// same time.
const fn conflict_within(access: &ConstAccess) -> Option<Conflict> {
    match access {
        ConstAccess::Optional(access) => conflict_within(access),
        ConstAccess::Field { name, access } => match conflict_within(access) {
            Some(Conflict { fields: [None, None], .. }) => Conflict::in_first(conflict_within(access), name),
            found => found,
        },
        ConstAccess::Terms(parts)
        | ConstAccess::Params(parts)
        | ConstAccess::OneOf(parts)
        | ConstAccess::Any { parts, .. } => {
            let mut second = 0;
            while second < parts.len() {
                if let Some(conflict) = conflict_within(&parts[second]) {
                    return Some(conflict);
                }
                let mut first = 0;
                while first < second {
                    let found = match access {
                        ConstAccess::Terms(_) | ConstAccess::Any { together: true, .. } => {
                            shared_component(&parts[first], &parts[second], true)
                        }
                        ConstAccess::Params(_) => between(&parts[first], &parts[second]),
                        _ => None,
                    };
                    if let Some(conflict) = found {
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
        ConstAccess::Any { parts, .. } => {
            let mut at = 0;
            while at < parts.len() && excludes(&parts[at], b) {
                at += 1;
            }
            at == parts.len()
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
        ConstAccess::Any { parts, .. } => {
            let mut at = 0;
            while at < parts.len() && demands(&parts[at], key) {
                at += 1;
            }
            at == parts.len()
        }
        _ => false,
    }
}
