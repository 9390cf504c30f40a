//! Reports about missing plugins and states.

use strata_app::prelude::*;
use strata_app::state::NextState;
use strata_ecs::store::OnCommandError;

use crate::{logging, note, noted, panic_of};

#[derive(States, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Screen {
    #[default]
    Menu,
    Game,
}

#[derive(SubStates, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[source(Screen = Screen::Game)]
struct IsPaused(bool);

fn idle() {}

/// A program that keeps what is reported.
fn quiet() -> App {
    let mut app = logging();
    app.world_mut().on_command_error(OnCommandError::Keep);
    app
}

/// Returns the reports in this number of frames.
fn reported(app: &mut App, frames: u32) -> Vec<String> {
    (0..frames).for_each(|_| app.update());
    app.world_mut().take_command_errors().0.iter().map(ToString::to_string).collect()
}

#[test]
fn in_state_of_a_state_that_was_never_added_is_reported_once() {
    let mut app = quiet();
    app.add_systems(Update, (note("menu").run_if(in_state(Screen::Menu)), idle.run_if(in_state(Screen::Game))));
    app.add_systems(Last, idle.run_if(state_changed::<Screen>));
    let errors = reported(&mut app, 3);
    assert_eq!(errors.len(), 2, "{errors:?}");
    for part in ["`in_state`", "setup::Screen` was never added", "call `init_state::<Screen>()`"] {
        assert!(errors[0].contains(part), "{part}: {}", errors[0]);
    }
    assert!(errors[1].contains("`state_changed`"), "{errors:?}");
    assert!(noted(&mut app).is_empty());
    app.init_state::<Screen>();
    assert!(reported(&mut app, 2).is_empty());
    assert_eq!(noted(&mut app).len(), 2);
}

#[test]
fn schedules_of_a_state_that_was_never_added_are_reported_once() {
    let mut app = quiet();
    app.add_systems(OnEnter(Screen::Menu), idle).add_systems(OnExit(Screen::Menu), idle);
    app.add_systems(OnTransition { exited: Screen::Menu, entered: Screen::Game }, idle);
    let mut errors = reported(&mut app, 3);
    errors.sort();
    assert_eq!(errors.len(), 3, "{errors:?}");
    for (error, label) in errors.iter().zip(["OnEnter(Menu)", "OnExit(Menu)", "OnTransition { "]) {
        assert!(error.starts_with(&format!("schedule `{label}")), "{error}");
        assert!(error.contains("setup::Screen` was never added: call `init_state::<Screen>()`"), "{error}");
    }
}

#[test]
fn a_sub_state_that_is_inactive_or_was_never_added_is_told_apart() {
    let systems = |app: &mut App| {
        app.init_state::<Screen>();
        app.add_systems(Update, idle.run_if(in_state(IsPaused(true)))).add_systems(OnEnter(IsPaused(true)), idle);
    };
    let mut app = quiet();
    systems(&mut app);
    app.add_sub_state::<IsPaused>();
    assert!(reported(&mut app, 2).is_empty());
    let mut app = quiet();
    systems(&mut app);
    let errors = reported(&mut app, 2);
    assert!(errors.len() == 2 && errors.iter().all(|error| error.contains("`add_sub_state`")), "{errors:?}");
}

#[test]
fn setting_a_state_that_was_never_added_is_reported() {
    let mut app = quiet();
    app.add_systems(Update, |mut commands: Commands<'_, '_>| {
        commands.set_state(Screen::Game);
        commands.set_state_if_different(Screen::Game);
    });
    let errors = reported(&mut app, 2);
    assert!(errors.len() == 1 && errors[0].contains("call `init_state::<Screen>()`"), "{errors:?}");
    let mut app = logging();
    app.add_systems(Update, |_: ResMut<'_, NextState<Screen>>| {});
    let text = panic_of(|| app.update());
    assert!(text.contains("NextState<") && text.contains("does not exist; call `init_state::<Screen>()`"), "{text}");
    let mut app = logging();
    app.add_systems(Update, |_: Res<'_, State<Screen>>| {});
    let text = panic_of(|| app.update());
    assert!(text.contains("State<") && text.contains("does not exist; call `init_state::<Screen>()`"), "{text}");
    assert!(panic_of(|| app.world().resource::<State<Screen>>().clone()).contains("init_state::<Screen>()"));
}

#[test]
fn fixed_systems_without_the_time_plugin_are_reported_once() {
    let mut app = quiet();
    app.add_systems(FixedUpdate, idle).add_systems(FixedLast, idle);
    let errors = reported(&mut app, 3);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert_eq!(errors[0], "schedule `FixedUpdate` never runs: add `TimePlugin` to the `App`");
    let mut app = quiet();
    app.add_plugins(TimePlugin).add_systems(FixedUpdate, idle);
    assert!(reported(&mut app, 3).is_empty());
    let mut app = quiet();
    app.add_systems(RunFixedMainLoop, |world: &mut World| world.run_schedule(FixedMain)).add_systems(FixedUpdate, idle);
    assert!(reported(&mut app, 3).is_empty());
}

#[test]
fn a_schedule_that_is_added_later_is_reported() {
    let mut app = quiet();
    assert!(reported(&mut app, 2).is_empty());
    app.add_systems(FixedUpdate, idle);
    assert_eq!(reported(&mut app, 2).len(), 1);
}

#[test]
fn a_clock_without_the_time_plugin_names_the_plugin() {
    let mut app = logging();
    app.add_systems(Update, |_: Res<'_, Time>| {});
    let text = panic_of(|| app.update());
    assert!(text.contains("does not exist; add `TimePlugin` to the `App`"), "{text}");
    assert!(panic_of(|| app.world().resource::<Time>().elapsed()).contains("add `TimePlugin` to the `App`"));
}
