//! The checks that run at compile time.
//!
//! Tests: tests/ui/fail, tests/ui/errors

use core::marker::PhantomData;

use super::access::{ConstAccess, NamedAccess};
use super::conflict::{
    Conflict, between, conflict_of, conflict_of_query, conflict_within, given_once, untracked, untracked_component,
};
use super::disjoint::Overlap;
use super::report::{
    NOTE_QUERY, Nameless, report, report_nameless, report_of_query, report_once, report_sparse, report_twice,
    report_untracked, report_within, report_within_nameless,
};
use super::same_type::SameTypePair;
use crate::access::term::{ConstTerm, Usage, any_in, each_in, find_in, first_found};
use crate::component::Component;

/// Fails to compile if two parameters of a system conflict, if a parameter tests for changes of a component that is never tracked, or if a
/// row parameter yields values that only the first row would see. `params` also contains the options of a row system.
#[track_caller]
pub const fn check_system(system: &str, params: &[NamedAccess]) {
    each_in!(b after before in params => {
        if let Some(found) = untracked(&b.access) {
            report_untracked(&["system `", system, "`: ", b.noun(), b.name, "`"], found, "");
        }
        if let Some((given, field)) = given_once(&b.access)
            && any_in!(param in params => param.is_of_rows())
        {
            report_once(system, b, field, given);
        }
        if let Some(conflict) = conflict_within(&b.access) {
            report_within(system, b, conflict);
        }
        each_in!(a in before => if let Some(conflict) = conflict_of(a, b, params) {
            report(system, a, b, conflict);
        });
    });
}

/// Fails to compile if two parameters borrow a type that is written in the same way in both, and one of them borrows it mutably.
#[track_caller]
pub const fn check_same_types(system: &str, params: &[NamedAccess], pairs: &[SameTypePair]) {
    each_in!(pair in pairs => check_pair(system, pair, params));
}

/// Fails to compile if the parameters of a pair can access the same entity.
#[track_caller]
const fn check_pair(system: &str, pair: &SameTypePair, params: &[NamedAccess]) {
    let (a, b) = (&params[pair.params.0], &params[pair.params.1]);
    if !pair.same || !pair.is_of(a) || !pair.is_of(b) {
        return;
    }
    if pair.params.0 == pair.params.1 {
        report_within(system, a, pair.conflict(false));
    }
    let overlap = match (a.access.query(), b.access.query()) {
        (ConstAccess::Query(first), ConstAccess::Query(second)) => match (a.is_of_rows(), b.is_of_rows()) {
            (true, true) => Overlap::Possible,
            (true, false) => Overlap::of_rows(params, second),
            (false, true) => Overlap::of_rows(params, first),
            (false, false) => Overlap::of(first, second),
        },
        _ => Overlap::Possible,
    };
    let lookup = matches!(a.access, ConstAccess::Lookup(_)) || matches!(b.access, ConstAccess::Lookup(_));
    if let Some(conflict) = Conflict::unless_apart(Some(pair.conflict(lookup)), overlap) {
        report(system, a, b, conflict);
    }
}

/// Fails to compile if a query borrows a component twice, at least once mutably, or tests for changes of a component that is never tracked.
///
/// The compiler prints the type of `_query` with the message (`inside ..`), so this function does not track its caller.
pub(crate) const fn check_query<Query>(_query: PhantomData<Query>, query: &ConstTerm) {
    if let Some(conflict) = conflict_of_query(query) {
        report_of_query(conflict);
    }
    if let Some(found) = untracked_component(query) {
        report_untracked(&["a query"], found, NOTE_QUERY);
    }
}

/// Fails to compile if the component cannot be a disabling component.
#[track_caller]
pub(crate) const fn check_disabling<C: Component>() {
    if let ConstTerm::Component(_, component) = ConstTerm::of::<C>(Usage::Without)
        && component.is_sparse
    {
        report_sparse(component.key.name());
    }
}

/// Fails to compile if a component is certainly twice in a bundle. Duplicates that are not certain at compile time are found when the
/// bundle is first used in a world.
#[track_caller]
///
/// `holder` is the start of the message, as in "a bundle has".
pub(crate) const fn check_one_of_each(holder: &str, components: &ConstTerm) {
    if let Some(twice) = named_twice(components, true) {
        report_twice(holder, twice);
    }
}

/// Returns whether a component may be twice in a bundle. At compile time it is not known whether generic types are equal.
pub(crate) const fn may_repeat(components: &ConstTerm) -> bool {
    named_twice(components, false).is_some()
}

/// Returns the name of a component that occurs twice in a term. If `certainly` is false, components that may be equal count as the same
/// component.
const fn named_twice(term: &ConstTerm, certainly: bool) -> Option<&'static str> {
    let ConstTerm::Group(_, members) = term else { return None };
    find_in!(member after before in members => first_found!(
        named_twice(member, certainly),
        find_in!(other in before => named_by_both(other, member, certainly))
    ))
}

/// Returns the name of a component that occurs in both terms. If `certainly` is false, components that may be equal count as the same
/// component.
const fn named_by_both(a: &ConstTerm, b: &ConstTerm, certainly: bool) -> Option<&'static str> {
    match (a, b) {
        (ConstTerm::Group(_, members), other) | (other, ConstTerm::Group(_, members)) => {
            find_in!(member in members => named_by_both(member, other, certainly))
        }
        (ConstTerm::Component(_, a), ConstTerm::Component(_, b)) => {
            let is_one = if certainly { a.key.is_same(b.key) } else { a.key.may_be(b.key) };
            if is_one { Some(a.key.name()) } else { None }
        }
        _ => None,
    }
}

/// Fails to compile if two parameters without names conflict, or if one of them tests for changes of a component that is never tracked.
/// `inputs` is the number of inputs of the system, which precede the parameters.
///
/// The compiler prints the type of `_user` with the message (`inside ..`), so this function does not track its caller.
pub(crate) const fn check_nameless<User>(_user: PhantomData<User>, of: Nameless, params: &ConstAccess, inputs: usize) {
    let mut second = 0;
    while let Some(param) = params.member(second) {
        if let Some(found) = untracked(param) {
            report_untracked(&["parameter ", number(inputs + second), of.noun()], found, of.where_to_look());
        }
        if let Some(conflict) = conflict_within(param) {
            report_within_nameless(of, number(inputs + second), conflict);
        }
        let mut first = 0;
        while first < second
            && let Some(before) = params.member(first)
        {
            if let Some(conflict) = between(before, param) {
                report_nameless(of, number(inputs + first), number(inputs + second), conflict);
            }
            first += 1;
        }
        second += 1;
    }
}

/// Returns the position of a parameter as text, counted from 1.
const fn number(at: usize) -> &'static str {
    const NUMBERS: [&str; 16] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
    if at < NUMBERS.len() { NUMBERS[at] } else { "17 or more" }
}
