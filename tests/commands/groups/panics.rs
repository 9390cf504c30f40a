//! Destructors that panic while groups and runs are carried out, and errors that are panics.

use strata_ecs::store::{CommandError, OnCommandError};
use strata_tests::drops;
use strata_tests::panics::{catch, expect_panic, expect_panic_at};

use super::orders::{BEFORE, Before, Step, entity_before, expected, groups, record_group};
use super::*;

/// Nothing was dropped twice, and what cannot be reached was dropped.
fn assert_whole(world: &mut World, what: &dyn std::fmt::Debug) {
    world.check_invariants();
    drops::assert_none_twice();
    assert_eq!(drops::alive(), tokens(world), "{what:?}");
}

/// Applies a group between two runs, with a panic in the drop after `quiet` other drops. Returns false if nothing panics.
fn group_with_a_panic(before: Before, group: &[Step], quiet: usize) -> bool {
    drops::reset();
    let mut world = World::new();
    let first: Vec<Entity> = (0..2).map(|at| world.spawn(a(at)).id()).collect();
    let last: Vec<Entity> = (0..2).map(|at| world.spawn(a(at)).id()).collect();
    let entity = entity_before(&mut world, before);
    let mut commands = world.commands();
    first.iter().for_each(|entity| {
        commands.entity(*entity).insert(b(7));
    });
    let entity = record_group(&mut commands, entity, before, group);
    last.iter().for_each(|entity| {
        commands.entity(*entity).insert(b(8));
    });
    let spawned = commands.spawn((a(9), s(9))).id();

    drops::fuse(Some(quiet));
    let panicked = catch(|| world.flush()).is_err();
    drops::disarm();
    let what = (before, group, quiet);
    assert_whole(&mut world, &what);
    assert_eq!(row(&world, entity), expected(before, group).0, "{what:?}: a change is complete");
    assert!(first.iter().all(|entity| row(&world, *entity).is_some_and(|row| row.values[1] == Some(7))));
    let rest = if panicked { None } else { Some(8) };
    assert!(last.iter().all(|entity| row(&world, *entity).is_some_and(|row| row.values[1] == rest)), "{what:?}");
    assert_eq!(row(&world, spawned).map(|row| row.tokens()), Some(if panicked { 0 } else { 2 }), "{what:?}");
    drop(world);
    drops::assert_all_dropped_once();
    panicked
}

#[test]
fn a_panic_in_any_drop_of_a_group_leaves_the_change_complete_and_drops_the_rest_once() {
    let mut panics = 0;
    for before in BEFORE {
        for group in groups() {
            panics += (0..).take_while(|quiet| group_with_a_panic(before, &group, *quiet)).count();
        }
    }
    assert!(panics > 1000, "only {panics} drops");
}

#[test]
fn a_panic_in_any_drop_of_a_run_of_inserts_leaves_the_run_complete() {
    for bad in 0..5 {
        drops::reset();
        let mut world = World::new();
        let entities: Vec<Entity> = (0..5).map(|at| world.spawn((a(at), s(at))).id()).collect();
        let mut commands = world.commands();
        entities.iter().for_each(|entity| {
            commands.entity(*entity).insert((s(50), a(50), b(50)));
        });
        // Two drops for each entity: the panic is in one or the other.
        drops::fuse(Some(2 * bad + bad % 2));
        expect_panic(|| world.flush());
        drops::disarm();
        assert_whole(&mut world, &bad);
        for (at, entity) in entities.iter().enumerate() {
            // All of them were in one table and have got the same, so they were changed together.
            assert_eq!(row(&world, *entity).expect("it lives").values, [Some(50); 3], "{bad} {at}");
        }
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_panic_in_any_drop_of_a_run_of_despawns_or_removals_leaves_the_rest_alive() {
    for despawn in [false, true] {
        for bad in 0..4 {
            drops::reset();
            let mut world = World::new();
            let entities: Vec<Entity> = (0..4).map(|at| world.spawn((a(at), s(at))).id()).collect();
            let mut commands = world.commands();
            for entity in &entities {
                let mut entity = commands.entity(*entity);
                if despawn {
                    entity.despawn()
                } else {
                    let _ = entity.remove::<(S, A)>();
                }
            }
            drops::fuse(Some(2 * bad + 1));
            expect_panic(|| world.flush());
            drops::disarm();
            assert_whole(&mut world, &bad);
            let left = entities.iter().filter(|entity| row(&world, **entity).is_some_and(|row| row.tokens() == 2));
            assert_eq!(left.count(), 3 - bad);
            drop(world);
            drops::assert_all_dropped_once();
        }
    }
}

#[test]
fn an_error_that_is_a_panic_drops_the_commands_behind_it_once() {
    for position in 0..4 {
        drops::reset();
        let mut world = World::new();
        world.on_command_error(OnCommandError::Panic);
        let dead = world.spawn_empty().id();
        world.despawn(dead);
        let alive: Vec<Entity> = (0..4).map(|at| world.spawn(a(at)).id()).collect();
        let mut commands = world.commands();
        let mut spawned = Vec::new();
        for (at, entity) in alive.iter().enumerate() {
            commands.entity(*entity).insert((b(1), s(1))).insert(b(2));
            if at == position {
                commands.entity(dead).try_insert(b(0)).insert((a(0), b(0))).insert_if_new(s(0)).despawn();
            }
            spawned.push(commands.spawn(b(3)).id());
        }
        let text = expect_panic(|| world.flush());
        assert!(text.contains("`insert(") && text.contains("despawned"), "{text}");
        assert_whole(&mut world, &position);
        let changed = |entity: &&Entity| row(&world, **entity).is_some_and(|row| row.values[1].is_some());
        assert_eq!(alive.iter().filter(changed).count(), position + 1);
        assert_eq!(spawned.iter().filter(changed).count(), position);
        assert!(spawned.iter().all(|entity| world.contains(*entity)), "an id that was given out is an entity");
        world.on_command_error(OnCommandError::Keep);
        world.flush();
        assert!(world.take_command_errors().0.is_empty());
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_function_that_is_told_of_errors_may_panic() {
    fn handler(error: &CommandError) {
        assert_ne!(error.command(), "remove", "told");
    }
    drops::reset();
    let mut world = World::new();
    world.on_command_error(OnCommandError::Call(handler));
    let dead = world.spawn_empty().id();
    world.despawn(dead);
    world.commands().entity(dead).insert(a(0)).remove::<A>().insert(b(0));
    world.commands().spawn(a(1));
    assert!(expect_panic(|| world.flush()).contains("told"));
    assert_whole(&mut world, &"a handler");
    assert_eq!(drops::dropped(), 3);
    world.on_command_error(OnCommandError::Ignore);
    world.commands().entity(dead).remove::<A>();
    world.flush();
    assert!(world.take_command_errors().0.is_empty());
}

/// A component with a type parameter: the compiler does not know whether two of them are the same.
#[derive(Component)]
struct Held<T: Send + Sync + 'static>(T);

/// The panic happens at the call that records the bundle. Commands that are recorded before and after it are applied.
#[test]
fn a_bundle_with_a_component_twice_is_refused_without_a_trace() {
    for group in [false, true] {
        drops::reset();
        let mut world = World::new();
        let entity = world.spawn(a(1)).id();
        let mut commands = world.commands();
        commands.entity(entity).insert(b(1));
        if !group {
            commands.spawn(b(2));
        }
        let refused: [&mut dyn FnMut(&mut EntityCommands<'_>); 3] = [
            &mut |entity| _ = entity.insert((Held(a(2)), s(2), Held(a(3)))),
            &mut |entity| _ = entity.try_insert((Held(a(2)), (s(2), Held(a(3))))),
            &mut |entity| _ = entity.remove::<(B, A, B)>(),
        ];
        for record in refused {
            let ((file, _), text) = expect_panic_at(|| record(&mut commands.entity(entity)));
            assert!(file.ends_with("groups/panics.rs") && text.contains("twice"), "{file}: {text}");
        }
        commands.entity(entity).insert(s(4));
        let last = commands.spawn(b(3)).id();
        world.flush();
        assert_whole(&mut world, &group);
        assert_eq!(world.get::<A>(entity).map(|a| a.0), Some(1));
        assert!(world.get::<B>(entity).is_some() && world.get::<S>(entity).is_some());
        assert!(world.get::<B>(last).is_some());
        drop(world);
        drops::assert_all_dropped_once();
    }
}
