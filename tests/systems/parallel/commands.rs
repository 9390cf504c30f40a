//! `ParallelCommands`: commands from the threads of a loop.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::prelude::*;

use super::{Number, THREADS, Tag, use_threads};

const COUNT: u64 = 5_000;

#[derive(Component)]
struct Copied(Entity, u64);

#[derive(SystemParam)]
struct Marker<'w, 's> {
    commands: ParallelCommands<'w, 's>,
}

fn world_on(threads: usize) -> World {
    let mut world = World::new();
    use_threads(&mut world, threads);
    world.spawn_batch((0..COUNT).map(Number)).for_each(drop);
    world
}

#[test]
fn commands_of_all_threads_are_applied() {
    fn work(all: Query<'_, '_, (Entity, &Number)>, commands: ParallelCommands<'_, '_>) {
        all.par_iter().for_each(|(entity, number)| {
            commands.command_scope(|mut commands| match number.0 % 3 {
                0 => commands.entity(entity).despawn(),
                1 => _ = commands.entity(entity).insert(Tag),
                _ => {
                    let copy = commands.spawn_empty().id();
                    commands.entity(copy).insert(Copied(entity, number.0));
                }
            });
        });
    }
    for threads in THREADS {
        let mut world = world_on(threads);
        let mut schedule = Schedule::default();
        schedule.add_systems(work);
        schedule.run(&mut world);
        let mut left: Vec<u64> = world.query::<&Number>().iter(&world).map(|number| number.0).collect();
        left.sort_unstable();
        assert!(left.into_iter().eq((0..COUNT).filter(|n| n % 3 != 0)));
        assert!(world.query_filtered::<&Number, With<Tag>>().iter(&world).all(|number| number.0 % 3 == 1));
        let mut copied = Vec::new();
        for copy in world.query::<&Copied>().iter(&world) {
            assert_eq!(world.get(copy.0), Some(&Number(copy.1)));
            copied.push(copy.1);
        }
        copied.sort_unstable();
        assert!(copied.into_iter().eq((0..COUNT).filter(|n| n % 3 == 2)));
        world.check_invariants();
    }
}

#[test]
fn commands_of_one_thread_are_applied_in_the_order_of_recording() {
    fn work(all: Query<'_, '_, &Number>, marker: Marker<'_, '_>) {
        for number in &all {
            let number = Number(number.0 + COUNT);
            marker.commands.command_scope(|mut commands| _ = commands.spawn(number));
        }
    }
    let mut world = world_on(1);
    world.run_system_once(work).unwrap();
    let numbers: Vec<u64> = world.query::<&Number>().iter(&world).map(|number| number.0).collect();
    assert!(numbers.into_iter().eq(0..2 * COUNT));
}

#[test]
fn commands_of_a_loop_that_panics_are_dropped() {
    fn work(all: Query<'_, '_, (Entity, &Number)>, commands: ParallelCommands<'_, '_>, mut runs: Local<'_, u32>) {
        *runs += 1;
        let first = *runs == 1;
        all.par_iter().for_each(|(entity, number)| {
            commands.command_scope(|mut commands| commands.entity(entity).despawn());
            assert!(!first || number.0 != COUNT - 1, "the last one");
        });
    }
    let mut world = world_on(2);
    let mut schedule = Schedule::default();
    schedule.add_systems(work);
    let panic = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world)));
    assert!(panic.is_err());
    assert_eq!(world.len(), COUNT as usize);
    schedule.run(&mut world);
    assert_eq!(world.len(), 0);
}
