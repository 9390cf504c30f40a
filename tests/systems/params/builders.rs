//! Systems whose parameters were built.

use strata_ecs::prelude::*;
use strata_ecs::system::{LocalBuilder, ParamBuilder, SystemParamBuilder};

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Resource, Default)]
struct Total(u32);

/// It has no default of its own that a test could see.
struct Unmade(u32);

impl FromWorld for Unmade {
    fn from_world(_: &mut World) -> Self {
        panic!("the builder has the value");
    }
}

#[test]
fn a_local_begins_with_what_was_given_and_goes_on_from_there() {
    let mut world = World::new();
    world.init_resource::<Total>();
    let system = (LocalBuilder(Unmade(10)), ParamBuilder::resource_mut::<Total>(), LocalBuilder(3_u32))
        .build_state(&mut world)
        .build_system(|mut count, mut total, step| {
            count.0 += *step;
            total.0 = count.0;
        });
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 13);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 16);
}

#[test]
fn all_kinds_of_parameters_are_built_and_what_they_record_is_applied() {
    let mut world = World::new();
    world.spawn_batch([(Health(1), Enemy), (Health(2), Enemy)]);
    world.spawn(Health(4));
    world.init_resource::<Total>();
    let system = (
        ParamBuilder::query_filtered::<&Health, With<Enemy>>(),
        (ParamBuilder::of::<Commands<'_, '_>>(), ParamBuilder::resource::<Total>()),
        ParamBuilder::local::<u32>(),
        ParamBuilder::query::<Entity>(),
    )
        .build_state(&mut world)
        .build_system(|enemies, (mut commands, total), mut runs, all| {
            *runs += 1;
            assert!(total.0 == 0 && all.count() == 3);
            commands.spawn(Health(enemies.iter().map(|health| health.0).sum()));
            *runs
        });
    let id = world.register_system(system);
    assert_eq!(world.run_system(id).unwrap(), 1);
    let mut healths: Vec<u32> = world.query::<&Health>().iter(&world).map(|health| health.0).collect();
    healths.sort_unstable();
    assert_eq!(healths, [1, 2, 3, 4]);
}

#[test]
fn a_builder_that_says_no_type_builds_what_the_state_has() {
    fn sum(first: Local<'_, u32>, total: Res<'_, Total>, second: Local<'_, u32>) -> u32 {
        *first + total.0 + *second
    }
    let mut world = World::new();
    world.insert_resource(Total(100));
    let state: SystemState<(Local<'_, u32>, Res<'_, Total>, Local<'_, u32>)> =
        (ParamBuilder, ParamBuilder, LocalBuilder(7)).build_state(&mut world);
    assert_eq!(world.run_system_once(state.build_any_system(sum)).unwrap(), 107);
}

#[test]
fn parameters_in_each_others_way_are_refused_and_another_world_begins_anew() {
    /// A resource whose type the compiler cannot compare.
    struct Hidden;
    impl Resource for Hidden {}
    let mut world = World::new();
    let text = strata_tests::panics::expect_panic(|| {
        (ParamBuilder::resource_mut::<Hidden>(), ParamBuilder::resource::<Hidden>()).build_state(&mut world)
    });
    assert!(text.contains("both borrow resource"), "{text}");
    fn read(value: Local<'_, u32>) -> u32 {
        *value
    }
    let mut system = (LocalBuilder(5_u32),).build_state(&mut world).build_any_system(read);
    system.initialize(&mut world);
    assert_eq!(system.run((), &mut world).unwrap(), 5);
    let mut other = World::new();
    system.initialize(&mut other);
    assert_eq!(system.run((), &mut other).unwrap(), 0);
}
