//! Runs of one schedule, again and again: some of them are measured, and most of the others take a shorter way.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{MultiThreadedExecutor, ScheduleError, SingleThreadedExecutor, SystemOutcome};
use strata_tests::panics::expect_panic;

/// More runs than lie between two that are measured.
const RUNS: u32 = 140;

#[derive(Component)]
struct Health(u32);

#[derive(Resource, Default)]
struct Seen {
    run: u32,
    first: u32,
    second: u32,
}

/// The run in which something happens.
#[derive(Resource)]
struct At(u32);

fn begin(mut seen: ResMut<'_, Seen>) {
    seen.run += 1;
}

fn first(mut seen: ResMut<'_, Seen>, at: Res<'_, At>) -> Result {
    if seen.run == at.0 {
        return Err("not this time".into());
    }
    seen.first += 1;
    Ok(())
}

fn panics(mut seen: ResMut<'_, Seen>, at: Res<'_, At>) {
    assert!(seen.run != at.0, "not this time");
    seen.first += 1;
}

fn second(mut seen: ResMut<'_, Seen>) {
    seen.second += 1;
}

fn world(at: u32) -> World {
    let mut world = World::new();
    world.init_resource::<Seen>();
    world.insert_resource(At(at));
    world
}

fn schedules() -> [Schedule; 2] {
    [true, false].map(|parallel| {
        let mut schedule = Schedule::default();
        if parallel {
            schedule.set_executor(MultiThreadedExecutor::new());
        } else {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
        schedule
    })
}

#[test]
fn an_error_in_any_run_is_returned_and_reported_and_blocks_what_comes_after_it() {
    for at in (1..20).chain([63, 64, 65, 66, 67, 100, 128, 129, 130]) {
        for mut schedule in schedules() {
            let mut world = world(at);
            schedule.add_systems((begin, first, second).chain());
            for run in 1..=RUNS {
                let done = schedule.try_run(&mut world);
                let report = schedule.report(&world);
                assert_eq!(report.runs(), u64::from(run));
                let outcome = |system: usize| report.systems()[system].outcome();
                if run == at {
                    assert!(matches!(done, Err(ScheduleError::System(_))), "run {run}: {done:?}");
                    assert!(matches!(outcome(1), SystemOutcome::Failed { .. }), "run {run}: {:?}", outcome(1));
                } else {
                    assert!(done.is_ok(), "run {run}: {done:?}");
                    assert!(matches!(outcome(1), SystemOutcome::Ran), "run {run}: {:?}", outcome(1));
                }
                let seen = world.resource::<Seen>();
                let without_error = run - u32::from(run >= at);
                assert_eq!((seen.run, seen.first, seen.second), (run, without_error, without_error));
            }
        }
    }
}

#[test]
fn a_panic_in_any_run_leaves_the_schedule_and_the_world_as_they_were() {
    for at in (1..20).chain([63, 64, 65, 66, 67, 100]) {
        for mut schedule in schedules() {
            let mut world = world(at);
            schedule.add_systems((begin, panics, second).chain());
            for run in 1..=RUNS {
                if run == at {
                    expect_panic(|| schedule.run(&mut world));
                } else {
                    schedule.run(&mut world);
                }
                let seen = world.resource::<Seen>();
                let without_panic = run - u32::from(run >= at);
                assert_eq!((seen.run, seen.first, seen.second), (run, without_panic, without_panic));
                // A frame that begins after a run is not part of the run.
                assert_eq!(world.frame_number(), u64::from(run - 1));
            }
        }
    }
}

#[test]
fn each_run_sees_the_changes_since_the_run_before() {
    fn count(changed: Query<'_, '_, &Health, Changed<Health>>, mut seen: ResMut<'_, Seen>) {
        seen.first += changed.iter().map(|health| health.0).sum::<u32>();
    }
    for mut schedule in schedules() {
        let mut world = world(0);
        let ids: Vec<Entity> = (0..3).map(|_| world.spawn(Health(1)).id()).collect();
        schedule.add_systems(count);
        schedule.run(&mut world);
        for run in 0..RUNS {
            let before = world.resource::<Seen>().first;
            world.get_mut::<Health>(ids[run as usize % 3]).unwrap().0 = run;
            schedule.run(&mut world);
            assert_eq!(world.resource::<Seen>().first - before, run);
        }
    }
}

#[test]
fn a_schedule_that_is_run_on_two_worlds_in_turns_runs_on_each() {
    for mut schedule in schedules() {
        let (mut one, mut other) = (world(0), world(0));
        schedule.add_systems((begin, second));
        for run in 1..=RUNS {
            // Not every other time: the schedule is to have run several times on one world.
            schedule.run(if run % 10 == 0 { &mut other } else { &mut one });
            let all = one.resource::<Seen>().second + other.resource::<Seen>().second;
            assert_eq!((other.resource::<Seen>().run, all), (run / 10, run));
        }
    }
}

#[test]
fn a_run_after_a_setting_has_changed_heeds_it() {
    for change_at in 1..40 {
        let [mut schedule, _] = schedules();
        let mut world = world(0);
        schedule.add_systems((begin, second));
        (0..change_at).for_each(|_| schedule.run(&mut world));
        let measured =
            |schedule: &Schedule, world: &World| schedule.report(world).timing().map_or(0, |timing| timing.runs());
        let before = measured(&schedule, &world);
        schedule.set_profiling(true);
        (0..3).for_each(|_| schedule.run(&mut world));
        assert_eq!(measured(&schedule, &world), before + 3, "after {change_at} runs");
        schedule.set_profiling(false).set_executor(SingleThreadedExecutor::new());
        schedule.add_systems(first);
        schedule.run(&mut world);
        assert_eq!(world.resource::<Seen>().first, 1);
        assert_eq!(world.resource::<Seen>().run, change_at + 4);
    }
}
