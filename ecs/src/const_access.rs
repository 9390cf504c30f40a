//! What systems borrow, as far as it is known when they are compiled, and whether their parameters get into each other's
//! way.
//!
//! The check goes by [`ComponentKey`]s. Where one is not exact it says nothing; the check when a system is built, which
//! goes by `TypeId`s, sees everything.

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
    /// Of each entity one of these, or, if `together` is set, all of these that it has.
    Any { parts: &'static [Self], together: bool },
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
}

/// What two accesses have in common that they must not.
#[derive(Clone, Copy)]
struct Conflict {
    key: ComponentKey,
    resource: bool,
}

/// Fails to compile if two parameters of a system get into each other's way. `filter` is that of its rows.
#[track_caller]
pub const fn check_system(system: &str, params: &'static [NamedAccess], filter: ConstAccess) {
    let mut second = 0;
    while second < params.len() {
        let b = &params[second];
        if let Some(conflict) = conflict_within(&b.access) {
            let parts = ["system `", system, "`: parameter `", b.name, "` borrows component `", conflict.key.name()];
            fail(&[&parts, &["` twice, once mutably\n", HELP_TERM]]);
        }
        let mut first = 0;
        while first < second {
            let a = &params[first];
            if let Some(conflict) = conflict_of(a, b, params, &filter) {
                report(system, a, b, conflict);
            }
            first += 1;
        }
        second += 1;
    }
}

const HELP_TERM: &str = "help: borrow it once";
const HELP_ROW: &str = "help: borrow it once, as `&mut`";
const HELP_QUERY: &str = "help: if they are meant for different entities, say so with `With` and `Without` filters; else \
                          borrow it once";
const HELP_RESOURCE: &str = "help: borrow it once, as `ResMut`";

#[track_caller]
const fn report(system: &str, a: &NamedAccess, b: &NamedAccess, conflict: Conflict) {
    let what = if conflict.resource { "resource" } else { "component" };
    let help = if conflict.resource {
        HELP_RESOURCE
    } else if a.row && b.row {
        HELP_ROW
    } else {
        HELP_QUERY
    };
    let who = ["system `", system, "`: parameters `", a.name, "` and `", b.name];
    fail(&[&who, &["` both borrow ", what, " `", conflict.key.name(), "`, one of them mutably\n", help]]);
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
    params: &'static [NamedAccess],
    filter: &ConstAccess,
) -> Option<Conflict> {
    if a.row && b.row {
        return shared_component(&a.access, &b.access);
    }
    if a.row || b.row {
        let (row, other) = if a.row { (a, b) } else { (b, a) };
        return with_rows(&row.access, &other.access, params, filter);
    }
    between(&a.access, &b.access)
}

/// A conflict of a row parameter with one that is not.
const fn with_rows(
    row: &ConstAccess,
    other: &ConstAccess,
    params: &'static [NamedAccess],
    filter: &ConstAccess,
) -> Option<Conflict> {
    match other {
        ConstAccess::Params(parts) => {
            let mut at = 0;
            while at < parts.len() {
                if let Some(conflict) = with_rows(row, &parts[at], params, filter) {
                    return Some(conflict);
                }
                at += 1;
            }
            None
        }
        ConstAccess::Terms(_) if rows_exclude(other, params, filter) => None,
        _ => between(row, other),
    }
}

/// Whether no entity is among the rows and in another query.
const fn rows_exclude(other: &ConstAccess, params: &'static [NamedAccess], filter: &ConstAccess) -> bool {
    let mut at = 0;
    while at < params.len() {
        if params[at].row && are_disjoint(&params[at].access, other) {
            return true;
        }
        at += 1;
    }
    are_disjoint(filter, other)
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

/// A component that both borrow, one of them mutably.
const fn shared_component(a: &ConstAccess, b: &ConstAccess) -> Option<Conflict> {
    match (a, b) {
        (ConstAccess::Optional(access), other) | (other, ConstAccess::Optional(access)) => {
            shared_component(access, other)
        }
        (ConstAccess::Terms(parts) | ConstAccess::Any { parts, .. }, other)
        | (other, ConstAccess::Terms(parts) | ConstAccess::Any { parts, .. }) => {
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
        ConstAccess::Terms(parts) | ConstAccess::Params(parts) | ConstAccess::Any { parts, .. } => {
            let together = matches!(access, ConstAccess::Terms(_) | ConstAccess::Any { together: true, .. });
            let mut second = 0;
            while second < parts.len() {
                if let Some(conflict) = conflict_within(&parts[second]) {
                    return Some(conflict);
                }
                let mut first = 0;
                while first < second && together {
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

/// Whether one demands what the other excludes.
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
        ConstAccess::With(other) => key.is_same(*other),
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
