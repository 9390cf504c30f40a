//! Running programs: order, errors, exits.

use std::num::NonZeroU8;
use std::process::Termination as _;
use std::time::{Duration, Instant};

use strata_app::prelude::*;
use strata_ecs::schedule::SingleThreadedExecutor;

use crate::{Log, logging, note, noted, panic_of};

#[test]
fn schedules_run_in_their_order() {
    let mut app = logging();
    app.add_plugins((TimePlugin, StatesPlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Last, note("last"))
        .add_systems(PostUpdate, note("post update"))
        .add_systems(Update, note("update"))
        .add_systems(FixedLast, note("fixed last"))
        .add_systems(FixedPostUpdate, note("fixed post update"))
        .add_systems(FixedUpdate, note("fixed update"))
        .add_systems(FixedPreUpdate, note("fixed pre update"))
        .add_systems(FixedFirst, note("fixed first"))
        .add_systems(RunFixedMainLoop, note("after").in_set(RunFixedMainLoopSystems::AfterFixedMainLoop))
        .add_systems(RunFixedMainLoop, note("before").in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop))
        .add_systems(StateTransition, note("transitions"))
        .add_systems(PreUpdate, note("pre update"))
        .add_systems(First, note("first"))
        .add_systems(PostStartup, note("post startup"))
        .add_systems(Startup, note("startup"))
        .add_systems(PreStartup, note("pre startup"));
    app.update();
    let head =
        ["transitions", "pre startup", "startup", "post startup", "first", "pre update", "transitions", "before"];
    let tail = ["after", "update", "post update", "last"];
    assert_eq!(noted(&mut app), [&head[..], &tail].concat());
    app.update();
    let step = ["fixed first", "fixed pre update", "fixed update", "fixed post update", "fixed last"];
    assert_eq!(noted(&mut app), [&head[4..], &step, &tail].concat());
}

#[test]
fn the_order_can_be_changed() {
    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    enum Mine {
        BeforeUpdate,
        AfterUpdate,
        BeforeStartup,
        AfterStartup,
        AfterStep,
    }
    let mut app = logging();
    let mut order = app.world_mut().resource_mut::<MainScheduleOrder>();
    order.insert_before(Update, Mine::BeforeUpdate);
    order.insert_after(Update, Mine::AfterUpdate);
    order.insert_startup_before(Startup, Mine::BeforeStartup);
    order.insert_startup_after(Startup, Mine::AfterStartup);
    app.world_mut().resource_mut::<FixedMainScheduleOrder>().insert_after(FixedUpdate, Mine::AfterStep);
    app.add_systems(Mine::AfterUpdate, note("after update"))
        .add_systems(Mine::BeforeUpdate, note("before update"))
        .add_systems(Mine::AfterStartup, note("after startup"))
        .add_systems(Mine::BeforeStartup, note("before startup"))
        .add_systems(Mine::AfterStep, note("after step"))
        .add_systems(FixedUpdate, note("step"))
        .add_systems(Startup, note("startup"))
        .add_systems(Update, note("update"));
    app.update();
    let startup = ["before startup", "startup", "after startup"];
    assert_eq!(noted(&mut app), [&startup[..], &["before update", "update", "after update"]].concat());
    app.world_mut().run_schedule(FixedMain);
    assert_eq!(noted(&mut app), ["step", "after step"]);
    let mut order = app.world_mut().resource_mut::<MainScheduleOrder>();
    let message = panic_of(|| order.insert_after(Mine::AfterStep, Mine::AfterStep));
    assert!(message.starts_with("schedule `AfterStep` is not in this order, which is [First, "), "{message}");
}

#[test]
fn schedules_that_do_not_exist_are_passed_over() {
    let mut app = logging();
    app.world_mut().resource_mut::<Schedules>().remove(RunFixedMainLoop);
    app.add_systems(Last, note("last")).update();
    assert_eq!(noted(&mut app), ["last"]);
    let mut app = App::empty();
    app.update();
    assert_eq!(app.world().frame_number(), 1);
}

#[test]
fn an_update_is_a_frame_of_the_world() {
    #[derive(Resource, Default)]
    struct Frames(Vec<u64>);
    fn frame(world: &mut World) {
        let number = world.frame_number();
        world.resource_mut::<Frames>().0.push(number);
    }
    let mut app = App::new();
    app.init_resource::<Frames>()
        .add_plugins(TimePlugin)
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(2))
        .add_systems(First, frame)
        .add_systems(FixedUpdate, frame)
        .add_systems(Last, frame);
    (0..3).for_each(|_| app.update());
    assert_eq!(app.world().resource::<Frames>().0, [0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
}

fn fails() -> Result {
    Err("no such file".into())
}

#[test]
fn the_error_of_a_system_ends_the_frame() {
    let mut app = logging();
    app.add_systems(Update, fails).add_systems(Last, note("last"));
    let error = app.try_update().unwrap_err();
    assert_eq!(error.label(), Main.intern());
    let text = error.to_string();
    assert!(text.contains("schedule `Update`: ") && text.contains("fails") && text.ends_with("no such file"), "{text}");
    assert!(noted(&mut app).is_empty());
    assert!(panic_of(|| app.update()).ends_with("no such file"));
    assert_eq!(app.world().frame_number(), 2);
    // The program goes on.
    app.world_mut().resource_mut::<Schedules>().remove(Update);
    app.update();
    assert_eq!(noted(&mut app), ["last"]);
}

#[test]
fn the_error_of_a_system_names_it_and_its_schedule_once() {
    let mut app = App::new();
    app.add_systems(Update, fails);
    let text = panic_of(|| app.update());
    assert!(text.starts_with("schedule `Update`: system `") && text.ends_with("fails` failed: no such file"), "{text}");
    assert!(!text.contains("Main") && text.matches("schedule").count() == 1, "{text}");
}

#[test]
fn the_error_handler_of_an_app_gets_the_errors_and_the_frame_goes_on() {
    use std::cell::RefCell;
    thread_local! {
        static HANDLED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }
    let mut app = logging();
    app.set_error_handler(|error, context| HANDLED.with_borrow_mut(|all| all.push(format!("{context}: {error}"))));
    app.add_systems(Update, fails).add_systems(Last, note("last"));
    app.world_mut().commands().entity(Entity::PLACEHOLDER).despawn();
    app.world_mut().flush();
    app.update();
    assert_eq!(noted(&mut app), ["last"]);
    let handled = HANDLED.take();
    assert_eq!(handled.len(), 2, "{handled:?}");
    assert!(handled[0].starts_with("command `despawn` failed: "), "{handled:?}");
    assert!(handled[1].ends_with("fails` of schedule `Update` failed: no such file"), "{handled:?}");
}

#[test]
fn the_error_of_a_step_leaves_the_time_of_the_frame() {
    let mut app = App::new();
    app.add_plugins(TimePlugin).insert_resource(TimeUpdateStrategy::FixedTimesteps(3)).add_systems(FixedUpdate, fails);
    app.update();
    assert!(app.try_update().unwrap_err().to_string().ends_with("no such file"));
    let step = Time::<Fixed>::default().timestep();
    assert_eq!(app.world().resource::<Time>().delta(), step * 3);
    assert_eq!(app.world().resource::<Time<Fixed>>().overstep(), step * 2);
}

#[test]
fn a_panic_in_a_step_leaves_a_program_that_runs() {
    fn breaks(mut steps: Local<'_, u32>) {
        *steps += 1;
        assert!(*steps != 2, "in the step");
    }
    let mut app = logging();
    app.add_plugins(TimePlugin)
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(2))
        .add_systems(FixedUpdate, (note("step"), breaks).chain())
        .add_systems(Update, note("update"));
    app.update();
    assert_eq!(noted(&mut app), ["update"]);
    assert!(panic_of(|| app.update()).contains("in the step"));
    assert_eq!(noted(&mut app), ["step", "step"]);
    app.update();
    assert_eq!(noted(&mut app), ["step", "step", "update"]);
    assert_eq!(app.world().resource::<Time>().elapsed(), Time::<Fixed>::default().timestep() * 4);
    assert_eq!(app.world().frame_number(), 3);
}

#[test]
fn a_system_may_put_another_world_in_the_place_of_this_one() {
    #[derive(Resource, Default)]
    struct Other(Option<World>);
    fn exchange(world: &mut World) {
        if let Some(mut other) = world.resource_mut::<Other>().0.take() {
            std::mem::swap(world, &mut other);
            world.insert_resource(Other(Some(other)));
        }
    }
    let mut loaded = logging();
    loaded.add_systems(Update, note("loaded"));
    let mut app = logging();
    app.insert_resource(Other(Some(std::mem::take(loaded.world_mut()))))
        .add_systems(Update, (note("first"), exchange).chain())
        .add_systems(Last, note("last of the first"));
    app.update();
    app.update();
    assert_eq!(noted(&mut app), ["loaded"]);
    // The first one is whole, with its schedules.
    let mut first =
        app.world_mut().remove_resource::<Other>().and_then(|mut other| other.0.take()).expect("the first one");
    std::mem::swap(app.world_mut(), &mut first);
    assert_eq!(noted(&mut app), ["first"]);
    app.update();
    assert_eq!(noted(&mut app), ["first", "last of the first"]);
    // One without schedules has nothing to run.
    *app.world_mut() = World::new();
    assert!(app.try_update().unwrap_err().to_string().starts_with("schedule `Main` does not exist"));
}

#[test]
fn startup_runs_once_even_if_it_fails() {
    let mut app = logging();
    app.add_systems(Startup, (note("startup"), fails).chain()).add_systems(Update, note("update"));
    assert!(app.try_update().is_err());
    app.update();
    assert_eq!(noted(&mut app), ["startup", "update"]);
}

/// Ends the program in the frame with this number, with these codes.
fn exit_in(
    frame: u32,
    codes: &'static [u8],
) -> impl FnMut(Local<'_, u32>, MessageWriter<'_, AppExit>, ResMut<'_, Log>) {
    move |mut frames: Local<'_, u32>, mut exits: MessageWriter<'_, AppExit>, mut log: ResMut<'_, Log>| {
        *frames += 1;
        log.0.push(format!("frame {}", *frames));
        if *frames == frame {
            exits.write_batch(codes.iter().map(|code| AppExit::from_code(*code)));
        }
    }
}

#[test]
fn a_loop_runs_until_an_exit_is_written() {
    for (codes, expected) in [(&[0][..], 0), (&[7], 7), (&[0, 0], 0), (&[0, 5, 6, 0], 5)] {
        let mut app = logging();
        app.add_plugins(MinimalPlugins).add_systems(Update, exit_in(4, codes));
        assert_eq!(app.run(), AppExit::from_code(expected), "{codes:?}");
        // The program has been passed to its runner and is gone.
        assert!(app.world().get_resource::<Log>().is_none());
    }
}

#[test]
fn an_exit_from_any_schedule_of_the_frame_counts() {
    fn exit(mut exits: MessageWriter<'_, AppExit>) {
        exits.write(AppExit::error());
    }
    for add in [
        |app: &mut App| _ = app.add_systems(Startup, exit),
        |app: &mut App| _ = app.add_systems(FixedUpdate, exit).insert_resource(TimeUpdateStrategy::FixedTimesteps(1)),
        |app: &mut App| _ = app.add_systems(Last, exit),
    ] {
        let mut app = logging();
        app.add_plugins(MinimalPlugins);
        add(&mut app);
        assert!(app.run().is_error());
    }
}

#[test]
fn a_loop_waits() {
    let mut app = logging();
    let wait = Duration::from_millis(20);
    app.add_plugins(MinimalPlugins.set(ScheduleRunnerPlugin::run_loop(wait))).add_systems(Update, exit_in(4, &[0]));
    let began = Instant::now();
    app.run();
    assert!(began.elapsed() >= wait * 3, "{:?}", began.elapsed());
}

#[test]
fn the_runner_is_the_last_one_that_was_set() {
    let mut app = App::new();
    app.add_plugins(ScheduleRunnerPlugin::default()).set_runner(|mut app| {
        app.update();
        app.update();
        AppExit::from_code(app.world().frame_number() as u8)
    });
    assert_eq!(app.run(), AppExit::from_code(2));
    // Without one: a single frame.
    let mut app = logging();
    app.add_systems(Update, exit_in(1, &[9]));
    assert_eq!(app.run(), AppExit::from_code(9));
    assert_eq!(App::new().add_plugins(ScheduleRunnerPlugin::run_once()).run(), AppExit::Success);
}

#[test]
fn exits_are_codes() {
    assert_eq!(AppExit::from(0), AppExit::Success);
    assert_eq!(AppExit::from_code(3), AppExit::Error(NonZeroU8::new(3).unwrap()));
    assert_eq!(AppExit::default(), AppExit::Success);
    let code = |exit: AppExit| format!("{:?}", exit.report());
    assert_eq!(code(AppExit::Success), format!("{:?}", std::process::ExitCode::SUCCESS));
    assert_eq!(code(AppExit::from_code(3)), format!("{:?}", std::process::ExitCode::from(3)));
}

#[test]
fn everything_can_be_added_by_the_app() {
    #[derive(Component)]
    struct Monster;
    #[derive(Component, Default, PartialEq, Debug)]
    struct Health(u32);
    #[derive(Component, PartialEq, Debug)]
    struct Armour(u32);
    #[derive(Resource, Default)]
    struct Score(u32);
    #[derive(Message)]
    struct Hit;
    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Save;
    #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
    enum Set {
        Early,
        Late,
    }

    let mut app = logging();
    app.init_resource::<Score>()
        .add_message::<Hit>()
        .register_required_components::<Monster, Health>()
        .register_required_components_with::<Monster, Armour>(|| Armour(4))
        .insert_non_send(std::rc::Rc::new(7))
        .init_non_send::<std::cell::Cell<u8>>()
        .init_schedule(Save)
        .configure_sets(Save, (Set::Early, Set::Late).chain())
        .add_systems(Save, (note("late").in_set(Set::Late), note("early").in_set(Set::Early)))
        .edit_schedule(Save, |save| _ = save.set_executor(SingleThreadedExecutor::new()));
    let monster = app.world_mut().spawn(Monster).id();
    assert_eq!(app.world().get::<Armour>(monster), Some(&Armour(4)));
    assert_eq!(app.world().get::<Health>(monster), Some(&Health(0)));
    assert!(app.world().contains_resource::<Messages<Hit>>() && app.world().contains_resource::<Score>());
    assert_eq!(**app.world().non_send::<std::rc::Rc<i32>>(), 7);
    app.world_mut().run_schedule(Save);
    assert_eq!(noted(&mut app), ["early", "late"]);
    assert_eq!(app.get_schedule(Save).unwrap().systems_len(), 2);
    app.get_schedule_mut(Save).unwrap().add_systems(note("more"));
    app.add_schedule(Schedule::new(Save));
    assert_eq!(app.get_schedule(Save).unwrap().systems_len(), 0);
    let id = app.register_system(|score: Res<'_, Score>| score.0 + 1);
    assert_eq!(app.world_mut().run_system(id).unwrap(), 1);
}

#[test]
fn build_settings_reach_the_schedules_that_exist() {
    use strata_ecs::schedule::{LogLevel, ScheduleBuildSettings};
    let mut app = logging();
    app.add_systems(Update, (note("a"), note("b")))
        .configure_schedules(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error });
    assert!(app.try_update().unwrap_err().to_string().contains("Log"));
}
