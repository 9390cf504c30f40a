//! Crates of users, each with another way to reach the library. That they compile, under the lints they set, is most of
//! the test; here they run.

use strata_ecs::prelude::*;

#[test]
fn a_strict_user_with_a_renamed_dependency_works() {
    let end = strata_user_renamed::simulate(3);
    assert_eq!((end.x, end.y), (3.0, 6.0));
}

#[test]
fn a_module_without_a_prelude_works() {
    use strata_user_renamed::bare::{Amount, Count, add, sum};
    let mut world = World::new();
    world.insert_resource(Amount(2));
    world.spawn_batch((0..3).map(Count));
    let mut schedule = Schedule::default();
    schedule.add_systems(add);
    schedule.run(&mut world);
    assert_eq!(sum(&mut world), 9);
}

#[test]
fn a_user_without_the_standard_library_works() {
    assert_eq!(strata_user_no_std::run(), 16);
}

#[test]
fn a_user_that_depends_on_the_app_alone_works() {
    assert_eq!(strata_user_app_only::run(3), 6);
}

#[test]
fn components_of_all_crates_are_described() {
    use strata_ecs::component::ComponentDescriptor;
    let bond = ComponentDescriptor::of::<strata_user_renamed::Bond>();
    assert!(bond.functions().map_entities_fn().is_some() && bond.stable_name().is_some_and(|name| name == *"bond"));
    let gaze = ComponentDescriptor::of::<strata_user_no_std::Gaze>();
    assert!(gaze.functions().map_entities_fn().is_some());
    assert_eq!(gaze.fields()[0].docs(), "Where it looks, and where it has looked before.");
}

#[test]
fn systems_and_components_of_several_crates_share_a_world() {
    let mut world = World::new();
    world.insert_resource(strata_user_renamed::Dt(1.0));
    world.insert_resource(strata_user_no_std::Step(4));
    let entity = world
        .spawn((
            strata_user_renamed::Position { x: 0.0, y: 0.0 },
            strata_user_renamed::Velocity { x: 1.0, y: 1.0 },
            strata_user_no_std::Position { x: 1, y: 1 },
        ))
        .id();
    let mut schedule = Schedule::default();
    schedule.add_systems((strata_user_renamed::movement, strata_user_no_std::movement));
    schedule.run(&mut world);
    assert_eq!(world.get::<strata_user_renamed::Position>(entity).map(|at| at.x), Some(1.0));
    assert_eq!(world.get::<strata_user_no_std::Position>(entity).map(|at| at.x), Some(5));
    world.check_invariants();
}
