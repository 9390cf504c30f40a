//! Tests with worlds that run out of entity ids. Their limit is lower than users can reach.

mod dynamic_terms;
mod row_cursor;
mod forgotten_plans;
mod told_systems;

use alloc::vec::Vec;

use strata_ecs_derive::Component;

use super::World;
use crate::entity::{Entities, Entity};
use crate::structure::store::SpawnError;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Value(u32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Aside;

/// The limit of entity indexes.
const LIMIT: u32 = 20;

/// Creates a world with this many entities, of which some have been despawned.
fn world(entities: u32, despawned: u32) -> World {
    let mut world = World::new();
    world.store.structure.entities = Entities::with_limit(LIMIT);
    let ids: Vec<Entity> = world.spawn_batch((0..entities + despawned).map(Value)).collect();
    ids[..despawned as usize].iter().for_each(|&id| assert!(world.despawn(id)));
    world
}

#[test]
fn commands_that_spawn_use_up_the_ids_that_are_left_and_report_the_others() {
    for (entities, despawned) in [(0, 0), (3, 4), (0, LIMIT), (LIMIT, 0)] {
        let mut world = world(entities, despawned);
        (0..LIMIT + 9).for_each(|nth| _ = world.commands().spawn((Value(nth), Aside)));
        (0..3).for_each(|nth| _ = world.commands().spawn(Value(nth)));
        world.commands().queue(|world: &mut World| {
            let first = world.iter_entities().next().expect("there are some").id();
            assert!(world.despawn(first));
        });
        world.commands().spawn(Value(70));
        world.flush();
        let (errors, missing) = world.take_command_errors();
        assert_eq!((errors.len(), missing), ((entities + 9 + 3) as usize, 0));
        assert!(errors.iter().all(|error| alloc::format!("{error}").contains("no entity ids are left")));
        world.check_invariants();
        assert_eq!(world.len(), LIMIT as usize);
        assert!(world.query::<&Value>().iter(&world).any(|value| *value == Value(70)));
    }
}

#[test]
fn running_out_of_ids_is_an_error_and_changes_nothing() {
    let mut world = world(LIMIT - 2, 1);
    assert!(world.store.structure.entities.reserve_many(3).is_err());
    for _ in 0..2 {
        world.try_spawn(Value(1)).expect("two ids are left");
    }
    assert!(matches!(world.try_spawn(Value(1)), Err(SpawnError::IdsExhausted(_))));
    assert!(world.store.structure.entities.reserve().is_err());
    world.check_invariants();
    let all: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
    assert_eq!(world.many(&all[3..6]).despawn(), 3);
    assert_eq!(world.reserve_entities(3).count(), 3);
    world.flush();
    assert_eq!(world.len(), LIMIT as usize);
    world.check_invariants();
}

/// Tests that operations panic when no ids are left.
#[cfg(feature = "std")]
#[test]
fn operations_that_run_out_of_ids_panic_and_leave_the_world_consistent() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let operations: [(&str, fn(&mut World)); 6] = [
        ("spawn", |world| (0..9).for_each(|nth| _ = world.spawn(Value(nth)).id())),
        ("batch", |world| _ = world.spawn_batch((0..9).map(Value))),
        ("columns", |world| _ = world.spawn_columns((0..9).map(Value).collect::<Vec<_>>())),
        ("reserve", |world| _ = world.reserve_entities(9)),
        ("clone", |world| {
            let first = world.iter_entities().next().expect("there are some").id();
            (0..9).for_each(|_| _ = world.clone_entity(first));
        }),
        ("move", |world| {
            let mut other = World::new();
            other.spawn_batch((0..9).map(Value));
            let moved = catch_unwind(AssertUnwindSafe(|| other.all::<()>().move_to(world)));
            assert_eq!(other.len(), 9);
            other.check_invariants();
            moved.map_or_else(|panic| std::panic::resume_unwind(panic), |_| ());
        }),
    ];
    for (entities, despawned) in [(15, 0), (15, 3), (15, 5)] {
        for (name, operation) in operations {
            let mut world = world(entities, despawned);
            assert!(catch_unwind(AssertUnwindSafe(|| operation(&mut world))).is_err(), "{name}");
            world.check_invariants();
            let left = LIMIT as usize - world.len();
            assert!(left == 5 || left == 0, "{name}: all or nothing, or one after the other");
            (0..left).for_each(|_| _ = world.spawn(Value(1)).id());
            assert!(world.try_spawn(Value(2)).is_err(), "{name}");
            world.check_invariants();
        }
    }
}
