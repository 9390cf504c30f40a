//! Resources of which a builder says at run time which they are.

use strata_ecs::prelude::*;
use strata_ecs::system::{
    FilteredResourcesMutParamBuilder, FilteredResourcesParamBuilder, ParamBuilder, SystemParamBuilder,
};
use strata_ecs::world::error::ResourceFetchError;
use strata_tests::panics::catch;

#[derive(Resource, Default, Debug, PartialEq)]
struct A(u32);
#[derive(Resource, Default, Debug, PartialEq)]
struct B(u32);
#[derive(Resource, Default, Debug, PartialEq)]
struct C(u32);

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(A(1));
    world.insert_resource(B(2));
    world
}

#[test]
fn what_was_added_can_be_read_and_nothing_else() {
    let mut world = world();
    let builder = FilteredResourcesParamBuilder::new(|builder| _ = builder.add_read::<B>().add_read::<C>());
    let system = (builder,).build_state(&mut world).build_system(|resources: FilteredResources<'_, '_>| {
        assert!(matches!(resources.get::<A>(), Err(ResourceFetchError::NoResourceAccess(_))));
        assert!(matches!(resources.get::<C>(), Err(ResourceFetchError::DoesNotExist(_))));
        assert_eq!(
            [resources.has_read::<A>(), resources.has_read::<B>(), resources.has_read::<C>()],
            [false, true, true]
        );
        resources.get::<B>().unwrap().0
    });
    assert_eq!(world.run_system_once(system).unwrap(), 2);
    assert_eq!(world.run_system_once(|resources: FilteredResources<'_, '_>| resources.get::<A>().is_err()), Ok(true));
}

#[test]
fn what_may_be_read_cannot_be_written() {
    let mut world = world();
    let builder = FilteredResourcesMutParamBuilder::new(|builder| {
        builder.add_read_all().add_write::<B>();
    });
    let system = (builder,).build_state(&mut world).build_system(|mut resources: FilteredResourcesMut<'_, '_>| {
        assert!(!resources.has_write::<A>() && resources.has_read::<A>());
        assert!(matches!(resources.get_mut::<A>(), Err(ResourceFetchError::NoResourceAccess(_))));
        let a = resources.get::<A>().unwrap().0;
        resources.get_mut::<B>().unwrap().0 += a;
        assert_eq!(*FilteredResources::from(&resources).get::<B>().unwrap(), B(3));
        resources.into_mut::<B>().unwrap().0 += 10;
    });
    world.run_system_once(system).unwrap();
    assert_eq!((world.resource::<A>(), world.resource::<B>()), (&A(1), &B(13)));
}

#[test]
fn a_change_is_seen_as_one() {
    let mut world = world();
    let builder = FilteredResourcesMutParamBuilder::new(|builder| _ = builder.add_write::<A>().add_write::<B>());
    let write =
        (builder,).build_system(|mut resources: FilteredResourcesMut<'_, '_>| resources.get_mut::<B>().unwrap().0 += 1);
    let builder = FilteredResourcesParamBuilder::new(|builder| _ = builder.add_read_all());
    let read =
        (builder, ParamBuilder).build_system(|resources: FilteredResources<'_, '_>, mut runs: Local<'_, u32>| {
            let changed = (resources.get::<A>().unwrap().is_changed(), resources.get::<B>().unwrap().is_changed());
            assert_eq!(changed, (*runs == 0, true));
            *runs += 1;
        });
    let mut schedule = Schedule::default();
    schedule.add_systems((write, read).chain());
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(world.resource::<B>(), &B(4));
}

fn conflict_with_reading<P: SystemParam + 'static>(
    builder: impl SystemParamBuilder<P> + 'static,
    other: impl SystemParamBuilder<Res<'static, A>> + 'static,
) -> Option<String> {
    catch(|| _ = (other, builder).build_state(&mut world())).err()
}

fn conflict_with_writing<P: SystemParam + 'static>(builder: impl SystemParamBuilder<P> + 'static) -> Option<String> {
    catch(|| _ = (ParamBuilder::resource_mut::<A>(), builder).build_state(&mut world())).err()
}

#[test]
fn conflicts_are_found_when_the_system_is_built() {
    let read = |all: bool| {
        FilteredResourcesParamBuilder::new(move |builder| {
            if all {
                builder.add_read_all()
            } else {
                builder.add_read::<A>()
            };
        })
    };
    let write = |all: bool| {
        FilteredResourcesMutParamBuilder::new(move |builder| {
            if all {
                builder.add_write_all()
            } else {
                builder.add_write::<A>()
            };
        })
    };
    for all in [false, true] {
        assert_eq!(conflict_with_reading(read(all), ParamBuilder), None);
        for text in [
            conflict_with_reading(write(all), ParamBuilder),
            conflict_with_writing(read(all)),
            conflict_with_writing(write(all)),
        ] {
            let text = text.expect("they are in each other's way");
            assert!(
                text.contains("parameter 1 and parameter 2 both borrow resource `") && text.contains("::A`"),
                "{text}"
            );
        }
    }
    let elsewhere = FilteredResourcesMutParamBuilder::new(|builder| _ = builder.add_write::<B>());
    assert_eq!(conflict_with_writing(elsewhere), None);
    let both = catch(|| _ = (read(true), write(true)).build_state(&mut world()));
    assert!(both.unwrap_err().contains("every resource"));
}

#[test]
fn systems_that_share_resources_do_not_run_side_by_side() {
    let mut world = world();
    let all = FilteredResourcesMutParamBuilder::new(|builder| _ = builder.add_write_all());
    let mut writer = (all,).build_system(|_: FilteredResourcesMut<'_, '_>| ());
    let one = FilteredResourcesParamBuilder::new(|builder| _ = builder.add_read::<A>());
    let mut reader = (one,).build_system(|_: FilteredResources<'_, '_>| ());
    writer.initialize(&mut world);
    reader.initialize(&mut world);
    assert!(!writer.access().is_compatible(reader.access(), world.components()));
    assert!(reader.access().is_compatible(reader.access(), world.components()));
}

#[test]
fn a_borrowed_world_gives_all_of_them() {
    let mut world = world();
    assert_eq!(*FilteredResources::from(&world).get::<A>().unwrap(), A(1));
    FilteredResourcesMut::from(&mut world).into_mut::<A>().unwrap().0 = 7;
    assert_eq!(world.resource::<A>(), &A(7));
    assert!(FilteredResourcesMut::from(&mut world).get_mut::<C>().is_err());
}
