//! The texts of errors about resources that do not exist.

use strata_ecs::message::Messages;
use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

#[derive(Resource)]
struct Plain;

#[derive(Resource)]
#[resource(missing = "add `AudioPlugin` to the `App`")]
struct Audio;

#[derive(Resource)]
#[resource(missing = "call `init_bank::<{}>()`")]
struct Bank<T: Send + Sync + 'static>(T);

#[derive(Message)]
struct Hit;

#[test]
fn an_error_about_a_missing_resource_says_how_to_have_it() {
    let mut world = World::new();
    let error = world.run_system_once(|_: Res<'_, Audio>| {}).unwrap_err().to_string();
    assert!(
        error.ends_with("Audio` does not exist; add `AudioPlugin` to the `App`, or make the parameter an `Option`")
    );
    let error = world.run_system_once(|_: ResMut<'_, Plain>| {}).unwrap_err().to_string();
    assert!(error.contains("Plain` does not exist; insert it with `World::insert_resource`"), "{error}");
    assert!(expect_panic(|| _ = world.resource::<Audio>()).ends_with("add `AudioPlugin` to the `App`"));
}

#[test]
fn the_type_parameters_of_a_missing_resource_are_filled_in_without_their_paths() {
    let mut world = World::new();
    let error = world.run_system_once(|_: Res<'_, Bank<Option<Plain>>>| {}).unwrap_err().to_string();
    assert!(error.contains("does not exist; call `init_bank::<Option<Plain>>()`"), "{error}");
}

#[test]
fn a_missing_list_of_messages_names_the_call_that_registers_them() {
    let mut world = World::new();
    let error = world.run_system_once(|_: Res<'_, Messages<Hit>>| {}).unwrap_err().to_string();
    assert!(error.contains("call `World::register_message::<Hit>()`"), "{error}");
}
