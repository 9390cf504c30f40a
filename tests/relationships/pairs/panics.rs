//! Panics of destructors, clones and observers in the middle of operations on pairs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::event::Unrelate;
use strata_ecs::prelude::*;
use strata_ecs::relation::PairTarget;
use strata_tests::drops::{self, Token};

use crate::entities;

#[derive(Relation)]
struct Holds(Token);

#[derive(Relation)]
#[relation(exclusive, on_target_despawn = "cascade")]
struct Bound(Token);

/// Does something that panics.
fn panics(action: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(action)).is_err());
}

#[test]
fn the_other_pairs_of_a_dead_target_go_as_well() {
    drops::reset();
    let mut world = World::new();
    let [target, a, b, c] = entities(&mut world);
    for source in [a, b, c] {
        world.relate(source, Holds(if source == b { Token::armed() } else { Token::new() }), target);
    }
    panics(|| _ = world.despawn(target));
    world.flush();
    world.check_invariants();
    assert_eq!((world.pair_count::<Holds>(), drops::alive()), (0, 0));
    drops::assert_all_dropped_once();
}

#[test]
fn another_value_is_there_although_the_old_one_panics() {
    drops::reset();
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Holds(Token::armed()), b);
    panics(|| _ = world.relate(a, Holds(Token::new()), b));
    world.check_invariants();
    assert_eq!((world.pair_count::<Holds>(), drops::alive()), (1, 1));
    world.relate(a, Bound(Token::armed()), b);
    panics(|| _ = world.relate(a, Bound(Token::new()), c));
    world.check_invariants();
    assert!(world.pairs::<Bound>().map(|(source, _, target)| (source, target)).eq([(a, c)]));
    assert_eq!(drops::alive(), 2);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn sources_end_although_a_value_panics() {
    drops::reset();
    let mut world = World::new();
    let [target, a, b] = entities(&mut world);
    world.relate(a, Bound(Token::armed()), target);
    world.relate(b, Bound(Token::new()), target);
    panics(|| _ = world.despawn(target));
    world.flush();
    world.check_invariants();
    assert!(world.is_empty());
    drops::assert_all_dropped_once();
}

#[test]
fn a_clone_that_panics_makes_nothing() {
    #[derive(Relation)]
    struct Fragile(Token);

    impl Clone for Fragile {
        fn clone(&self) -> Self {
            panic!("no clone of {:?}", self.0)
        }
    }

    drops::reset();
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    world.relate(a, Fragile(Token::new()), b);
    panics(|| _ = world.clone_entity(a));
    world.check_invariants();
    assert_eq!((world.len(), world.pair_count::<Fragile>()), (2, 1));
}

#[test]
fn values_are_dropped_although_an_observer_panics() {
    drops::reset();
    let mut world = World::new();
    world.add_observer(|_: On<Unrelate<Holds>>| panic!("an observer"));
    let [target, a, b] = entities(&mut world);
    for source in [a, b] {
        world.relate(source, Holds(Token::new()), target);
    }
    panics(|| _ = world.despawn(target));
    world.flush();
    world.check_invariants();
    assert_eq!(drops::alive(), 0);
    drops::assert_all_dropped_once();
}

#[test]
fn a_world_drops_all_values() {
    drops::reset();
    let mut world = World::new();
    let all = entities::<10>(&mut world);
    all.iter().for_each(|&source| _ = world.relate(source, Holds(Token::new()), all[0]));
    world.clear_entities();
    assert_eq!(drops::alive(), 0);
    let all = entities::<10>(&mut world);
    all.iter().for_each(|&source| _ = world.relate(source, Holds(Token::new()), all[0]));
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn values_of_two_relations_may_panic_in_one_operation() {
    drops::reset();
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Holds(Token::armed()), b);
    world.relate(a, Bound(Token::armed()), c);
    panics(|| _ = world.despawn(a));
    world.check_invariants();
    assert_eq!(drops::alive(), 0);
    drops::assert_all_dropped_once();
}

#[test]
fn a_displaced_value_is_dropped_although_a_hook_panics() {
    drops::reset();
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Bound(Token::new()), b);
    world.register_component_hooks::<PairTarget<Bound>>().on_insert(|_, _| panic!("a hook"));
    panics(|| _ = world.relate(a, Bound(Token::new()), c));
    world.spawn_empty();
    world.check_invariants();
    assert!(world.pairs::<Bound>().map(|(source, _, target)| (source, target)).eq([(a, c)]));
    assert_eq!(drops::alive(), 1);
    drop(world);
    drops::assert_all_dropped_once();
}
