//! The methods that are documented to return an error for lack of memory do so, also if ids were reserved before.

use strata_ecs::alloc_error::AllocError;
use strata_ecs::prelude::*;
use strata_ecs::store::{SpawnAtError, SpawnError};
use strata_tests::alloc;
use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

#[derive(Component, Clone, Debug, PartialEq)]
struct Mark(u32);
#[derive(Component)]
struct Held(Token);
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Aside(u64);

/// The outcome of an attempt: whether it succeeded. Errors other than a lack of memory must not occur.
trait Outcome {
    fn succeeded(self) -> bool;
}

impl<T> Outcome for Result<T, SpawnError> {
    fn succeeded(self) -> bool {
        assert!(!matches!(self, Err(SpawnError::IdsExhausted(_))));
        self.is_ok()
    }
}

impl<T> Outcome for Result<T, SpawnAtError> {
    fn succeeded(self) -> bool {
        assert!(matches!(self, Ok(_) | Err(SpawnAtError::OutOfMemory(_))));
        self.is_ok()
    }
}

impl Outcome for Result<(), AllocError> {
    fn succeeded(self) -> bool {
        self.is_ok()
    }
}

/// A world that has met all components and has no room for anything more, and in which so many ids are reserved.
fn full_world(reserved: usize) -> World {
    let mut world = World::new();
    (0..4).for_each(|number| _ = world.spawn((Mark(number), Held(Token::new()), Aside(1))));
    (0..4).for_each(|number| _ = world.spawn((Mark(number), Aside(1))));
    // The first growth makes room for four rows, the second for eight.
    world.spawn_columns((vec![Mark(3); 4], vec![Aside(1); 4])).expect("equally long").for_each(drop);
    world.reserve_entities(reserved).for_each(drop);
    world
}

/// Lets every allocation of an attempt fail, once and for ever after: it says so, and the world is as it was.
fn each_failure_is_an_error(reserved: usize, attempt: impl Fn(&mut World) -> bool) {
    for for_ever in [false, true] {
        let mut failed = 0;
        for calls in 0.. {
            drops::reset();
            let mut world = full_world(reserved);
            let (before, alive) = (world.len(), drops::alive());
            let (succeeded, failures) = alloc::failing(calls, for_ever, || attempt(&mut world));
            assert_eq!(succeeded, failures == 0, "call {calls}: a failure was hidden, or made up");
            if !succeeded {
                let placed = world.len() - before;
                assert!(placed == 0 || placed == reserved, "call {calls}: the world changed");
                assert_eq!(drops::alive(), alive, "call {calls}");
            }
            world.check_invariants();
            assert!(attempt(&mut world), "call {calls}: the world does not recover");
            world.check_invariants();
            drop(world);
            drops::assert_all_dropped_once();
            if failures == 0 {
                break;
            }
            failed += 1;
        }
        assert!(failed > 1, "nothing was allocated, so this proves nothing");
    }
}

#[test]
fn hazard_21_try_spawn_with_reserved_ids_reports_every_failure() {
    each_failure_is_an_error(5000, |world| world.try_spawn((Mark(1), Held(Token::new()), Aside(2))).succeeded());
}

#[test]
fn hazard_21_spawn_at_reports_every_failure() {
    for reserved in [0, 500] {
        each_failure_is_an_error(reserved, |world| {
            let bound = world.entities().index_bound().max(16 + reserved) as u32;
            let free = Entity::from_raw_u32(bound + 300).expect("a valid index");
            world.spawn_at(free, (Mark(1), Held(Token::new()), Aside(2))).succeeded()
        });
    }
}

#[test]
fn hazard_21_try_reserve_with_reserved_ids_reports_every_failure() {
    each_failure_is_an_error(500, |world| world.try_reserve::<(Mark, Aside)>(700).succeeded());
}

#[test]
fn no_more_ids_are_reserved_at_once_than_a_flush_can_take() {
    let world = World::new();
    let text = expect_panic(|| world.reserve_entities(300_000_000).len());
    assert!(text.contains("300000000 entity ids cannot be reserved at once"), "{text}");
    assert!(world.entities().is_empty() && world.reserve_entity().index() == 0);
}

#[test]
fn reserved_ids_that_there_is_no_memory_for_stay_reserved() {
    let mut world = World::new();
    world.spawn(Mark(1));
    let ids: Vec<Entity> = world.reserve_entities(1000).collect();
    let (spawned, failures) = alloc::failing(0, true, || world.try_spawn(Mark(2)).is_ok());
    assert!(!spawned && failures > 0);
    assert_eq!(world.len(), 1);
    assert!(ids.iter().all(|&id| !world.contains(id)));
    world.spawn(Mark(3));
    assert_eq!(world.len(), 1002);
    assert!(ids.iter().all(|&id| world.contains(id)));
    world.check_invariants();
}
