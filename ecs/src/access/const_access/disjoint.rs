//! Whether an entity can match two queries.
//!
//! The search looks for a set of components that both match: it assumes what the terms require and exclude, one term after the
//! other, then tries the members of each alternative, and backtracks when two assumptions contradict each other. If it finds no such
//! set, the queries are disjoint. The search ends after a limited number of steps; then only the conditions that all branches of
//! each query share are compared.
//!
//! A query that contradicts itself about a sparse component visits the tables of the other one, but matches no row there: the two
//! are disjoint. Whether they may run in parallel is a separate question, which depends on tables. `FilteredAccess` follows the same
//! rules.
//!
//! Tests: ecs/src/access/const_access/tests.rs

use super::access::{ConstAccess, NamedAccess};
use crate::access::term::{ConstComponent, ConstTerm, Group, Usage, any_in, each_in};
use crate::component::entity_disabling::Disabled;
use crate::component::{Component, ComponentKey};

/// The maximum number of terms that a search visits. The compiler warns about a constant that takes two million of its own steps.
const MOST_STEPS: u32 = 20_000;

/// Whether an entity can match two queries.
#[derive(Clone, Copy)]
pub(super) enum Overlap {
    /// No entity matches both.
    Never,
    /// Some entity can match both.
    Possible,
    /// The queries have so many branches that only the conditions common to all branches were compared, and these do not make them
    /// disjoint.
    Unknown,
}

/// Whether a condition holds for the query of at least one row parameter.
macro_rules! any_row {
    ($row:ident in $params:expr => $holds:expr) => {
        any_in!(param in $params => match &param.access {
            ConstAccess::Query($row) if param.is_of_rows() => $holds,
            _ => false,
        })
    };
}

impl Overlap {
    /// The overlap of two queries.
    pub(super) const fn of(a: &ConstTerm, b: &ConstTerm) -> Self {
        Self::of_rows(&[NamedAccess::of_query(a)], b)
    }

    /// The overlap of the rows of a system with another query.
    pub(super) const fn of_rows(params: &[NamedAccess], other: &ConstTerm) -> Self {
        let rows_name_disabled = any_row!(row in params => names_disabled(row));
        let excluded = [excluded_by_default(rows_name_disabled), excluded_by_default(names_disabled(other))];
        let by_default = PendingTerms { terms: excluded[0], rows: &[], rest: None };
        let rows = PendingTerms { terms: &[], rows: params, rest: Some(&by_default) };
        let by_default = PendingTerms { terms: excluded[1], rows: &[], rest: Some(&rows) };
        let second = PendingTerms { terms: core::slice::from_ref(other), rest: Some(&by_default), ..by_default };
        let mut steps = MOST_STEPS;
        match can_match(Some(&second), None, None, &mut steps) {
            true if steps != 0 => Self::Possible,
            false if steps != 0 => Self::Never,
            _ if any_row!(row in params => excludes(row, other) || excludes(other, row)) => Self::Never,
            _ if one_excludes(excluded[0], other) => Self::Never,
            _ if any_row!(row in params => one_excludes(excluded[1], row)) => Self::Never,
            _ => Self::Unknown,
        }
    }
}

/// Terms that an entity has to match.
#[derive(Clone, Copy)]
struct PendingTerms<'a> {
    terms: &'a [ConstTerm],
    /// Parameters of a system; only row parameters count.
    rows: &'a [NamedAccess],
    rest: Option<&'a Self>,
}

/// An assumption about an entity, in a list.
struct Assumption<'a> {
    component: &'static ConstComponent,
    /// Whether the entity has the component.
    has: bool,
    others: Option<&'a Self>,
}

/// Whether an entity that satisfies the assumptions can match all terms in both lists. Alternatives are moved to `later`, and are
/// tried after all other terms. If no steps are left, the result is meaningless.
const fn can_match(
    todo: Option<&PendingTerms<'_>>,
    later: Option<&PendingTerms<'_>>,
    known: Option<&Assumption<'_>>,
    steps: &mut u32,
) -> bool {
    if *steps == 0 {
        return true;
    }
    *steps -= 1;
    let Some(next) = todo else {
        let Some(alternative) = later else { return true };
        return can_match_one_of(alternative, known, steps);
    };
    if let [row, rows @ ..] = next.rows {
        let others = PendingTerms { rows, ..*next };
        return match &row.access {
            ConstAccess::Query(term) if row.is_of_rows() => {
                let terms = core::slice::from_ref(term);
                let row = PendingTerms { terms, rows: &[], rest: Some(&others) };
                can_match(Some(&row), later, known, steps)
            }
            _ => can_match(Some(&others), later, known, steps),
        };
    }
    let [term, terms @ ..] = next.terms else { return can_match(next.rest, later, known, steps) };
    let others = PendingTerms { terms, ..*next };
    match term {
        ConstTerm::Component(usage, component) if usage.demands() || usage.excludes() => {
            let has = !usage.excludes();
            if contradicts(component, has, known) {
                return false;
            }
            let assumed = Assumption { component, has, others: known };
            can_match(Some(&others), later, Some(&assumed), steps)
        }
        ConstTerm::Group(Group::All, terms) => {
            can_match(Some(&PendingTerms { terms, rows: &[], rest: Some(&others) }), later, known, steps)
        }
        ConstTerm::Group(Group::Or | Group::AnyOf | Group::FirstOf, _) => {
            let terms = core::slice::from_ref(term);
            can_match(Some(&others), Some(&PendingTerms { terms, rows: &[], rest: later }), known, steps)
        }
        _ => can_match(Some(&others), later, known, steps),
    }
}

/// Like [`can_match`], for a list of alternatives, each of which is one group.
const fn can_match_one_of(next: &PendingTerms<'_>, known: Option<&Assumption<'_>>, steps: &mut u32) -> bool {
    let [alternative @ ConstTerm::Group(_, members)] = next.terms else { return true };
    if holds(alternative, known) {
        return can_match(None, next.rest, known, steps);
    }
    any_in!(member in members => {
        let member = PendingTerms { terms: core::slice::from_ref(member), rows: &[], rest: None };
        can_match(Some(&member), next.rest, known, steps)
    })
}

/// Whether a term follows from the assumptions.
const fn holds(term: &ConstTerm, mut known: Option<&Assumption<'_>>) -> bool {
    match term {
        ConstTerm::Component(usage, component) if usage.demands() || usage.excludes() => {
            while let Some(other) = known {
                if other.has != usage.excludes() && component.key.is_same(other.component.key) {
                    return true;
                }
                known = other.others;
            }
            false
        }
        ConstTerm::Group(group @ (Group::All | Group::Or | Group::AnyOf | Group::FirstOf), members) => {
            let needs_all = matches!(group, Group::All);
            any_in!(member in members => holds(member, known) != needs_all) != needs_all
        }
        _ => true,
    }
}

/// Whether an assumption contradicts an earlier one.
const fn contradicts(component: &ConstComponent, has: bool, mut known: Option<&Assumption<'_>>) -> bool {
    while let Some(other) = known {
        // Keys that may belong to the same component count as contradicting here: the check when the system is built decides.
        if other.has != has && component.key.may_be(other.component.key) {
            return true;
        }
        known = other.others;
    }
    false
}

/// The default exclusion of a query, depending on whether it names `Disabled`. Other disabling components are known at run time
/// only.
const fn excluded_by_default(names_disabled: bool) -> &'static [ConstTerm] {
    const DISABLED: &[ConstTerm] = &[ConstTerm::of::<Disabled>(Usage::Without)];
    if names_disabled { &[] } else { DISABLED }
}

/// Whether a term names `Disabled`, or may name it.
const fn names_disabled(term: &ConstTerm) -> bool {
    match term {
        ConstTerm::Entity | ConstTerm::Spawned | ConstTerm::SpawnDetails | ConstTerm::Nested(_) => false,
        ConstTerm::Component(usage, component) => usage.names() && component.key.may_be(<Disabled as Component>::KEY),
        ConstTerm::Group(_, members) => any_in!(member in members => names_disabled(member)),
        ConstTerm::AtRunTime => true,
    }
}

/// Whether one of several terms, all of which must match, excludes a component that all branches of `b` require.
const fn one_excludes(terms: &[ConstTerm], b: &ConstTerm) -> bool {
    any_in!(term in terms => excludes(term, b))
}

/// Whether all branches of `a` exclude a component that all branches of `b` require.
const fn excludes(a: &ConstTerm, b: &ConstTerm) -> bool {
    match a {
        ConstTerm::Component(usage, component) if usage.excludes() => demands(b, component.key),
        ConstTerm::Group(group, members) => {
            let mut count = 0;
            each_in!(member in members => count += excludes(member, b) as usize);
            is_said(*group, count, members.len())
        }
        _ => false,
    }
}

/// Whether all branches of a term require a component.
const fn demands(term: &ConstTerm, key: ComponentKey) -> bool {
    match term {
        ConstTerm::Component(usage, component) if usage.demands() => key.may_be(component.key),
        ConstTerm::Group(group, members) => {
            let mut count = 0;
            each_in!(member in members => count += demands(member, key) as usize);
            is_said(*group, count, members.len())
        }
        _ => false,
    }
}

/// Whether a group implies a condition that `count` of its members imply. If an entity matches all members, one member suffices; if
/// it matches at least one, every member must imply the condition. Optional members imply nothing.
const fn is_said(group: Group, count: usize, members: usize) -> bool {
    match group {
        Group::All => count != 0,
        Group::Optional | Group::ReadAll | Group::WriteAll => false,
        Group::Or | Group::AnyOf | Group::FirstOf => count == members,
    }
}
