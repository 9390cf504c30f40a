//! Observers that fail, do not run, or panic.

use strata_ecs::error::{EcsError, ErrorContext};
use strata_ecs::prelude::*;
use strata_ecs::store::OnCommandError;
use strata_ecs::world::DeferredWorld;
use strata_tests::panics::expect_panic;

use super::{Log, noted, world};

#[derive(Event)]
struct Save;
#[derive(Event)]
struct Shout;
#[derive(Resource)]
struct Missing;
#[derive(Component)]
struct Mark;

fn fails(_: On<Save>) -> Result {
    Err("the disk is full".into())
}

fn panics(text: &str) {
    panic!("{text}");
}

fn reported(world: &mut World) -> Vec<String> {
    world.take_command_errors().0.iter().map(ToString::to_string).collect()
}

#[test]
fn an_error_is_reported_with_the_observer_and_the_event_and_the_others_are_told() {
    let mut world = world();
    world.add_observer(fails);
    world.add_observer(|_: On<Save>, mut log: ResMut<Log>| log.note("next"));
    world.trigger(Save);
    assert_eq!(noted(&mut world), ["next"]);
    let reported = reported(&mut world);
    assert_eq!(reported.len(), 1);
    for part in ["errors::fails", "errors::Save", "the disk is full"] {
        assert!(reported[0].contains(part), "{}", reported[0]);
    }
}

#[test]
fn an_error_panics_if_the_world_says_so_and_the_observers_stay() {
    let mut world = world();
    world.on_command_error(OnCommandError::Panic);
    world.add_observer(fails);
    for _ in 0..2 {
        assert!(expect_panic(|| world.trigger(Save)).contains("the disk is full"));
    }
}

#[test]
fn a_handler_of_the_observer_gets_its_name_and_the_event() {
    fn handle(error: EcsError, context: ErrorContext) {
        assert_eq!(context.kind(), "observer");
        assert!(context.name().ends_with("fails") && context.event().unwrap().ends_with("Save"));
        assert!(error.to_string().contains("the disk is full"));
        panic!("handled: {context}");
    }
    let mut world = world();
    world.add_observer(Observer::new(fails).with_error_handler(handle));
    assert!(expect_panic(|| world.trigger(Save)).contains("of event"));
    assert!(reported(&mut world).is_empty());
}

#[test]
fn a_parameter_that_is_missing_is_reported_and_one_that_skips_is_not() {
    let mut world = world();
    world.add_observer(|_: On<Save>, _: Res<Missing>| {});
    world.add_observer(|_: On<Save>, _: If<Res<Missing>>, mut log: ResMut<Log>| log.note("skipped"));
    world.add_observer(|_: On<Save>, _: Single<&Mark>, mut log: ResMut<Log>| log.note("single"));
    world.trigger(Save);
    assert!(noted(&mut world).is_empty());
    let errors = reported(&mut world);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains("Missing"), "{}", errors[0]);
    world.insert_resource(Missing);
    world.spawn(Mark);
    world.trigger(Save);
    assert_eq!(noted(&mut world), ["skipped", "single"]);
}

#[test]
fn conditions_are_all_asked_and_all_must_hold() {
    let mut world = world();
    let observer = (|_: On<Save>, mut log: ResMut<Log>| log.note("ran"))
        .run_if(|mut asked: Local<u32>| {
            *asked += 1;
            *asked >= 2
        })
        .run_if(|mut asked: Local<u32>| {
            *asked += 1;
            *asked <= 2
        });
    world.add_observer(observer);
    let ran = [(); 4].map(|()| {
        world.trigger(Save);
        noted(&mut world).len()
    });
    assert_eq!(ran, [0, 1, 0, 0]);
}

#[test]
fn a_panic_leaves_the_observers_and_what_was_recorded_before() {
    let mut world = world();
    world.add_observer(|_: On<Save>, mut commands: Commands| {
        commands.spawn(Mark);
    });
    let promised = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let ids = promised.clone();
    world.add_observer(move |_: On<Save>, mut world: DeferredWorld| {
        ids.lock().unwrap().push(world.commands().spawn(Mark).id());
        world.resource_mut::<Log>().note("panics");
        panics("on purpose");
    });
    world.add_observer(|_: On<Save>, mut log: ResMut<Log>| log.note("not told"));
    for round in 1..3 {
        assert_eq!(expect_panic(|| world.trigger(Save)), "on purpose");
        assert_eq!(noted(&mut world), ["panics"]);
        world.flush();
        assert_eq!(world.query::<&Mark>().iter(&world).count(), 2 * round);
        assert!(promised.lock().unwrap().iter().all(|&id| world.contains(id)));
    }
    // Not telling is over: a command of the world is one of the world.
    world.commands().spawn(Mark);
    world.flush();
    assert_eq!(world.len(), 5);
}

#[test]
fn a_panic_in_an_event_within_an_event_leaves_both() {
    let mut world = world();
    world.add_observer(|_: On<Save>, mut world: DeferredWorld| {
        world.commands().spawn(Mark);
        world.trigger(Shout);
    });
    let shout = world.add_observer(|_: On<Shout>| panics("too loud"));
    assert_eq!(expect_panic(|| world.trigger(Save)), "too loud");
    assert!(world.remove_observer(shout));
    world.trigger(Save);
    assert_eq!(world.len(), 2);
}

#[test]
fn a_panic_in_a_command_of_an_observer_leaves_the_world_usable() {
    let mut world = world();
    let id = std::sync::Arc::new(std::sync::OnceLock::new());
    let promised = id.clone();
    world.add_observer(move |_: On<Save>, mut commands: Commands| {
        commands.queue(|_: &mut World| panics("in a command"));
        let _ = promised.set(commands.spawn(Mark).id());
    });
    assert_eq!(expect_panic(|| world.trigger(Save)), "in a command");
    world.flush();
    assert!(world.contains(*id.get().unwrap()));
    world.set_event_limit(1);
    world.add_observer(|_: On<Shout>, mut log: ResMut<Log>| log.note("heard"));
    world.trigger(Shout);
    assert_eq!(noted(&mut world), ["heard"]);
}
