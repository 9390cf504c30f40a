//! Parameters that may be missing.

use strata_ecs::prelude::*;
use strata_ecs::system::{
    OptionBuilder, ParamBuilder, ParamError, QueryParamBuilder, ResultBuilder, SystemParamBuilder,
};

use super::{A, B, Total, world};

#[derive(Resource)]
struct Other(u32);

#[derive(SystemParam)]
struct Both<'w> {
    total: Res<'w, Total>,
    other: Option<ResMut<'w, Other>>,
}

#[derive(SystemParam)]
struct Maybe<'w, 's> {
    both: Option<Both<'w>>,
    why: Result<Single<'w, 's, &'static B>, ParamError>,
    /// Always there.
    all: Option<Query<'w, 's, &'static A>>,
}

#[test]
fn several_parameters_are_there_if_each_one_is() {
    let sum = |both: Option<(Res<'_, Total>, Single<'_, '_, &B>)>| both.map_or(0, |(total, b)| total.0 + b.0);
    let mut world = World::new();
    assert_eq!(world.run_system_once(sum).unwrap(), 0);
    world.insert_resource(Total(2));
    assert_eq!(world.run_system_once(sum).unwrap(), 0);
    world.spawn(B(3));
    assert_eq!(world.run_system_once(sum).unwrap(), 5);
    world.spawn(B(3));
    assert_eq!(world.run_system_once(sum).unwrap(), 0);
}

#[test]
fn structs_may_be_missing_and_have_fields_that_are() {
    let look = |maybe: Maybe<'_, '_>| {
        assert_eq!(maybe.all.unwrap().count(), 20);
        (maybe.both.map(|both| (both.total.0, both.other.map(|other| other.0))), maybe.why.is_err())
    };
    let mut world = world();
    world.remove_resource::<Total>();
    assert_eq!(world.run_system_once(look).unwrap(), (None, true));
    world.insert_resource(Total(4));
    assert_eq!(world.run_system_once(look).unwrap(), (Some((4, None)), true));
}

#[test]
fn commands_of_an_optional_parameter_are_applied() {
    let spawn = |both: Option<(Commands<'_, '_>, Res<'_, Other>)>| {
        if let Some((mut commands, other)) = both {
            commands.spawn(A(other.0));
        }
    };
    let mut world = World::new();
    world.run_system_once(spawn).unwrap();
    assert!(world.is_empty());
    world.insert_resource(Other(5));
    world.run_system_once(spawn).unwrap();
    assert_eq!(world.query::<&A>().single(&world), Ok(&A(5)));
}

#[test]
fn row_systems_on_threads_share_them() {
    #[system(par)]
    fn add(a: &mut A, total: Option<Res<'_, Total>>, commands: Option<(Commands<'_, '_>, Res<'_, Other>)>) {
        assert!(commands.is_none());
        a.0 += total.map_or(0, |total| total.0);
    }
    let mut world = world();
    world.insert_resource(Total(100));
    world.run_system_once(add).unwrap();
    assert!(world.query::<&A>().iter(&world).all(|a| a.0 >= 100));
}

#[test]
fn what_is_missing_is_told_and_the_system_runs() {
    let why = |other: Result<ResMut<'_, Other>, ParamError>| {
        other.map(|mut other| other.0 += 1).map_err(|error| error.to_string())
    };
    let mut world = World::new();
    assert!(world.run_system_once(why).unwrap().unwrap_err().contains("Other` does not exist"));
    world.insert_resource(Other(1));
    assert_eq!(world.run_system_once(why).unwrap(), Ok(()));
    assert_eq!(world.resource::<Other>().0, 2);
}

#[test]
fn the_parameter_inside_is_built() {
    let mut world = world();
    let with_b = || QueryParamBuilder::new(|builder| _ = builder.with::<B>());
    let system = (OptionBuilder(with_b()), ResultBuilder(with_b()), ResultBuilder(ParamBuilder::resource::<Other>()))
        .build_state(&mut world)
        .build_system(
            |a: Option<Query<'_, '_, &A>>,
             b: Result<Query<'_, '_, &A>, ParamError>,
             other: Result<Res<'_, Other>, ParamError>| {
                assert!(other.is_err());
                (a.unwrap().count(), b.unwrap().count())
            },
        );
    assert_eq!(world.run_system_once(system).unwrap(), (10, 10));
}
