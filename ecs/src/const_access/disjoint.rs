//! Whether an entity can match two queries.
//!
//! The search looks for a set of components that both match: it assumes what the terms demand and exclude, one term after
//! the other, then tries the members of each alternative, and goes back where two assumptions contradict each other. If it
//! finds none, the queries are disjoint. It ends after so many steps; what all branches of the one and of the other have in
//! common is compared then.
//!
//! Two assumptions of one query about a sparse component do not count as a contradiction: such a query still visits the
//! tables of the other one, only to find no row there. `FilteredAccess` decides alike.

use super::access::{ConstAccess, NamedAccess};
use crate::component::ComponentKey;
use crate::term::{ConstComponent, ConstTerm, Group};

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

impl Overlap {
    /// Of two queries.
    pub(super) const fn of(a: &ConstTerm, b: &ConstTerm) -> Self {
        let first = Todo { terms: core::slice::from_ref(a), rows: &[], of_second: false, rest: None };
        let second = Todo { terms: core::slice::from_ref(b), rows: &[], of_second: true, rest: Some(&first) };
        match Self::of_search(&second) {
            Self::Unknown if excludes(a, b) || excludes(b, a) => Self::Never,
            found => found,
        }
    }

    /// Of the rows of a system with another query.
    pub(super) const fn of_rows(params: &[NamedAccess], other: &ConstTerm) -> Self {
        let rows = Todo { terms: &[], rows: params, of_second: false, rest: None };
        let second = Todo { terms: core::slice::from_ref(other), rows: &[], of_second: true, rest: Some(&rows) };
        match Self::of_search(&second) {
            Self::Unknown if some_row_excludes(params, other) => Self::Never,
            found => found,
        }
    }

    const fn of_search(todo: &Todo<'_>) -> Self {
        let mut steps = MOST_STEPS;
        match can_match(Some(todo), None, None, &mut steps) {
            _ if steps == 0 => Self::Unknown,
            true => Self::Possible,
            false => Self::Never,
        }
    }
}

/// Terms that an entity has to match.
#[derive(Clone, Copy)]
struct Todo<'a> {
    terms: &'a [ConstTerm],
    /// Parameters of a system, of which those of the rows count.
    rows: &'a [NamedAccess],
    /// Whether they are of the second query.
    of_second: bool,
    rest: Option<&'a Self>,
}

/// What is assumed of an entity.
struct Assumption<'a> {
    component: &'static ConstComponent,
    /// Whether the entity has the component.
    has: bool,
    /// Whether the second query says so.
    of_second: bool,
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
                let row = Todo { terms, rows: &[], of_second: next.of_second, rest: Some(&others) };
                can_match(Some(&row), later, known, steps)
            }
            _ => can_match(Some(&others), later, known, steps),
        };
    }
    let [term, terms @ ..] = next.terms else { return can_match(next.rest, later, known, steps) };
    let others = Todo { terms, ..*next };
    let of_second = next.of_second;
    match term {
        ConstTerm::Component(usage, component) if usage.demands() || usage.excludes() => {
            let has = !usage.excludes();
            if contradicts(component, has, of_second, known) {
                return false;
            }
            let assumed = Assumption { component, has, of_second, others: known };
            can_match(Some(&others), later, Some(&assumed), steps)
        }
        ConstTerm::Group(Group::All, terms) => {
            can_match(Some(&Todo { terms, rows: &[], of_second, rest: Some(&others) }), later, known, steps)
        }
        ConstTerm::Group(Group::Or | Group::AnyOf | Group::FirstOf, _) => {
            let terms = core::slice::from_ref(term);
            can_match(Some(&others), Some(&Todo { terms, rows: &[], of_second, rest: later }), known, steps)
        }
        _ => can_match(Some(&others), later, known, steps),
    }
}

/// The same for alternatives, each list of which is one group.
const fn can_match_one_of(next: &Todo<'_>, known: Option<&Assumption<'_>>, steps: &mut u32) -> bool {
    let [alternative @ ConstTerm::Group(_, members)] = next.terms else { return true };
    if holds(alternative, next.of_second, known) {
        return can_match(None, next.rest, known, steps);
    }
    let mut at = 0;
    while at < members.len() {
        let (member, _) = members.split_at(at).1.split_at(1);
        let member = Todo { terms: member, rows: &[], of_second: next.of_second, rest: None };
        if can_match(Some(&member), next.rest, known, steps) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a term follows from what is assumed.
const fn holds(term: &ConstTerm, of_second: bool, mut known: Option<&Assumption<'_>>) -> bool {
    match term {
        ConstTerm::Component(usage, component) if usage.demands() || usage.excludes() => {
            while let Some(other) = known {
                let counts = other.of_second == of_second || !component.is_sparse;
                if counts && other.has != usage.excludes() && component.key.is_same(other.component.key) {
                    return true;
                }
                known = other.others;
            }
            false
        }
        ConstTerm::Group(group @ (Group::All | Group::Or | Group::AnyOf | Group::FirstOf), members) => {
            let needs_all = matches!(group, Group::All);
            let mut at = 0;
            while at < members.len() && holds(&members[at], of_second, known) == needs_all {
                at += 1;
            }
            (at == members.len()) == needs_all
        }
        _ => true,
    }
}

/// Whether an assumption contradicts an earlier one.
const fn contradicts(
    component: &ConstComponent,
    has: bool,
    of_second: bool,
    mut known: Option<&Assumption<'_>>,
) -> bool {
    while let Some(other) = known {
        // If they may be one component, it is left to the check when the system is built.
        let counts = other.of_second != of_second || !component.is_sparse;
        if counts && other.has != has && component.key.may_be(other.component.key) {
            return true;
        }
        known = other.others;
    }
    false
}

/// Whether a parameter of the rows excludes what a query demands, or the other way round.
const fn some_row_excludes(params: &[NamedAccess], other: &ConstTerm) -> bool {
    let mut at = 0;
    while at < params.len() {
        if let ConstAccess::Query(row) = &params[at].access
            && params[at].is_of_rows()
            && (excludes(row, other) || excludes(other, row))
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether something that all branches of `a` exclude is demanded by all of `b`.
const fn excludes(a: &ConstTerm, b: &ConstTerm) -> bool {
    match a {
        ConstTerm::Component(usage, component) if usage.excludes() => demands(b, component.key),
        ConstTerm::Group(group, members) => {
            let mut count = 0;
            let mut at = 0;
            while at < members.len() {
                count += excludes(&members[at], b) as usize;
                at += 1;
            }
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
            let mut at = 0;
            while at < members.len() {
                count += demands(&members[at], key) as usize;
                at += 1;
            }
            is_said(*group, count, members.len())
        }
        _ => false,
    }
}

/// Whether a group says what `count` of its members say: one of them if an entity matches all, otherwise all of them.
const fn is_said(group: Group, count: usize, members: usize) -> bool {
    match group {
        Group::All => count != 0,
        Group::Optional => false,
        Group::Or | Group::AnyOf | Group::FirstOf => count == members,
    }
}
