//! Commands of several systems that are applied together, if something panics.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

use super::{schedule, step, take_steps, use_threads, world};

#[derive(Component)]
struct Made;

fn make(mut commands: Commands<'_, '_>) {
    commands.spawn(Made);
}

fn promise(mut commands: Commands<'_, '_>) {
    let id = commands.spawn(Made).id();
    commands.entity(id).insert(Made);
}

#[derive(Resource)]
struct Broken(bool);

fn record_panic(broken: Res<'_, Broken>, mut commands: Commands<'_, '_>) {
    let broken = broken.0;
    _ = commands.spawn(Made).id();
    commands.queue(move |_: &mut World| assert!(!broken, "the first command"));
    _ = commands.spawn(Made).id();
}

fn record_later_panic(broken: Res<'_, Broken>, mut commands: Commands<'_, '_>) {
    let broken = broken.0;
    commands.queue(move |_: &mut World| assert!(!broken, "the second command"));
}

/// No thread is harmed by dropping it.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::panic_any(());
        }
    }
}

fn record_bomb(broken: Res<'_, Broken>, mut commands: Commands<'_, '_>) {
    let broken = broken.0;
    commands.queue(move |_: &mut World| {
        if broken {
            std::panic::panic_any(Bomb);
        }
    });
}

#[test]
fn hazard_12_a_command_that_panics_does_not_keep_those_of_other_systems() {
    let mut schedule = schedule((make, record_panic, promise, record_later_panic, record_bomb, make, step::<0>));
    for threads in [1, 4] {
        let mut world = world();
        world.insert_resource(Broken(true));
        use_threads(&mut world, &mut schedule, threads);
        let text = expect_panic(|| schedule.run(&mut world));
        assert!(text.contains("the first command"), "{text}");
        world.check_invariants();
        assert_eq!(world.query::<&Made>().count(&world), 4);
        assert_eq!(world.len(), 5, "an id that was given out is an entity");
        assert_eq!(take_steps(&mut world), [0]);
        world.resource_mut::<Broken>().0 = false;
        schedule.run(&mut world);
        assert_eq!(world.query::<&Made>().count(&world), 4 + 5);
        world.check_invariants();
    }
}

#[test]
fn hazard_12_commands_are_applied_though_a_stage_before_and_a_command_panic() {
    fn break_down(broken: Res<'_, Broken>) {
        assert!(!broken.0, "the system");
    }
    let mut schedule = schedule((make, record_panic, promise, break_down).chain_ignore_deferred());
    for threads in [1, 4] {
        let mut world = world();
        world.insert_resource(Broken(true));
        use_threads(&mut world, &mut schedule, threads);
        assert!(expect_panic(|| schedule.run(&mut world)).contains("the system"));
        world.check_invariants();
        assert_eq!(world.query::<&Made>().count(&world), 3);
    }
}

#[test]
fn hazard_12_the_second_system_of_a_pipe_is_another_system() {
    let second = |In(()): In<()>, commands: Commands<'_, '_>| make(commands);
    let mut schedule = schedule((record_panic.pipe(second), make));
    let mut world = world();
    world.insert_resource(Broken(true));
    assert!(expect_panic(|| schedule.run(&mut world)).contains("the first command"));
    world.check_invariants();
    assert_eq!(world.query::<&Made>().count(&world), 3);
    let alone = record_panic.pipe(second);
    assert!(expect_panic(|| world.run_system_once(alone)).contains("the first command"));
    world.check_invariants();
    assert_eq!(world.query::<&Made>().count(&world), 5);
}

static SHY: AtomicBool = AtomicBool::new(false);

/// A set whose name panics.
#[derive(SystemSet, Clone, PartialEq, Eq, Hash)]
struct Shy;

impl fmt::Debug for Shy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert!(!SHY.load(Relaxed), "the name");
        f.write_str("Shy")
    }
}

#[test]
fn a_name_that_panics_while_a_panic_is_told_of_costs_no_commands() {
    let condition = |broken: Res<'_, Broken>| !broken.0 || panic!("the condition");
    let mut schedule = schedule((make, promise, step::<0>.in_set(Shy)));
    schedule.configure_sets(Shy.run_if(condition));
    let mut world = world();
    world.insert_resource(Broken(true));
    SHY.store(true, Relaxed);
    let text = expect_panic(|| schedule.run(&mut world));
    SHY.store(false, Relaxed);
    assert!(text.contains("the condition"), "{text}");
    world.check_invariants();
    assert_eq!(world.query::<&Made>().count(&world), 2);
}

/// An error whose text panics.
#[derive(Debug)]
struct Shameful;

impl fmt::Display for Shameful {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("the text")
    }
}

impl std::error::Error for Shameful {}

#[test]
fn an_error_whose_text_panics_leaves_the_schedule_as_it_was() {
    fn fail(mut commands: Commands<'_, '_>) -> Result {
        commands.spawn(Made);
        Err(Shameful.into())
    }
    let mut schedule = schedule((make, fail, step::<0>));
    schedule.set_profiling(true);
    for threads in [1, 4] {
        let mut world = world();
        use_threads(&mut world, &mut schedule, threads);
        for run in 1..4 {
            let text = expect_panic(|| schedule.try_run(&mut world).is_ok());
            assert!(text.contains("the text"), "{text}");
            world.check_invariants();
            assert_eq!((world.len(), take_steps(&mut world)), (2 * run, vec![0]));
        }
    }
}
