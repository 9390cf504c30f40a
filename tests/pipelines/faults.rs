//! Failures in a pipeline, and pipelines of which some systems do not run.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{MultiThreadedExecutor, OnError, Pipelining, SingleThreadedExecutor, SystemOutcome};
use strata_tests::panics::expect_panic;
use strata_tests::process;

use super::fusion::{Visits, X, Y, Z, first, fused, schedule, second, spawn, third};
use super::random::pool;

/// In which row a system panics, and which one it is.
#[derive(Resource, Default)]
struct Broken(Option<(u8, u64)>);

#[derive(Resource)]
struct Missing(u64);

#[derive(Component)]
struct Made;

macro_rules! steps {
    ($($(#[$option:meta])* $name:ident: $number:literal),*) => {
        $($(#[$option])*
        fn $name(x: &X, y: &mut Y, broken: Res<Broken>) {
            assert!(broken.0 != Some(($number, x.0)), "out of order");
            y.0 += 1;
        })*
    };
}

steps!(
    #[system] one: 1, #[system] two: 2, #[system] three: 3,
    #[system(par)] par_one: 1, #[system(par)] par_two: 2, #[system(par)] par_three: 3
);

fn make(mut commands: Commands<'_, '_>) {
    commands.spawn(Made);
}

#[system]
fn mark(x: &X, entity: Entity, mut commands: Commands) {
    if x.0 == 3 {
        commands.entity(entity).insert(Z(1));
    }
}

fn use_threads(world: &mut World, schedule: &mut Schedule, threads: usize) {
    world.set_thread_pool(pool(threads));
    match threads {
        1 => schedule.set_executor(SingleThreadedExecutor::new()),
        _ => schedule.set_executor(MultiThreadedExecutor::eager()),
    };
}

#[test]
fn after_a_panic_everything_can_go_on() {
    for threads in [1, 2, 4] {
        for (is_par, system) in [(false, 1), (false, 2), (false, 3), (true, 1), (true, 2), (true, 3)] {
            let mut world = World::new();
            spawn(&mut world, 500);
            world.insert_resource(Broken(Some((system, 130))));
            let mut schedule = match is_par {
                false => schedule((make, mark, one, two, three).chain_ignore_deferred()),
                true => schedule((make, par_one, par_two, par_three).chain_ignore_deferred()),
            };
            use_threads(&mut world, &mut schedule, threads);
            for run in 1..4 {
                let text = expect_panic(|| schedule.run(&mut world));
                assert!(text.contains("out of order"), "{text}");
                assert_eq!(fused(&schedule).len(), 1);
                world.check_invariants();
                // Commands that were recorded before the pipeline are applied; commands that were recorded in it are not.
                assert_eq!(world.query::<&Made>().iter(&world).count(), run);
                assert_eq!(world.query::<&Z>().iter(&world).count(), 0);
            }
            let broken = world.query::<(&X, &Y)>().iter(&world).find(|(x, _)| x.0 == 130).map(|(_, y)| y.0);
            assert_eq!(
                broken,
                Some(3 * (u64::from(system) - 1)),
                "the systems before it came to the row, and none after it"
            );
            world.resource_mut::<Broken>().0 = None;
            world.query::<&mut Y>().iter_mut(&mut world).for_each(|mut y| y.0 = 0);
            schedule.run(&mut world);
            world.check_invariants();
            assert!(world.query::<&Y>().iter(&world).all(|y| y.0 == 3));
            assert_eq!(world.query::<&Z>().iter(&world).count(), usize::from(!is_par));
        }
    }
}

fn says_yes() -> bool {
    true
}

fn breaks() -> bool {
    panic!("out of order")
}

/// Runs a schedule that panics, on so many threads.
fn break_schedule(number: usize) {
    let mut world = World::new();
    spawn(&mut world, 300);
    let system = [2, 3, 1, 0, 0][number / 2 % 5];
    world.insert_resource(Broken((system != 0).then_some((system, 70))));
    let mut schedule = match number / 2 {
        0 => schedule((one, two, three).chain()),
        1 => schedule((par_one, par_two, par_three).chain()),
        2 => schedule((one.run_if(says_yes), two, three).chain()),
        3 => schedule((one, two.run_if(breaks), three).chain()),
        _ => schedule((one, two, need).chain()),
    };
    schedule.set_error_handler(|_| panic!("cannot be handled"));
    use_threads(&mut world, &mut schedule, 1 + number % 2 * 3);
    expect_panic(|| schedule.run(&mut world));
    assert_eq!(fused(&schedule)[0].len(), 3);
}

#[test]
fn the_system_that_panicked_is_named() {
    const NAME: &str = "faults::the_system_that_panicked_is_named";
    if let Some(number) = process::child_argument(NAME) {
        return break_schedule(number);
    }
    for (number, name) in ["two", "par_three", "one", "two", "need"].into_iter().enumerate() {
        for threads in 0..2 {
            let output = process::run_in_child_with(NAME, number * 2 + threads);
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{text}");
            let named: Vec<&str> = text.lines().filter(|line| line.ends_with("` panicked")).collect();
            assert!(named.len() == 1 && named[0].contains(&format!("::{name}`")), "{name} is not named: {text}");
        }
    }
}

#[system]
fn need(y: &mut Y, missing: Res<Missing>) {
    y.0 += missing.0;
}

#[system(par)]
fn par_need(y: &mut Y, missing: Res<Missing>) {
    y.0 += missing.0;
}

fn values_of_y(world: &mut World) -> Vec<u64> {
    let mut all: Vec<u64> = world.query::<&Y>().iter(world).map(|y| y.0).collect();
    all.dedup();
    all
}

#[test]
fn a_system_that_cannot_run_is_reported_and_blocks_those_after_it() {
    for threads in [1, 2] {
        for pipelining in [Pipelining::Never, Pipelining::Always] {
            let mut world = World::new();
            spawn(&mut world, 200);
            world.init_resource::<Broken>();
            // All three are in one pipeline, but only the last one comes after the one that fails.
            let mut schedule = schedule((one, need, two, three.after(need)));
            use_threads(&mut world, &mut schedule, threads);
            schedule.set_pipelining(pipelining);
            for run in 1..3 {
                let error = schedule.try_run(&mut world).expect_err("a resource is missing").to_string();
                assert!(error.contains("need") && error.contains("Missing"), "{error}");
                assert_eq!(values_of_y(&mut world), [run * 2]);
                let report = schedule.report(&world);
                let outcome = |at: usize| report.systems()[at].outcome().clone();
                assert_eq!((outcome(0), outcome(2)), (SystemOutcome::Ran, SystemOutcome::Ran));
                assert!(matches!(outcome(1), SystemOutcome::Failed { .. }));
                assert!(matches!(outcome(3), SystemOutcome::Blocked { by } if by.ends_with("need")));
            }
            assert_eq!(
                fused(&schedule).iter().map(Vec::len).collect::<Vec<_>>(),
                match pipelining {
                    Pipelining::Always => vec![4],
                    _ => vec![],
                }
            );
            world.insert_resource(Missing(10));
            schedule.run(&mut world);
            assert_eq!(values_of_y(&mut world), [2 * 2 + 13]);
        }
    }
}

#[test]
fn the_handler_may_let_the_others_go_on() {
    for threads in [1, 2] {
        let mut world = World::new();
        spawn(&mut world, 200);
        world.init_resource::<Broken>();
        let mut schedule = schedule((par_one, par_need, par_two).chain());
        use_threads(&mut world, &mut schedule, threads);
        schedule.set_error_handler(|_| OnError::Continue);
        schedule.run(&mut world);
        assert_eq!(fused(&schedule), [["par_one", "par_need", "par_two"]]);
        assert_eq!(values_of_y(&mut world), [2]);
    }
}

#[test]
fn a_system_whose_condition_does_not_hold_is_left_out() {
    for skipped in 0..3 {
        let mut world = World::new();
        spawn(&mut world, 150);
        let is = move |number| move || number != skipped;
        let mut schedule = schedule((first.run_if(is(0)), second.run_if(is(1)), third.run_if(is(2))).chain());
        schedule.run(&mut world);
        assert_eq!(fused(&schedule).len(), 1);
        let names = ["first", "second", "third"];
        let visits = world.resource::<Visits>().take();
        for (number, name) in names.into_iter().enumerate() {
            let rows: Vec<u64> = visits.iter().filter(|(system, _)| *system == name).map(|(_, row)| *row).collect();
            assert_eq!(rows, if number == skipped { Vec::new() } else { (0..150).collect::<Vec<_>>() });
        }
        let report = schedule.report(&world);
        assert!(matches!(report.systems()[skipped].outcome(), SystemOutcome::ConditionUnmet { .. }));
    }
}

#[test]
fn a_pipeline_of_which_no_system_runs_does_nothing() {
    let mut world = World::new();
    spawn(&mut world, 150);
    let mut schedule = schedule((first.run_if(|| false), second.run_if(|| false)).chain());
    schedule.run(&mut world);
    assert_eq!(fused(&schedule).len(), 1);
    assert!(world.resource::<Visits>().take().is_empty());
}

#[system]
fn by_the_only_one(y: &mut Y, only: Single<&Z>) {
    y.0 += only.0;
}

#[system]
fn by_some(y: &mut Y, some: Populated<&Z>) {
    y.0 += 10 * some.iter().map(|z| z.0).sum::<u64>();
}

#[test]
fn a_system_with_nothing_to_do_is_left_out() {
    let mut world = World::new();
    spawn(&mut world, 150);
    world.init_resource::<Broken>();
    let mut schedule = schedule((one, by_the_only_one, by_some, two).chain());
    schedule.run(&mut world);
    assert_eq!(fused(&schedule), [["one", "by_the_only_one", "by_some", "two"]]);
    assert_eq!(values_of_y(&mut world), [2]);
    assert_eq!(
        schedule.report(&world).systems()[1].outcome().to_string(),
        "skipped: no entity matches the `Single` of parameter `only`"
    );
    world.spawn(Z(100));
    schedule.run(&mut world);
    assert_eq!(values_of_y(&mut world), [2 + 1102]);
    world.spawn(Z(200));
    schedule.run(&mut world);
    assert_eq!(values_of_y(&mut world), [1104 + 3002]);
}
