//! Compares the results for disjoint queries with an evaluation over all sets of components. Tests the check at compile time and the check
//! by ids.

extern crate std;

use alloc::boxed::Box;
use alloc::vec::Vec;
use std::sync::Mutex;

use super::disjoint::Overlap;
use crate::access::FilteredAccess;
use crate::access::term::{ConstTerm, Group, Term, TermComponent, Terms, Usage};
use crate::component::entity_disabling::Disabled;
use crate::component::{Component, ComponentId};

const COMPONENTS: usize = 6;

/// The index of `Disabled` among the table components.
const DISABLED: usize = 5;

#[derive(Component)]
struct A;
#[derive(Component)]
struct B;
#[derive(Component)]
struct C;
#[derive(Component)]
struct D;
#[derive(Component)]
struct E;
#[derive(Component)]
#[component(storage = "sparse")]
struct S;
#[derive(Component)]
#[component(storage = "sparse")]
struct T;

/// A filter of a query.
#[derive(Clone, Debug)]
enum Formula {
    Has(Usage, usize),
    Of(Group, Vec<Self>),
}

/// A pseudo-random number generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    /// Returns a formula with at most `levels` nested groups.
    fn formula(&mut self, levels: usize) -> Formula {
        if levels == 0 || self.below(5) == 0 {
            let all =
                [Usage::With, Usage::Without, Usage::Without, Usage::Changed, Usage::Read, Usage::Has, Usage::Allow];
            return Formula::Has(all[self.below(all.len())], self.below(COMPONENTS));
        }
        let groups = [Group::All, Group::All, Group::Or, Group::Or, Group::AnyOf, Group::FirstOf, Group::Optional];
        let group = groups[self.below(groups.len())];
        let members = if group == Group::Optional { 1 } else { 1 + self.below(3) };
        Formula::Of(group, (0..members).map(|_| self.formula(levels - 1)).collect())
    }
}

/// Makes a slice that lives forever. It is stored in a static, so that the sanitizer does not report a leak.
fn kept(members: Vec<ConstTerm>) -> &'static [ConstTerm] {
    static KEPT: Mutex<Vec<&[ConstTerm]>> = Mutex::new(Vec::new());
    let members: &[ConstTerm] = Box::leak(members.into_boxed_slice());
    KEPT.lock().expect("no test panics here").push(members);
    members
}

impl Formula {
    /// Returns whether an entity matches. `has(component, true)` returns whether the entity has the component, and `has(component, false)`
    /// returns whether it lacks the component.
    fn matches(&self, has: &dyn Fn(usize, bool) -> bool) -> bool {
        match self {
            Self::Of(Group::Optional, _) => true,
            Self::Has(usage, _) if usage.is_open() => true,
            Self::Has(usage, at) => has(*at, !usage.excludes()),
            Self::Of(Group::All, members) => members.iter().all(|member| member.matches(has)),
            Self::Of(_, members) => members.iter().any(|member| member.matches(has)),
        }
    }

    /// Returns whether the formula contains the component.
    fn names(&self, component: usize) -> bool {
        match self {
            Self::Has(_, at) => *at == component,
            Self::Of(_, members) => members.iter().any(|member| member.names(component)),
        }
    }

    /// Returns whether a query with this filter matches the entity.
    fn query_matches(&self, has: &dyn Fn(usize, bool) -> bool) -> bool {
        self.matches(has) && (has(DISABLED, false) || self.names(DISABLED))
    }

    fn constant(&self, sparse: bool) -> ConstTerm {
        match self {
            Self::Has(usage, at) => {
                let [tables, mixed] = [
                    [
                        ConstTerm::of::<A>,
                        ConstTerm::of::<B>,
                        ConstTerm::of::<C>,
                        ConstTerm::of::<D>,
                        ConstTerm::of::<E>,
                        ConstTerm::of::<Disabled>,
                    ] as [fn(Usage) -> ConstTerm; COMPONENTS],
                    [
                        ConstTerm::of::<A>,
                        ConstTerm::of::<B>,
                        ConstTerm::of::<C>,
                        ConstTerm::of::<D>,
                        ConstTerm::of::<S>,
                        ConstTerm::of::<T>,
                    ],
                ];
                (if sparse { mixed } else { tables })[*at](*usage)
            }
            Self::Of(group, members) => {
                let members: Vec<ConstTerm> = members.iter().map(|member| member.constant(sparse)).collect();
                ConstTerm::Group(*group, kept(members))
            }
        }
    }

    /// Returns the access of a query with this filter. The query writes a component that no filter contains.
    fn access(&self, sparse: bool) -> FilteredAccess {
        let terms = Terms::of_query(&ConstTerm::Entity, &self.constant(sparse), &[], &mut |component| {
            let names = [["A", "B", "C", "D", "E", "Disabled"], ["A", "B", "C", "D", "S", "T"]];
            let at = names.iter().find_map(|names| names.iter().position(|name| *name == component.key.name()))?;
            let storage = component.is_sparse.then_some(at as u32);
            Some(TermComponent { name: "", id: Some(ComponentId(at as u32)), sparse: storage })
        });
        let mut terms = terms.expect("all components are known");
        if !sparse {
            let id = Some(ComponentId(DISABLED as u32));
            terms.exclude_unless_named(TermComponent { name: "", id, sparse: None });
        }
        let mut access = Term::access(terms.all());
        access.add_write(ComponentId(COMPONENTS as u32));
        access
    }
}

/// Returns `count` pairs of formulas with at most `levels` nested groups.
fn pairs(levels: usize, count: usize) -> impl Iterator<Item = [Formula; 2]> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 + levels as u64);
    (0..count).map(move |_| [numbers.formula(levels), numbers.formula(levels)])
}

fn can_overlap(a: &Formula, b: &Formula, matches: fn(&Formula, &dyn Fn(usize, bool) -> bool) -> bool) -> bool {
    (0..1 << COMPONENTS).any(|set: usize| {
        let has = |at: usize, there: bool| (set >> at & 1 == 1) == there;
        matches(a, &has) && matches(b, &has)
    })
}

fn overlap(a: &Formula, b: &Formula, sparse: bool) -> Overlap {
    Overlap::of(&a.constant(sparse), &b.constant(sparse))
}

/// With three levels of up to three members there are at most 81 branches.
#[test]
fn two_queries_are_disjoint_exactly_if_no_set_of_components_matches_both() {
    let [mut apart, mut together] = [0, 0];
    for levels in 0..=3 {
        for [a, b] in pairs(levels, 10_000) {
            let possible = can_overlap(&a, &b, Formula::query_matches);
            let found = overlap(&a, &b, false);
            assert_eq!(matches!(found, Overlap::Possible), possible, "the compiler: {a:?} beside {b:?}");
            assert!(!matches!(found, Overlap::Unknown));
            assert_eq!(!a.access(false).is_disjoint_with(&b.access(false)), possible, "numbers: {a:?} beside {b:?}");
            *if possible { &mut together } else { &mut apart } += 1;
        }
    }
    assert!(apart > 2000 && together > 2000, "the formulas are of both kinds: {apart} and {together}");
}

/// A query that contradicts itself about a sparse component visits tables of the other query, but matches no row.
#[test]
fn sparse_components_keep_queries_apart_exactly_if_no_set_of_components_matches_both() {
    let mut contradictory = 0;
    for levels in 0..=3 {
        for [a, b] in pairs(levels, 5000) {
            let possible = can_overlap(&a, &b, Formula::matches);
            let found = overlap(&a, &b, true);
            assert_eq!(matches!(found, Overlap::Possible), possible, "the compiler: {a:?} beside {b:?}");
            assert!(!matches!(found, Overlap::Unknown));
            assert_eq!(!a.access(true).is_disjoint_with(&b.access(true)), possible, "numbers: {a:?} beside {b:?}");
            contradictory += usize::from([&a, &b].iter().any(|one| !can_overlap(one, one, Formula::matches)));
        }
    }
    assert!(contradictory > 200, "many queries match nothing: {contradictory}");
}

/// A query visits a table if the table satisfies the conditions on table components.
#[test]
fn queries_run_beside_each_other_exactly_if_no_table_is_visited_by_both() {
    use crate::component::Components;
    let mut components = Components::default();
    components.register::<A>();
    components.register::<B>();
    components.register::<C>();
    components.register::<D>();
    components.register::<S>();
    components.register::<T>();
    components.register::<E>(); // Both queries write `E`.
    for levels in 0..=3 {
        for [a, b] in pairs(levels, 3000) {
            let visited_by_both = (0..1 << 4).any(|set: usize| {
                let has = |at: usize, there: bool| at >= 4 || (set >> at & 1 == 1) == there;
                a.matches(&has) && b.matches(&has)
            });
            // Both write `E`. Tests for changes and reads of other components cause no collision by themselves.
            let collides = a.access(true).collision_with(&b.access(true), &components).is_some();
            assert_eq!(collides, visited_by_both, "{a:?} beside {b:?}");
        }
    }
}
