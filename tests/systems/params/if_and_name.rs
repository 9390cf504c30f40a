//! Parameters that skip their system, and the name of a system.

use strata_ecs::prelude::*;
use strata_ecs::system::{If, SystemName};

#[derive(Resource)]
struct Target(u32);
#[derive(Resource, Default)]
struct Shots(Vec<u32>);
#[derive(Resource, Default)]
struct Names(Vec<String>);
#[derive(Component)]
struct Health(u32);

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Shots>();
    world.init_resource::<Names>();
    world
}

fn shoot(If(target): If<Res<'_, Target>>, mut shots: ResMut<'_, Shots>) {
    shots.0.push(target.0);
}

#[test]
fn a_system_without_its_parameter_is_skipped_and_does_not_fail() {
    fn behind(mut shots: ResMut<'_, Shots>) {
        shots.0.push(100);
    }
    let mut world = world();
    let error = world.run_system_once(shoot).unwrap_err();
    assert!(error.is_skip() && error.to_string().contains("Target` does not exist"), "{error}");
    let mut schedule = Schedule::default();
    schedule.add_systems((shoot, behind).chain());
    schedule.try_run(&mut world).expect("to be skipped is no failure");
    world.insert_resource(Target(7));
    schedule.try_run(&mut world).expect("nothing is missing");
    assert_eq!(world.resource::<Shots>().0, [100, 7, 100]);
    // Another parameter that is missing is a failure still.
    world.remove_resource::<Shots>();
    assert!(!schedule.try_run(&mut world).unwrap_err().to_string().is_empty());
}

#[test]
fn a_condition_without_its_parameter_does_not_hold() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((|mut shots: ResMut<'_, Shots>| shots.0.push(1)).run_if(|_: If<Res<'_, Target>>| true));
    schedule.try_run(&mut world).unwrap();
    assert!(world.resource::<Shots>().0.is_empty());
    world.insert_resource(Target(7));
    schedule.try_run(&mut world).unwrap();
    assert_eq!(world.resource::<Shots>().0, [1]);
}

#[test]
fn what_it_holds_is_fetched_and_applied_as_without_it() {
    fn record(
        mut commands: If<Commands<'_, '_>>,
        mut runs: If<Local<'_, u32>>,
        both: If<(Res<'_, Target>, &World)>,
    ) -> u32 {
        **runs += 1;
        commands.spawn(Health(both.0.0.0));
        **runs
    }
    let mut world = world();
    let record = world.register_system(record);
    assert!(world.run_system(record).is_err());
    world.insert_resource(Target(7));
    assert_eq!(world.run_system(record).unwrap(), 1);
    assert_eq!(world.run_system(record).unwrap(), 2);
    assert_eq!(world.query::<&Health>().iter(&world).map(|health| health.0).sum::<u32>(), 14);
}

#[test]
fn two_parameters_that_are_in_each_others_way_are_so_inside_of_it() {
    let other: fn(SystemName) = |_| ();
    let mut world = world();
    world.run_system_once(other).unwrap();
    let text = strata_tests::panics::expect_panic(|| {
        let mut state =
            SystemState::<StaticPair<If<ResMut<'static, Hidden>>, If<Res<'static, Hidden>>>>::new(&mut world);
        state.get_mut(&mut world).is_ok()
    });
    assert!(text.contains("both borrow resource"), "{text}");
}

/// A resource whose type the compiler cannot compare.
struct Hidden;
impl Resource for Hidden {}

type StaticPair<A, B> = (A, B);

#[test]
fn a_system_knows_its_name() {
    #[system]
    fn each(health: &Health, name: SystemName, skips: If<Res<Target>>, mut names: ResMut<Names>) {
        names.0.push(format!("{name} {} {}", health.0, skips.0.0));
    }
    #[system(par)]
    fn side_by_side(_: &mut Health, name: SystemName) {
        assert!(name.as_str().ends_with("side_by_side"));
    }
    fn plain(name: SystemName, mut names: ResMut<'_, Names>) {
        names.0.push(name.name().to_owned());
    }
    let mut world = world();
    world.spawn_batch([Health(1), Health(2)]);
    world.insert_resource(Target(3));
    let mut schedule = Schedule::default();
    schedule.add_systems((each, side_by_side, plain).chain());
    schedule.run(&mut world);
    let names = &world.resource::<Names>().0;
    assert_eq!(names.len(), 3);
    assert!(names[0].ends_with("::each 1 3") && names[1].ends_with("::each 2 3"), "{names:?}");
    assert!(names[2].ends_with("::plain"), "{names:?}");
    assert_eq!(schedule.system_names()[2], names[2]);
}
