//! Schedules: systems in the order given, on one thread and on several.

mod ambiguities;
mod applying;
mod conditions;
mod deep;
mod deferred;
mod errors;
mod many_runs;
mod orders;
mod panics;
mod removal;
mod threads;

use std::fmt;
use std::sync::Arc;

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;
use strata_ecs::schedule::{MultiThreadedExecutor, ScheduleSystem, SingleThreadedExecutor};
use strata_tests::panics::expect_panic;

#[derive(Resource, Debug, PartialEq, Default)]
struct Log(Vec<&'static str>);
#[derive(Component, Debug, PartialEq)]
struct A(u32);

fn one(mut log: ResMut<'_, Log>) {
    log.0.push("one");
}
fn two(mut log: ResMut<'_, Log>) {
    log.0.push("two");
}
fn three(world: &mut World) {
    world.resource_mut::<Log>().0.push("three");
}
#[system]
fn four(mut log: ResMut<'_, Log>) {
    log.0.push("four");
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.init_resource::<Steps>();
    world
}

/// The numbers of the systems that have run.
#[derive(Resource, Debug, Default)]
struct Steps(Vec<u32>);

/// A system that notes its number.
fn step<const N: u32>(mut steps: ResMut<'_, Steps>) {
    steps.0.push(N);
}

fn take_steps(world: &mut World) -> Vec<u32> {
    std::mem::take(&mut world.resource_mut::<Steps>().0)
}

/// A schedule of systems; it says what is wrong with it when it is built.
fn schedule<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems);
    schedule
}

/// The numbers of the systems in the order in which they run.
fn order<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Vec<u32> {
    run(&mut schedule(systems))
}

fn run(schedule: &mut Schedule) -> Vec<u32> {
    let mut world = world();
    schedule.run(&mut world);
    take_steps(&mut world)
}

#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Set {
    First,
    Second,
    Third,
    Fourth,
}

/// Lets a schedule run parallel systems on this number of threads; with one thread, they run in order.
fn use_threads(world: &mut World, schedule: &mut Schedule, threads: usize) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
    if threads == 1 {
        schedule.set_executor(SingleThreadedExecutor::new());
    } else {
        schedule.set_executor(MultiThreadedExecutor::eager());
    }
}

#[test]
fn systems_run_in_the_order_given() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(two).add_systems((three, one)).add_systems((four, (two, one).chain(), three).chain());
    assert_eq!(schedule.systems_len(), 7);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Log>().0, ["two", "three", "one", "four", "two", "one", "three"]);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Log>().0.len(), 14);
}

#[test]
fn an_empty_schedule_runs() {
    let mut world = world();
    Schedule::default().run(&mut world);
    Schedule::default().try_run(&mut world).expect("nothing can fail");
    assert!(world.resource::<Log>().0.is_empty());
}

#[test]
fn a_system_sees_what_the_commands_of_one_before_it_did() {
    fn spawn(mut commands: Commands<'_, '_>) {
        commands.spawn(A(1));
    }
    fn count(all: Query<'_, '_, &A>, mut log: ResMut<'_, Log>) {
        log.0.push(if all.is_empty() { "none" } else { "some" });
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((count, spawn, count).chain());
    schedule.run(&mut world);
    assert_eq!(world.resource::<Log>().0, ["none", "some"]);
}

#[test]
fn a_failing_system_is_named_and_the_world_stays_usable() {
    #[derive(Debug)]
    struct TooFew;
    impl fmt::Display for TooFew {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("there are too few apples")
        }
    }
    impl std::error::Error for TooFew {}
    fn harvest(all: Query<'_, '_, &A>) -> Result {
        if all.count() < 3 {
            return Err(TooFew.into());
        }
        Ok(())
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((one, harvest));
    let error = schedule.try_run(&mut world).expect_err("there are no apples");
    let text = error.to_string();
    assert!(text.contains("harvest"), "{text}");
    assert!(text.contains("too few apples"), "{text}");
    let text = expect_panic(|| schedule.run(&mut world));
    assert!(text.contains("harvest") && text.contains("too few apples"), "{text}");
    world.spawn_batch((0..3).map(A));
    schedule.try_run(&mut world).expect("there are apples now");
    assert_eq!(world.resource::<Log>().0, ["one", "one", "one"]);
    world.check_invariants();
}

#[test]
fn the_question_mark_works_in_systems() {
    fn parse(mut log: ResMut<'_, Log>) -> Result {
        let value: u32 = "12".parse()?;
        if value == 12 {
            log.0.push("parsed");
        }
        let _: u32 = "twelve".parse()?;
        log.0.push("unreachable");
        Ok(())
    }
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(parse);
    let error = schedule.try_run(&mut world).expect_err("twelve is no number");
    assert!(error.to_string().contains("invalid digit"), "{error}");
    assert_eq!(world.resource::<Log>().0, ["parsed"]);
}

#[test]
fn one_schedule_may_run_on_several_worlds() {
    fn count(all: Query<'_, '_, &A>, mut log: ResMut<'_, Log>) {
        log.0.push(if all.count() == 2 { "two" } else { "other" });
    }
    let mut schedule = Schedule::default();
    schedule.add_systems(count);
    let mut first = world();
    first.spawn_batch((0..2).map(A));
    let mut second = world();
    second.spawn((A(1), A2));
    schedule.run(&mut first);
    let outcome = strata_tests::panics::catch(|| schedule.run(&mut second));
    // Either the schedule adapts, or it says that it belongs to another world: never a wrong answer.
    match outcome {
        Ok(()) => assert_eq!(second.resource::<Log>().0, ["other"]),
        Err(text) => assert!(text.contains("world"), "{text}"),
    }
    assert_eq!(first.resource::<Log>().0, ["two"]);
    first.check_invariants();
    second.check_invariants();
}

#[derive(Component)]
struct A2;

#[test]
fn more_systems_than_a_tuple_holds_are_added_by_nesting() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((
        (one, one, one, one, one, one, one, one),
        (two, two, two, two, two, two, two, two),
        (four, four, (three, three)),
    ));
    assert_eq!(schedule.systems_len(), 20);
    schedule.run(&mut world);
    let log = &world.resource::<Log>().0;
    assert_eq!(log.len(), 20);
    assert!(log[..8].iter().all(|name| *name == "one"));
    assert_eq!(log[16..], ["four", "four", "three", "three"]);
}
