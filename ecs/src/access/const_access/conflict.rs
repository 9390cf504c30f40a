//! Conflicts of two accesses that are known at compile time.
//!
//! Tests: tests/ui/fail, tests/ui/errors

use super::access::{ConstAccess, NamedAccess, YieldedOnce};
use super::disjoint::Overlap;
use crate::access::term::{ConstTerm, Group, any_in, find_in, first_found};
use crate::component::ComponentKey;

/// The kinds of data that two accesses can conflict about.
#[derive(Clone, Copy)]
pub(super) enum BorrowKind {
    Component,
    /// All components of the entities, through `EntityRef` or `EntityMut`.
    AllComponents,
    /// A component. One access borrows it, and the other one tests whether it has changed.
    Changes,
    Resource,
    /// The resource that stores the messages of a type.
    Messages,
    /// A non-send value.
    NonSend,
}

/// A conflict of two accesses.
#[derive(Clone, Copy)]
pub(super) struct Conflict {
    pub(super) name: &'static str,
    pub(super) kind: BorrowKind,
    /// Whether one of the two accesses is a lookup.
    pub(super) lookup: bool,
    /// The names of the fields that contain the two accesses, for parameters that are structs of parameters.
    pub(super) fields: [Option<&'static str>; 2],
    /// Whether the filters of the two queries have too many branches to be compared completely. If so, the queries may be disjoint.
    pub(super) unknown: bool,
}

impl Conflict {
    pub(super) const fn new(kind: BorrowKind, name: &'static str) -> Self {
        Self { name, kind, lookup: false, fields: [None; 2], unknown: false }
    }

    const fn component(key: ComponentKey) -> Self {
        Self::new(BorrowKind::Component, key.name())
    }

    const fn all_components() -> Self {
        Self::new(BorrowKind::AllComponents, "")
    }

    const fn resource(key: ComponentKey) -> Self {
        Self::new(if key.messages { BorrowKind::Messages } else { BorrowKind::Resource }, key.name())
    }

    /// Adds the field of the first parameter that contains the conflict.
    const fn in_first(found: Option<Self>, field: &'static str) -> Option<Self> {
        match found {
            Some(conflict) => Some(Self { fields: [Some(field), conflict.fields[1]], ..conflict }),
            None => None,
        }
    }

    /// Adds the field of the second parameter that contains the conflict.
    const fn in_second(found: Option<Self>, field: &'static str) -> Option<Self> {
        Self::swapped(Self::in_first(Self::swapped(found), field))
    }

    /// Returns the conflict with the two parameters swapped.
    const fn swapped(found: Option<Self>) -> Option<Self> {
        match found {
            Some(conflict) => Some(Self { fields: [conflict.fields[1], conflict.fields[0]], ..conflict }),
            None => None,
        }
    }

    /// Returns the conflict of two queries; `None` if no entity matches both queries.
    pub(super) const fn unless_apart(found: Option<Self>, overlap: Overlap) -> Option<Self> {
        match (found, overlap) {
            (_, Overlap::Never) => None,
            (Some(conflict), Overlap::Unknown) => Some(Self { unknown: true, ..conflict }),
            (found, _) => found,
        }
    }

    /// Marks the conflict as a conflict of a lookup.
    const fn of_lookup(found: Option<Self>) -> Option<Self> {
        match found {
            Some(conflict) => Some(Self { lookup: true, ..conflict }),
            None => None,
        }
    }
}

/// Returns a conflict of two parameters. Row parameters are terms of one query. Linked parameters access other entities than the row, so
/// they do not conflict with row parameters. Other parameters are compared part by part.
pub(super) const fn conflict_of(a: &NamedAccess, b: &NamedAccess, params: &[NamedAccess]) -> Option<Conflict> {
    if a.is_linked() && (b.is_linked() || b.is_of_rows()) || b.is_linked() && a.is_of_rows() {
        return None;
    }
    if a.is_of_rows() && b.is_of_rows() {
        let (ConstAccess::Query(a), ConstAccess::Query(b)) = (&a.access, &b.access) else { return None };
        return shared_component(a, b, true);
    }
    if a.is_of_rows() {
        return with_rows(&a.access, &b.access, params);
    }
    if b.is_of_rows() {
        return Conflict::swapped(with_rows(&b.access, &a.access, params));
    }
    between(&a.access, &b.access)
}

/// Returns a conflict of a row parameter with a parameter that is not a row parameter.
const fn with_rows(row: &ConstAccess, other: &ConstAccess, params: &[NamedAccess]) -> Option<Conflict> {
    match other {
        _ if let Some(parts) = other.parts() => find_in!(part in parts => with_rows(row, part, params)),
        ConstAccess::Field { name, access } => Conflict::in_second(with_rows(row, access, params), name),
        ConstAccess::Lookup(query) => Conflict::of_lookup(with_rows(row, query, params)),
        ConstAccess::Query(term) => match row {
            ConstAccess::Query(row) => {
                // Filters that make the query's own entities disjoint do not apply to the entities that a nested query reads.
                let found = Conflict::unless_apart(shared_component(row, term, false), Overlap::of_rows(params, term));
                first_found!(found, nested_in(term, row, params))
            }
            _ => None,
        },
        _ => between(row, other),
    }
}

/// Returns a conflict of two parameters, each of which may have parts.
pub(super) const fn between(a: &ConstAccess, b: &ConstAccess) -> Option<Conflict> {
    match (a, b) {
        _ if let Some(parts) = a.parts() => find_in!(part in parts => between(part, b)),
        _ if b.parts().is_some() => Conflict::swapped(between(b, a)),
        (ConstAccess::Field { name, access }, _) => Conflict::in_first(between(access, b), name),
        (_, ConstAccess::Field { name, access }) => Conflict::in_second(between(a, access), name),
        (ConstAccess::Once(_, access), _) => between(access, b),
        (_, ConstAccess::Once(_, access)) => between(a, access),
        (ConstAccess::Lookup(query), other) | (other, ConstAccess::Lookup(query)) => {
            Conflict::of_lookup(between(query, other))
        }
        (ConstAccess::Resource { key, write }, ConstAccess::Resource { key: other, write: other_write }) => {
            if key.is_same(*other) && (*write || *other_write) { Some(Conflict::resource(*key)) } else { None }
        }
        (ConstAccess::World, other) | (other, ConstAccess::World) => written(other),
        (ConstAccess::Query(a), ConstAccess::Query(b)) => {
            let (rows_of_a, rows_of_b) = ([NamedAccess::of_query(a)], [NamedAccess::of_query(b)]);
            first_found!(shared_with_rows(a, b, &rows_of_b), nested_in(a, b, &rows_of_b), nested_in(b, a, &rows_of_a))
        }
        _ => None,
    }
}

/// Returns a component about which `query` and `other` conflict; `None` if no row of `rows` matches `query`.
const fn shared_with_rows(query: &ConstTerm, other: &ConstTerm, rows: &[NamedAccess]) -> Option<Conflict> {
    match shared_component(query, other, false) {
        None => None,
        found => Conflict::unless_apart(found, Overlap::of_rows(rows, query)),
    }
}

/// Returns a component that a nested query in `term` reads, and that `other`, a term of these rows, writes. Nested queries only read, so
/// they do not conflict with reads of `other`.
const fn nested_in(term: &ConstTerm, other: &ConstTerm, rows: &[NamedAccess]) -> Option<Conflict> {
    match term {
        ConstTerm::Nested(query) => {
            first_found!(shared_with_rows(query, other, rows), nested_in(query, other, rows))
        }
        ConstTerm::Group(_, members) => find_in!(member in members => nested_in(member, other, rows)),
        _ => None,
    }
}

/// Returns a component that a query borrows twice, at least once mutably: in two terms, or in a term and in a nested query.
pub(super) const fn conflict_of_query(query: &ConstTerm) -> Option<Conflict> {
    first_found!(conflict_of_members(query), nested_in(query, query, &[NamedAccess::of_query(query)]))
}

/// Returns a component or resource that the access borrows mutably, as a conflict.
const fn written(access: &ConstAccess) -> Option<Conflict> {
    match access {
        ConstAccess::Query(term) => written_component(term),
        ConstAccess::Resource { key, write: true } => Some(Conflict::resource(*key)),
        _ => None,
    }
}

/// Returns a conflict of two parts of one parameter: two terms of a query, or two members that are in use at the same time.
pub(super) const fn conflict_within(access: &ConstAccess) -> Option<Conflict> {
    match access {
        ConstAccess::Query(term) => conflict_of_query(term),
        ConstAccess::Field { name, access } => match conflict_within(access) {
            Some(Conflict { fields: [None, None], .. }) => Conflict::in_first(conflict_within(access), name),
            found => found,
        },
        _ if let Some(parts) = access.parts() => {
            find_in!(part after before in parts => match conflict_within(part) {
                None if !matches!(access, ConstAccess::OneOf(_)) => find_in!(other in before => between(other, part)),
                found => found,
            })
        }
        _ => None,
    }
}

/// Returns a component that the access tests for changes although it is never tracked.
pub(super) const fn untracked(access: &ConstAccess) -> Option<Conflict> {
    match access {
        ConstAccess::Query(term) => untracked_component(term),
        ConstAccess::Lookup(access) => untracked(access),
        ConstAccess::Field { name, access } => Conflict::in_first(untracked(access), name),
        _ if let Some(parts) = access.parts() => find_in!(part in parts => untracked(part)),
        _ => None,
    }
}

/// Returns the kind of values that a parameter yields only once, and the field of the parameter that yields them; `None` if there are no
/// such values.
pub(super) const fn given_once(access: &ConstAccess) -> Option<(YieldedOnce, Option<&'static str>)> {
    match access {
        ConstAccess::Once(given, _) => Some((*given, None)),
        ConstAccess::Field { name, access } => match given_once(access) {
            Some((given, _)) => Some((given, Some(name))),
            None => None,
        },
        _ if let Some(parts) = access.parts() => find_in!(part in parts => given_once(part)),
        _ => None,
    }
}

/// Returns a component that a term borrows mutably.
const fn written_component(term: &ConstTerm) -> Option<Conflict> {
    match term {
        ConstTerm::Group(Group::WriteAll, _) => Some(Conflict::all_components()),
        ConstTerm::Component(usage, component) if usage.writes() => Some(Conflict::component(component.key)),
        ConstTerm::Group(_, members) => find_in!(member in members => written_component(member)),
        _ => None,
    }
}

/// Returns a component that two terms borrow, at least one of them mutably. If `own` is true, both terms belong to one query, which may
/// write a component that it tests for changes.
const fn shared_component(a: &ConstTerm, b: &ConstTerm, own: bool) -> Option<Conflict> {
    match (a, b) {
        (ConstTerm::Group(group @ (Group::ReadAll | Group::WriteAll), except), other)
        | (other, ConstTerm::Group(group @ (Group::ReadAll | Group::WriteAll), except)) => {
            shared_with_all(matches!(group, Group::WriteAll), except, other, own)
        }
        // If there are several conflicts, the order of the arms decides which one is reported.
        (ConstTerm::Group(Group::Optional | Group::Or, members), other)
        | (other, ConstTerm::Group(Group::Optional | Group::Or, members))
        | (ConstTerm::Group(_, members), other)
        | (other, ConstTerm::Group(_, members)) => find_in!(member in members => shared_component(member, other, own)),
        (ConstTerm::Component(usage, component), ConstTerm::Component(other_usage, other)) => {
            let key = component.key;
            if !key.is_same(other.key) || !usage.writes() && !other_usage.writes() {
                None
            } else if usage.borrows() && other_usage.borrows() {
                Some(Conflict::component(key))
            } else if !own && (usage.asks_changes() || other_usage.asks_changes()) {
                Some(Conflict::new(BorrowKind::Changes, key.name()))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Returns a component about which `term` conflicts with a term that borrows all components except some. `writes` states whether the latter
/// borrows them mutably.
const fn shared_with_all(writes: bool, except: &[ConstTerm], term: &ConstTerm, own: bool) -> Option<Conflict> {
    match term {
        ConstTerm::Component(_, component) if are_about(except, component.key) => None,
        ConstTerm::Component(usage, component) if usage.borrows() && (writes || usage.writes()) => {
            Some(Conflict::component(component.key))
        }
        ConstTerm::Component(usage, component) if !own && writes && usage.asks_changes() => {
            Some(Conflict::new(BorrowKind::Changes, component.key.name()))
        }
        ConstTerm::Group(group @ (Group::ReadAll | Group::WriteAll), _) => {
            if writes || matches!(group, Group::WriteAll) { Some(Conflict::all_components()) } else { None }
        }
        ConstTerm::Group(_, members) => find_in!(member in members => shared_with_all(writes, except, member, own)),
        _ => None,
    }
}

/// Returns whether one of the terms may be about the component with this key.
const fn are_about(terms: &[ConstTerm], key: ComponentKey) -> bool {
    any_in!(term in terms => match term {
        ConstTerm::Component(_, component) => component.key.may_be(key),
        ConstTerm::Group(_, members) => are_about(members, key),
        _ => false,
    })
}

/// Returns a component that two members of a term borrow, at least one of them mutably.
const fn conflict_of_members(term: &ConstTerm) -> Option<Conflict> {
    let ConstTerm::Group(group, members) = term else { return None };
    find_in!(member after before in members => match conflict_of_members(member) {
        None if group.is_together() => find_in!(other in before => shared_component(other, member, true)),
        found => found,
    })
}

/// Returns a component that a term tests for changes although it is never tracked.
pub(super) const fn untracked_component(term: &ConstTerm) -> Option<Conflict> {
    match term {
        ConstTerm::Component(usage, component) if usage.asks_changes() && !component.can_track => {
            Some(Conflict::new(BorrowKind::Changes, component.key.name()))
        }
        ConstTerm::Nested(query) => untracked_component(query),
        ConstTerm::Group(_, members) => find_in!(member in members => untracked_component(member)),
        _ => None,
    }
}
