//! Determines whether an entity can match two queries.
//!
//! The search looks for a set of components that both queries match. It goes through the terms and records the required and excluded
//! components as assumptions. Then it tries the members of each alternative. It backtracks when two assumptions contradict each other. If
//! it finds no such set, the queries are disjoint. The number of steps is limited. If the search exceeds the limit, only the conditions
//! that all branches of each query share are compared.
//!
//! If a query contradicts itself about a sparse component, it visits tables, but matches no row. So it is disjoint from each other query.
//! Whether two queries may run in parallel is a different question, which depends on the tables that they visit. `FilteredAccess` follows
//! the same rules.
//!
//! Tests: ecs/src/access/const_access/tests.rs

use super::access::{ConstAccess, NamedAccess};
use crate::access::term::{ConstComponent, ConstTerm, Group, Usage, any_in, each_in};
use crate::component::entity_disabling::Disabled;
use crate::component::{Component, ComponentKey};

/// The maximum number of terms that a search visits. The compiler warns if the evaluation of a constant takes two million of the compiler's
/// own steps.
const MOST_STEPS: u32 = 20_000;

/// Determines whether an entity can match two queries.
#[derive(Clone, Copy)]
pub(super) enum Overlap {
    /// No entity matches both queries.
    Never,
    /// An entity can match both queries.
    Possible,
    /// The queries have too many branches. Only the conditions that all branches share were compared, and these do not make the queries
    /// disjoint.
    Unknown,
}

/// Returns whether a condition holds for the query of at least one row parameter.
macro_rules! any_row {
    ($row:ident in $params:expr => $holds:expr) => {
        any_in!(param in $params => match &param.access {
            ConstAccess::Query($row) if param.is_of_rows() => $holds,
            _ => false,
        })
    };
}

impl Overlap {
    /// Returns the overlap of two queries.
    pub(super) const fn of(a: &ConstTerm, b: &ConstTerm) -> Self {
        Self::of_rows(&[NamedAccess::of_query(a)], b)
    }

    /// Returns the overlap of the rows of a system with another query.
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

/// A linked list of terms that an entity has to match.
#[derive(Clone, Copy)]
struct PendingTerms<'a> {
    terms: &'a [ConstTerm],
    /// Parameters of a system. Only row parameters are used.
    rows: &'a [NamedAccess],
    rest: Option<&'a Self>,
}

/// A linked list of assumptions about an entity.
struct Assumption<'a> {
    component: &'static ConstComponent,
    /// Whether the entity has the component.
    has: bool,
    others: Option<&'a Self>,
}

/// Returns whether an entity that satisfies the assumptions `known` can match all terms in `todo` and `later`. Alternatives are moved from
/// `todo` to `later`, and are tried after all other terms. If `steps` is 0 afterwards, the result is meaningless.
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

/// Like [`can_match`], for a list of alternatives. Each alternative is a group.
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

/// Returns whether each entity that satisfies the assumptions matches a term.
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

/// Returns whether a new assumption contradicts an earlier assumption.
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

/// Returns the default exclusions of a query. `names_disabled` states whether the query has a term for `Disabled`. Other disabling
/// components are known only at run time.
const fn excluded_by_default(names_disabled: bool) -> &'static [ConstTerm] {
    const DISABLED: &[ConstTerm] = &[ConstTerm::of::<Disabled>(Usage::Without)];
    if names_disabled { &[] } else { DISABLED }
}

/// Returns whether a term is, or may be, about `Disabled`.
const fn names_disabled(term: &ConstTerm) -> bool {
    match term {
        ConstTerm::Entity | ConstTerm::Spawned | ConstTerm::SpawnDetails | ConstTerm::Nested(_) => false,
        ConstTerm::Component(usage, component) => usage.names() && component.key.may_be(<Disabled as Component>::KEY),
        ConstTerm::Group(_, members) => any_in!(member in members => names_disabled(member)),
        ConstTerm::AtRunTime => true,
    }
}

/// Returns whether one of `terms`, all of which must match, excludes a component that all branches of `b` require.
const fn one_excludes(terms: &[ConstTerm], b: &ConstTerm) -> bool {
    any_in!(term in terms => excludes(term, b))
}

/// Returns whether all branches of `a` exclude a component that all branches of `b` require.
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

/// Returns whether all branches of a term require a component.
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

/// Returns whether a group implies a condition, given that `count` of its `members` members imply it. If an entity must match all members,
/// one such member is enough. If an entity must match at least one member, all members must imply the condition. Optional members imply
/// nothing.
const fn is_said(group: Group, count: usize, members: usize) -> bool {
    match group {
        Group::All => count != 0,
        Group::Optional | Group::ReadAll | Group::WriteAll => false,
        Group::Or | Group::AnyOf | Group::FirstOf => count == members,
    }
}
