//! Systems that panic: on any thread, and what is left then.

use strata_ecs::prelude::*;
use strata_ecs::schedule::SingleThreadedExecutor;
use strata_tests::panics::expect_panic;
use strata_tests::process;

use super::Set::First;
use super::{schedule, step, take_steps, use_threads, world};

#[derive(Component)]
struct Made;
#[derive(Resource, Default)]
struct Broken(bool);

fn make(mut commands: Commands<'_, '_>) {
    commands.spawn(Made);
}

/// Records something first, which is lost.
fn break_down(broken: Res<'_, Broken>, mut commands: Commands<'_, '_>) {
    commands.spawn_batch((0..10).map(|_| Made));
    assert!(!broken.0, "out of order");
}

fn broken_world() -> World {
    let mut world = world();
    world.insert_resource(Broken(true));
    world
}

#[test]
fn hazard_10_commands_of_systems_that_have_finished_are_applied() {
    let mut schedule = schedule((make, make, break_down).chain_ignore_deferred());
    for threads in [1, 2, 4] {
        let mut world = broken_world();
        use_threads(&mut world, &mut schedule, threads);
        let text = expect_panic(|| schedule.run(&mut world));
        assert!(text.contains("out of order"), "{text}");
        world.check_invariants();
        assert_eq!(world.len(), 2);
        // Everything can go on, and what was recorded by the system that panicked does not come later.
        world.resource_mut::<Broken>().0 = false;
        schedule.run(&mut world);
        world.check_invariants();
        assert_eq!(world.len(), 2 + 12);
    }
}

#[test]
fn hazard_10_a_panic_beside_others_on_several_threads() {
    let systems = (make, make, make, break_down, make, make, step::<0>, step::<1>);
    let mut schedule = schedule(systems);
    for threads in [1, 2, 4, 8] {
        let mut world = broken_world();
        use_threads(&mut world, &mut schedule, threads);
        for _ in 0..20 {
            let text = expect_panic(|| schedule.run(&mut world));
            assert!(text.contains("out of order"), "{text}");
            world.check_invariants();
            // Some may not have run; those that have are complete.
            world.clear_entities();
        }
        take_steps(&mut world);
        world.resource_mut::<Broken>().0 = false;
        schedule.run(&mut world);
        assert_eq!((world.len(), take_steps(&mut world)), (15, vec![0, 1]));
    }
}

#[test]
fn hazard_10_several_that_panic_at_once() {
    let mut schedule = schedule((break_down, break_down, break_down, break_down, step::<0>));
    for threads in [2, 4] {
        let mut world = broken_world();
        use_threads(&mut world, &mut schedule, threads);
        for _ in 0..20 {
            assert!(expect_panic(|| schedule.run(&mut world)).contains("out of order"));
            assert!(world.is_empty());
            world.check_invariants();
        }
    }
}

#[test]
fn hazard_10_panics_with_values_whose_drop_panics() {
    /// Dropped somewhere, or never; at any rate nothing else happens.
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                // Without a size: it is never dropped, and nothing is lost with it.
                std::panic::panic_any(());
            }
        }
    }
    fn explode(broken: Res<'_, Broken>) {
        if broken.0 {
            std::panic::panic_any(Bomb);
        }
    }
    let mut schedule = schedule((explode, explode, explode, explode));
    for threads in [2, 4] {
        let mut world = broken_world();
        use_threads(&mut world, &mut schedule, threads);
        for _ in 0..10 {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| schedule.run(&mut world)));
            let payload = outcome.expect_err("a system panics");
            assert!(payload.is::<Bomb>());
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(payload))).expect_err("its drop panics");
        }
        world.resource_mut::<Broken>().0 = false;
        schedule.run(&mut world);
    }
}

#[test]
fn hazard_10_a_condition_an_exclusive_system_and_a_command_that_panic() {
    fn command(broken: Res<'_, Broken>, mut commands: Commands<'_, '_>) {
        let broken = broken.0;
        commands.queue(move |_: &mut World| assert!(!broken, "out of order"));
    }
    let condition = |broken: Res<'_, Broken>| {
        assert!(!broken.0, "out of order");
        true
    };
    let exclusive = |world: &mut World| {
        world.spawn(Made);
        assert!(!world.resource::<Broken>().0, "out of order");
    };
    for (mut schedule, all) in [
        (schedule((make, step::<0>.run_if(condition)).chain()), 1),
        (schedule((make, (step::<0>, step::<1>).run_if(condition)).chain()), 1),
        (schedule((make, exclusive).chain()), 2),
        (schedule((make, command, step::<0>).chain()), 1),
    ] {
        for threads in [1, 4] {
            let mut world = broken_world();
            use_threads(&mut world, &mut schedule, threads);
            assert!(expect_panic(|| schedule.run(&mut world)).contains("out of order"));
            assert_eq!(world.len(), all);
            world.check_invariants();
            world.resource_mut::<Broken>().0 = false;
            schedule.run(&mut world);
            assert_eq!(world.len(), 2 * all);
        }
    }
}

#[test]
fn ids_that_a_system_reserved_before_it_panicked_are_no_harm() {
    fn reserve_and_panic(broken: Res<'_, Broken>, mut commands: Commands<'_, '_>) {
        (0..200).for_each(|_| _ = commands.spawn(Made).id());
        assert!(!broken.0, "out of order");
    }
    let mut schedule = schedule((make, reserve_and_panic, make));
    for threads in [1, 4] {
        let mut world = broken_world();
        use_threads(&mut world, &mut schedule, threads);
        for _ in 0..3 {
            expect_panic(|| schedule.run(&mut world));
            world.check_invariants();
        }
        let made = world.query::<&Made>().count(&world);
        assert!(made <= 6, "{made} are more than the others can have made");
        world.resource_mut::<Broken>().0 = false;
        schedule.run(&mut world);
        world.check_invariants();
        assert_eq!(world.query::<&Made>().count(&world), made + 202);
    }
}

/// Runs one of some schedules that panic.
fn break_schedule(number: usize) {
    fn condition(broken: Res<'_, Broken>) -> bool {
        !broken.0 || panic!("out of order")
    }
    fn fail() -> Result {
        Err("it failed".into())
    }
    let (mut schedule, threads) = match number {
        0 => (schedule((make, step::<0>, break_down, step::<1>)), 1),
        1 => (schedule((make, step::<0>, break_down, step::<1>)), 4),
        2 => (schedule((make, step::<1>.in_set(First), step::<2>)), 1),
        _ => (schedule((make, fail, step::<1>, step::<2>)), 1),
    };
    schedule.configure_sets(First.run_if(condition));
    schedule.set_error_handler(|error| panic!("{error}"));
    let mut world = broken_world();
    use_threads(&mut world, &mut schedule, threads);
    expect_panic(|| schedule.run(&mut world));
}

#[test]
fn the_system_that_panicked_is_named() {
    const NAME: &str = "schedule::panics::the_system_that_panicked_is_named";
    if let Some(number) = process::child_argument(NAME) {
        return break_schedule(number);
    }
    for (number, name) in ["break_down", "break_down", "First", "fail"].into_iter().enumerate() {
        let output = process::run_in_child_with(NAME, number);
        let text = String::from_utf8_lossy(&output.stderr);
        let named: Vec<&str> = text.lines().filter(|line| line.ends_with("` panicked")).collect();
        assert!(named.len() == 1 && named[0].contains(&format!("{name}`")), "{name} is not named: {text}");
    }
}

#[test]
fn hazard_60_a_schedule_that_panicked_may_be_dropped_and_another_one_run() {
    let mut world = broken_world();
    let mut broken = schedule((make, break_down));
    expect_panic(|| broken.run(&mut world));
    drop(broken);
    schedule((make, step::<0>)).run(&mut world);
    world.check_invariants();
}

/// A system cannot run itself: a schedule that runs is borrowed. Taken out of the world while it runs, it is not there.
#[test]
fn hazard_60_a_schedule_that_is_kept_in_the_world_does_not_find_itself() {
    #[derive(Resource)]
    struct Kept(Schedule);
    fn again(world: &mut World) {
        let found = world.try_resource_scope(|world, mut kept: Mut<'_, Kept>| kept.0.run(world));
        assert!(found.is_none());
        world.resource_mut::<super::Steps>().0.push(1);
    }
    let mut world = world();
    world.insert_resource(Kept(schedule(again)));
    world.resource_scope(|world, mut kept: Mut<'_, Kept>| kept.0.run(world));
    assert_eq!(take_steps(&mut world), [1]);
}

#[test]
fn a_schedule_may_run_inside_another_one_on_the_same_threads() {
    let mut inner = schedule((make, make, step::<0>, make));
    let mut world = world();
    use_threads(&mut world, &mut inner, 4);
    let mut outer = schedule((make, (move |world: &mut World| inner.run(world)).in_set(First), make));
    use_threads(&mut world, &mut outer, 4);
    (0..5).for_each(|_| outer.run(&mut world));
    assert_eq!((world.len(), take_steps(&mut world)), (25, vec![0; 5]));
    world.check_invariants();
}

#[test]
fn an_exclusive_system_may_replace_the_world() {
    let restart = |world: &mut World| {
        let mut new = super::world();
        new.spawn(Made);
        *world = new;
    };
    fn count(all: Query<'_, '_, &Made>, mut steps: ResMut<'_, super::Steps>) {
        steps.0.push(all.count() as u32);
    }
    for threads in [1, 4] {
        let mut schedule = schedule((make, make, restart.in_set(First), (count, make).chain().after(First)));
        let mut world = world();
        use_threads(&mut world, &mut schedule, threads);
        for _ in 0..3 {
            // Commands that were recorded for the old world are lost with it.
            schedule.run(&mut world);
            world.check_invariants();
            assert_eq!(take_steps(&mut world), [1]);
            assert_eq!(world.len(), 2);
        }
    }
}

#[test]
fn a_command_may_replace_the_world() {
    fn restart(mut commands: Commands<'_, '_>) {
        commands.queue(|world: &mut World| {
            let mut new = super::world();
            new.spawn(Made);
            *world = new;
        });
    }
    fn despawn(all: Query<'_, '_, Entity, With<Made>>, mut commands: Commands<'_, '_>) {
        all.iter().for_each(|entity| commands.entity(entity).despawn());
    }
    fn count(all: Query<'_, '_, &Made>, mut steps: ResMut<'_, super::Steps>) {
        steps.0.push(all.count() as u32);
    }
    for threads in [1, 4] {
        let mut schedule = schedule(((make, restart, make, despawn).in_set(First), count.after(First)));
        let mut world = world();
        use_threads(&mut world, &mut schedule, threads);
        for _ in 0..3 {
            // Nothing that was recorded for the old world is done to the new one.
            schedule.run(&mut world);
            assert_eq!((take_steps(&mut world), world.len()), (vec![1], 1));
            world.check_invariants();
        }
    }
}

#[test]
fn an_exclusive_system_that_replaces_the_world_may_panic() {
    let restart = |world: &mut World| {
        *world = broken_world();
        assert!(!world.resource::<Broken>().0, "out of order");
    };
    fn record(mut all: Query<'_, '_, (Entity, &Made)>, mut commands: Commands<'_, '_>) {
        let new = commands.spawn(Made).id();
        commands.entity(new).insert(Made);
        all.iter_mut().for_each(|(entity, _)| commands.entity(entity).despawn());
    }
    let mut schedule = schedule((record, restart));
    schedule.set_executor(SingleThreadedExecutor::new());
    let mut world = world();
    world.spawn(Made);
    for _ in 0..2 {
        expect_panic(|| schedule.run(&mut world));
        world.check_invariants();
        // Commands that were recorded for the old world are not applied to the new one.
        assert!(world.is_empty());
        assert_eq!(world.take_command_errors().0, []);
        world.spawn(Made);
    }
}
