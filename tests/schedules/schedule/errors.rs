//! Systems that fail, and what still runs then.

use std::sync::Mutex;

use strata_ecs::prelude::*;
use strata_ecs::schedule::{OnError, ScheduleError, SystemError};
use strata_ecs::system::ParamError;

use super::Set::{First, Second, Third};
use super::{schedule, step, take_steps, use_threads, world};

#[derive(Component)]
struct Made;
#[derive(Resource)]
struct Missing;

fn fail<const N: u32>(mut steps: ResMut<'_, super::Steps>) -> Result {
    steps.0.push(N);
    Err(format!("number {N} failed").into())
}

fn system_error(error: ScheduleError) -> SystemError {
    match error {
        ScheduleError::System(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_ordered_after_a_failing_system_does_not_run_and_the_rest_does() {
    let mut world = world();
    let mut schedule = schedule((
        (step::<0>, fail::<1>, step::<2>, step::<3>).chain(),
        step::<4>,
        step::<5>.after(First),
        (step::<6>, step::<7>.after(fail::<1>)).in_set(First),
        step::<8>.in_set(Second),
    ));
    schedule.configure_sets(Second.after(First));
    for threads in [1, 2, 4] {
        use_threads(&mut world, &mut schedule, threads);
        let error = system_error(schedule.try_run(&mut world).expect_err("a system failed"));
        assert!(error.to_string().contains("fail<1>") && error.to_string().contains("number 1 failed"), "{error}");
        assert_eq!(take_steps(&mut world), [0, 1, 4, 6]);
    }
}

#[test]
fn it_blocks_by_way_of_empty_sets_too() {
    let mut world = world();
    let mut schedule = schedule((fail::<0>.before(First), step::<1>.after(Third), step::<2>));
    schedule.configure_sets((First, Second, Third).chain());
    schedule.try_run(&mut world).expect_err("a system failed");
    assert_eq!(take_steps(&mut world), [0, 2]);
}

#[test]
fn a_handler_may_have_the_rest_run_all_the_same() {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut world = world();
    let mut schedule = schedule((fail::<0>, step::<1>, fail::<2>).chain());
    schedule.set_error_handler(|error| {
        TOLD.lock().expect("no panic poisons it").push(error.to_string());
        OnError::Continue
    });
    schedule.try_run(&mut world).expect("the errors have been dealt with");
    assert_eq!(take_steps(&mut world), [0, 1, 2]);
    let told = TOLD.lock().expect("no panic poisons it");
    assert!(told.len() == 2 && told[0].contains("number 0") && told[1].contains("number 2"), "{told:?}");
}

#[test]
fn the_error_names_the_system_and_the_schedule() {
    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Harvest;
    let mut schedule = Schedule::new(Harvest);
    schedule.add_systems(fail::<3>);
    let error = schedule.try_run(&mut world()).expect_err("a system failed").to_string();
    assert!(error.contains("fail<3>") && error.contains("`Harvest`") && error.contains("number 3 failed"), "{error}");
}

#[test]
fn a_missing_resource_is_an_error_of_the_system_and_of_a_condition() {
    fn needs(_: Res<'_, Missing>) {}
    fn asks(_: Res<'_, Missing>) -> bool {
        true
    }
    let mut world = world();
    let mut own = schedule((needs, step::<0>).chain());
    let error = system_error(own.try_run(&mut world).expect_err("there is no such resource"));
    assert!(error.error().is::<ParamError>() && error.to_string().contains("needs"), "{error}");
    let mut condition = schedule((step::<0>.run_if(asks), step::<1>.after(step::<0>), step::<2>));
    let error = system_error(condition.try_run(&mut world).expect_err("there is no such resource"));
    assert!(error.to_string().contains("asks"), "{error}");
    let mut set = schedule(((step::<3>, step::<4>).in_set(First), step::<5>.after(step::<4>), step::<6>));
    set.configure_sets(First.run_if(asks));
    set.try_run(&mut world).expect_err("there is no such resource");
    assert_eq!(take_steps(&mut world), [2, 6]);
    world.insert_resource(Missing);
    set.run(&mut world);
    assert_eq!(take_steps(&mut world), [3, 4, 5, 6]);
}

#[test]
fn the_commands_of_a_failing_system_are_applied() {
    fn half(mut commands: Commands<'_, '_>) -> Result {
        commands.spawn(Made);
        Err("half way".into())
    }
    let mut world = world();
    schedule(half).try_run(&mut world).expect_err("it failed");
    assert_eq!(world.len(), 1);
}

#[test]
fn the_first_error_is_that_of_the_first_system_whatever_the_threads() {
    /// Returns only when those after it have, if there are threads for that.
    fn late<const N: u32>(_: Commands<'_, '_>) -> Result {
        (0..1000 / (N + 1)).for_each(|_| std::thread::yield_now());
        Err(format!("number {N} failed").into())
    }
    let mut schedule = schedule((late::<0>, late::<1>, late::<2>, late::<3>));
    for threads in [1, 2, 4, 8] {
        let mut world = world();
        use_threads(&mut world, &mut schedule, threads);
        for _ in 0..10 {
            let error = system_error(schedule.try_run(&mut world).expect_err("they fail"));
            assert!(error.to_string().contains("number 0"), "{error}");
        }
    }
}

#[test]
fn a_system_whose_condition_fails_does_not_apply_what_it_recorded_in_a_run_that_broke_off() {
    fn spawn_and_panic(mut commands: Commands<'_, '_>, mut runs: Local<'_, u32>) {
        *runs += 1;
        commands.spawn(Made);
        assert!(*runs != 1, "the first run breaks off");
    }
    fn asks(_: Res<'_, Missing>) -> bool {
        true
    }
    let mut world = world();
    world.insert_resource(Missing);
    let mut schedule = schedule(spawn_and_panic.run_if(asks));
    strata_tests::panics::expect_panic(|| schedule.run(&mut world));
    assert!(world.is_empty());
    world.remove_resource::<Missing>();
    schedule.try_run(&mut world).expect_err("the condition cannot be asked");
    assert!(world.is_empty(), "what it recorded is not wanted any more");
    world.insert_resource(Missing);
    schedule.run(&mut world);
    assert_eq!(world.len(), 1);
}
