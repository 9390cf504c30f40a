//! Lack of memory: `try_` methods report it and leave the world unchanged, other methods abort.
//!
//! The loop is sqlite's: let the first allocation fail, then the second, and so on, until nothing fails any more; once
//! with a single failure, and once with every later allocation failing too.

use strata_ecs::prelude::*;
use strata_tests::alloc;
use strata_tests::drops::{self, Token};
use strata_tests::process;

#[derive(Component, Debug, PartialEq)]
struct Mark(u32);
#[derive(Component)]
struct Held(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside([u64; 3]);
#[derive(Component)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Clone, PartialEq)]
struct Name(u64);
#[derive(Component, Clone, PartialEq)]
#[component(storage = "sparse")]
struct Shape(u64);
#[derive(Component)]
#[repr(align(4096))]
struct Page(u8);

fn spawn(world: &mut World) -> bool {
    world.try_spawn((Mark(1), Held(Token::new()), Aside([1; 3]), Tag, Page(1))).is_ok()
}

/// Lets a spawn fail at every allocation in turn, in worlds made by `make`; returns how many allocations there are.
fn exhaust(make: impl Fn() -> World) -> usize {
    let mut most = 0;
    for for_ever in [false, true] {
        for calls in 0.. {
            drops::reset();
            let mut world = make();
            let before = (world.len(), drops::alive());
            let (succeeded, failures) = alloc::failing(calls, for_ever, || spawn(&mut world));
            assert_eq!(succeeded, failures == 0, "call {calls}: a failure was hidden, or made up");
            world.check_invariants();
            if !succeeded {
                assert_eq!((world.len(), drops::alive()), before, "call {calls}: the world changed");
                assert_eq!(world.query::<&Mark>().iter(&world).count(), before.0);
            }
            assert!(spawn(&mut world), "call {calls}: the world does not recover");
            assert_eq!(world.len(), before.0 + 1 + usize::from(succeeded));
            world.check_invariants();
            drop(world);
            drops::assert_all_dropped_once();
            if failures == 0 {
                break;
            }
            most = most.max(calls + 1);
        }
    }
    most
}

#[test]
fn try_spawn_into_a_table_of_any_length_reports_every_failure_and_changes_nothing() {
    let mut growths = 0;
    for rows in 0..40 {
        let allocations = exhaust(|| {
            let mut world = World::new();
            // The table, its types and the sparse storages are known, so that only rows and ids have to grow.
            spawn(&mut world);
            world.clear_entities();
            for value in 0..rows {
                world.spawn((Mark(value), Held(Token::new()), Aside([2; 3]), Tag, Page(2)));
            }
            world
        });
        growths += usize::from(allocations > 0);
    }
    assert!(growths > 2, "the table never grew, so this proves nothing");
}

/// From now on the changes of components of each kind of storage are kept.
fn watch(world: &mut World) {
    let _ = world.query_filtered::<(), Or<(Changed<Mark>, Added<Held>, Changed<Aside>, Changed<Tag>, Added<Page>)>>();
}

#[test]
fn try_spawn_reports_every_failure_to_make_room_for_ticks() {
    let mut growths = 0;
    for rows in [0, 1, 3, 4, 63, 64, 127, 128] {
        let allocations = exhaust(|| {
            let mut world = World::new();
            spawn(&mut world);
            world.clear_entities();
            watch(&mut world);
            for value in 0..rows {
                world.spawn((Mark(value), Held(Token::new()), Aside([2; 3]), Tag, Page(2)));
            }
            world.clear_trackers();
            world
        });
        growths += usize::from(allocations > 0);
    }
    assert!(growths > 2, "nothing ever grew, so this proves nothing");
}

#[test]
fn ticks_stay_with_their_rows_when_there_is_no_room_for_more() {
    let mut failed = 0;
    for calls in 0.. {
        let mut world = World::new();
        let entities: Vec<Entity> = world.spawn_batch((0..64).map(|value| (Mark(value), Tag))).collect();
        let mut changed = world.query_filtered::<Entity, (Changed<Mark>, Changed<Tag>)>();
        world.clear_trackers();
        *world.get_mut::<Mark>(entities[3]).expect("present") = Mark(7);
        world.get_mut::<Tag>(entities[3]).expect("present").set_changed();
        let reserve = |world: &mut World| world.try_reserve::<(Mark, Tag)>(2000).is_ok();
        let (succeeded, failures) = alloc::failing(calls, false, || reserve(&mut world));
        assert_eq!(succeeded, failures == 0, "call {calls}: a failure was hidden, or made up");
        assert_eq!(changed.iter(&world).collect::<Vec<_>>(), entities[3..4], "call {calls}");
        let new: Vec<Entity> = world.spawn_batch((0..500).map(|value| (Mark(value), Tag))).collect();
        assert_eq!(changed.iter(&world).count(), 1 + new.len(), "call {calls}");
        world.check_invariants();
        if failures == 0 {
            break;
        }
        failed += 1;
    }
    assert!(failed > 4, "nothing had to grow, so this proves nothing");
}

#[test]
fn every_failure_when_a_reader_begins_to_watch_aborts_or_is_survived() {
    each_failure_aborts_or_is_survived(
        "alloc_failure::every_failure_when_a_reader_begins_to_watch_aborts_or_is_survived",
        |world| {
            let entity = world.spawn((Mark(1), Aside([1; 3]), Tag)).id();
            watch(world);
            world.entity_mut(entity).insert((Held(Token::new()), Page(1)));
            let mut changed = world.query_filtered::<Entity, (Changed<Mark>, Added<Aside>, Changed<Tag>)>();
            assert_eq!(changed.iter(world).count(), 1);
            world.shrink_to_fit();
            assert_eq!(changed.iter(world).count(), 1);
        },
    );
}

#[test]
fn try_reserve_reports_every_failure_and_keeps_what_there_is() {
    let mut failed = 0;
    for calls in 0.. {
        drops::reset();
        let mut world = World::new();
        spawn(&mut world);
        let reserve = |world: &mut World| world.try_reserve::<(Mark, Held, Aside, Tag, Page)>(5000).is_ok();
        let (succeeded, failures) = alloc::failing(calls, false, || reserve(&mut world));
        assert_eq!(succeeded, failures == 0, "call {calls}: a failure was hidden, or made up");
        assert_eq!((world.len(), drops::alive()), (1, 1));
        world.check_invariants();
        assert!(reserve(&mut world));
        let ((), allocations) = alloc::counting(|| {
            for _ in 0..5000 {
                assert!(spawn(&mut world));
            }
        });
        assert_eq!(allocations, 0, "call {calls}: there was not enough room");
        drop(world);
        drops::assert_all_dropped_once();
        if failures == 0 {
            break;
        }
        failed += 1;
    }
    assert!(failed > 4, "nothing had to grow, so this proves nothing");
}

#[test]
fn the_error_says_that_memory_ran_out() {
    let mut world = World::new();
    world.spawn(Page(1));
    let (error, failures) = alloc::failing(0, true, || {
        loop {
            match world.try_spawn(Page(1)) {
                Ok(_) => {}
                Err(error) => break error,
            }
        }
    });
    assert!(failures > 0);
    let text = error.to_string();
    assert!(text.contains("memory"), "{text}");
    assert_eq!(world.query::<&Page>().iter(&world).count(), world.len());
}

/// Lets allocation after allocation of `attempt` fail, each in a process of its own: the process ends as documented, or
/// the attempt copes with it. Memory faults and panics are neither.
fn each_failure_aborts_or_is_survived(name: &str, attempt: fn(&mut World)) {
    if let Some(calls) = process::child_argument(name) {
        let (calls, for_ever) = (calls / 2, calls % 2 == 1);
        let mut world = World::new();
        let ((), failures) = alloc::failing(calls, for_ever, || attempt(&mut world));
        world.check_invariants();
        spawn(&mut world);
        world.check_invariants();
        println!("{}", if failures == 0 { "nothing failed" } else { "survived" });
        return;
    }
    let mut aborts = 0;
    for calls in 0.. {
        let output = process::run_in_child_with(name, calls);
        let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            assert!(printed.contains("nothing failed") || printed.contains("survived"), "{printed}");
        } else {
            process::assert_aborted(&output);
            assert!(errors.contains("memory allocation of"), "allocation {calls}: {errors}");
            aborts += 1;
        }
        if printed.contains("nothing failed") && calls % 2 == 1 {
            break;
        }
    }
    assert!(aborts > 0, "nothing was allocated, so this proves nothing");
}

#[test]
fn every_failure_in_a_spawn_and_a_move_aborts_or_is_survived() {
    each_failure_aborts_or_is_survived(
        "alloc_failure::every_failure_in_a_spawn_and_a_move_aborts_or_is_survived",
        |world| {
            let entity = world.spawn((Mark(1), Aside([1; 3]))).id();
            world.entity_mut(entity).insert((Held(Token::new()), Tag));
            world.entity_mut(entity).remove::<(Mark, Aside)>();
            world.despawn(entity);
        },
    );
}

#[test]
fn every_failure_in_queries_and_commands_aborts_or_is_survived() {
    each_failure_aborts_or_is_survived(
        "alloc_failure::every_failure_in_queries_and_commands_aborts_or_is_survived",
        |world| {
            let mut query = world.query::<(&Mark, Has<Tag>)>();
            world.commands().spawn((Mark(1), Tag, Held(Token::new())));
            world.flush();
            assert_eq!(query.iter(world).count(), 1);
            let reserved = world.reserve_entity();
            world.flush();
            world.entity_mut(reserved).insert(Mark(2));
            assert_eq!(query.iter(world).count(), 2);
        },
    );
}

#[test]
fn every_failure_with_columns_aborts_or_is_survived() {
    each_failure_aborts_or_is_survived("alloc_failure::every_failure_with_columns_aborts_or_is_survived", |world| {
        let held: Vec<Held> = (0..20).map(|_| Held(Token::new())).collect();
        let asides = vec![Aside([1; 3]), Aside([2; 3])];
        let ids = [5, 3].map(|index| Entity::from_raw_u32(index).expect("a valid index"));
        if let Ok(mut spawned) = world.spawn_columns((held, std::array::from_fn::<_, 20, _>(|_| Tag))) {
            assert_eq!((spawned.len(), spawned.next().map(Entity::index)), (20, Some(0)));
        }
        world.clear_entities();
        let placed = world.spawn_columns_at(&ids.map(|id| Entity::from_bits(id.to_bits() + (1 << 32))), asides);
        assert_eq!(world.len(), if placed.is_ok() { 2 } else { 0 });
    });
}

#[test]
fn every_failure_in_builders_and_clones_aborts_or_is_survived() {
    each_failure_aborts_or_is_survived(
        "alloc_failure::every_failure_in_builders_and_clones_aborts_or_is_survived",
        |world| {
            let entity = world.spawn((Name(7), Shape(8))).id();
            assert!(world.clone_entity(entity).is_ok());
            let mut builder = world.entity_mut(entity).take_all();
            assert_eq!((builder.len(), world.len()), (2, 2));
            builder.add(Held(Token::new()));
            world.entity_mut(entity).insert_dynamic(&mut builder);
            assert!(world.get(entity) == Some(&Name(7)) && world.get(entity) == Some(&Shape(8)));
        },
    );
}

#[test]
fn reading_and_writing_need_no_memory() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(|value| (Mark(value), Page(0), Tag))).collect();
    let mut query = world.query::<(&mut Mark, Has<Tag>)>();
    assert_eq!(query.iter(&world).count(), 100);
    let change = |world: &mut World, entity: Entity| {
        world.entity_mut(entity).insert(Mark(7)).remove::<Tag>().insert(Tag);
    };
    change(&mut world, entities[0]);
    let ((), calls) = alloc::counting(|| {
        for entity in &entities {
            assert!(world.contains(*entity));
            assert!(world.get::<Mark>(*entity).is_some());
            assert!(query.get(&world, *entity).is_ok());
            change(&mut world, *entity);
        }
        query.iter_mut(&mut world).for_each(|(mut mark, _)| mark.0 += 1);
        for (mark, tagged) in query.iter(&world) {
            assert!(mark.0 > 0 && tagged);
        }
    });
    assert_eq!(calls, 0);
}
