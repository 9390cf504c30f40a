//! Whether an entity can match two queries.
//!
//! The search looks for a set of components that both match: it assumes what the terms demand and exclude, one term after
//! the other, then tries the members of each alternative, and goes back where two assumptions contradict each other. If it
//! finds none, the queries are disjoint. It ends after so many steps; what all branches of the one and of the other have in
//! common is compared then.
//!
//! A query that contradicts itself about a sparse component visits the tables of the other one, but finds no row there: the
//! two are disjoint. Whether they may run side by side is another question, which goes by tables. `FilteredAccess` decides
//! alike.

use super::access::{ConstAccess, NamedAccess};
use crate::component::{Component, ComponentKey};
use crate::entity_disabling::Disabled;
use crate::term::{ConstComponent, ConstTerm, Group, Usage, any_in, each_in};

/// How many terms a search looks at. The compiler warns of a constant that takes two million steps of its own.
const MOST_STEPS: u32 = 20_000;

/// What is known of two queries.
#[derive(Clone, Copy)]
pub(super) enum Overlap {
    /// No entity matches both.
    Never,
    /// Some entity can match both.
    Possible,
    /// They have so many branches that only what all of these have in common was compared, and that does not keep them apart.
    Unknown,
}

/// Whether a condition holds for the query of one of the parameters that belong to the rows of a system.
macro_rules! any_row {
    ($row:ident in $params:expr => $holds:expr) => {
        any_in!(param in $params => match &param.access {
            ConstAccess::Query($row) if param.is_of_rows() => $holds,
            _ => false,
        })
    };
}

impl Overlap {
    /// Of two queries.
    pub(super) const fn of(a: &ConstTerm, b: &ConstTerm) -> Self {
        Self::of_rows(&[NamedAccess::of_query(a)], b)
    }

    /// Of the rows of a system with another query.
    pub(super) const fn of_rows(params: &[NamedAccess], other: &ConstTerm) -> Self {
        let rows_name_disabled = any_row!(row in params => names_disabled(row));
        let excluded = [excluded_by_default(rows_name_disabled), excluded_by_default(names_disabled(other))];
        let by_default = Todo { terms: excluded[0], rows: &[], rest: None };
        let rows = Todo { terms: &[], rows: params, rest: Some(&by_default) };
        let by_default = Todo { terms: excluded[1], rows: &[], rest: Some(&rows) };
        let second = Todo { terms: core::slice::from_ref(other), rest: Some(&by_default), ..by_default };
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
struct Todo<'a> {
    terms: &'a [ConstTerm],
    /// Parameters of a system, of which those of the rows count.
    rows: &'a [NamedAccess],
    rest: Option<&'a Self>,
}

/// What is assumed of an entity.
struct Assumption<'a> {
    component: &'static ConstComponent,
    /// Whether the entity has the component.
    has: bool,
    others: Option<&'a Self>,
}

/// Whether an entity of which something is assumed can match all terms in two lists. Alternatives are put off to `later`,
/// so that they are tried once everything else is assumed. Without steps left the answer means nothing.
const fn can_match(
    todo: Option<&Todo<'_>>,
    later: Option<&Todo<'_>>,
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
        let others = Todo { rows, ..*next };
        return match &row.access {
            ConstAccess::Query(term) if row.is_of_rows() => {
                let terms = core::slice::from_ref(term);
                let row = Todo { terms, rows: &[], rest: Some(&others) };
                can_match(Some(&row), later, known, steps)
            }
            _ => can_match(Some(&others), later, known, steps),
        };
    }
    let [term, terms @ ..] = next.terms else { return can_match(next.rest, later, known, steps) };
    let others = Todo { terms, ..*next };
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
            can_match(Some(&Todo { terms, rows: &[], rest: Some(&others) }), later, known, steps)
        }
        ConstTerm::Group(Group::Or | Group::AnyOf | Group::FirstOf, _) => {
            let terms = core::slice::from_ref(term);
            can_match(Some(&others), Some(&Todo { terms, rows: &[], rest: later }), known, steps)
        }
        _ => can_match(Some(&others), later, known, steps),
    }
}

/// The same for alternatives, each list of which is one group.
const fn can_match_one_of(next: &Todo<'_>, known: Option<&Assumption<'_>>, steps: &mut u32) -> bool {
    let [alternative @ ConstTerm::Group(_, members)] = next.terms else { return true };
    if holds(alternative, known) {
        return can_match(None, next.rest, known, steps);
    }
    any_in!(member in members => {
        let member = Todo { terms: core::slice::from_ref(member), rows: &[], rest: None };
        can_match(Some(&member), next.rest, known, steps)
    })
}

/// Whether a term follows from what is assumed.
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
        // If they may be one component, it is left to the check when the system is built.
        if other.has != has && component.key.may_be(other.component.key) {
            return true;
        }
        known = other.others;
    }
    false
}

/// What a query excludes that does not name `Disabled`, and one that does. Which other components disable entities is known at
/// run time only.
const fn excluded_by_default(names_disabled: bool) -> &'static [ConstTerm] {
    const DISABLED: &[ConstTerm] = &[ConstTerm::of::<Disabled>(Usage::Without)];
    if names_disabled { &[] } else { DISABLED }
}

/// Whether a term names `Disabled`, or may do so.
const fn names_disabled(term: &ConstTerm) -> bool {
    match term {
        ConstTerm::Entity | ConstTerm::Spawned | ConstTerm::SpawnDetails | ConstTerm::Nested(_) => false,
        ConstTerm::Component(usage, component) => usage.names() && component.key.may_be(<Disabled as Component>::KEY),
        ConstTerm::Group(_, members) => any_in!(member in members => names_disabled(member)),
        ConstTerm::AtRunTime => true,
    }
}

/// Whether one of several terms, all of which hold, excludes what all branches of `b` demand.
const fn one_excludes(terms: &[ConstTerm], b: &ConstTerm) -> bool {
    any_in!(term in terms => excludes(term, b))
}

/// Whether something that all branches of `a` exclude is demanded by all of `b`.
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

/// Whether all branches of a term demand a component.
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

/// Whether a group says what `count` of its members say: one of them if an entity matches all, otherwise all of them.
const fn is_said(group: Group, count: usize, members: usize) -> bool {
    match group {
        Group::All => count != 0,
        Group::Optional | Group::ReadAll | Group::WriteAll => false,
        Group::Or | Group::AnyOf | Group::FirstOf => count == members,
    }
}
