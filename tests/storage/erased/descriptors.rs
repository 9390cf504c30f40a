//! Descriptors that are made at run time, and registering them.

use std::any::TypeId;

use strata_ecs::component::{ComponentIdentity, RegisterComponentError, StableNameError};
use strata_tests::panics::expect_panic;

use super::*;

#[test]
fn a_descriptor_says_what_the_builder_was_told() {
    let text = text("descriptors:text").storage(StorageType::Sparse).tracking(ChangeTracking::Never).build();
    assert_eq!(text.identity(), ComponentIdentity::Name("descriptors:text"));
    assert_eq!((text.type_id(), text.value_type_id()), (None, Some(TypeId::of::<String>())));
    assert_eq!((text.name(), text.value_type_name()), ("descriptors:text", "alloc::string::String"));
    assert_eq!((text.storage(), text.tracking()), (Some(StorageType::Sparse), ChangeTracking::Never));
    assert_eq!(text.layout(), std::alloc::Layout::new::<String>());
    assert!(text.functions().drop_fn().is_some() && text.functions().clone_fn().is_some());
    let health = ComponentDescriptor::of::<Health>();
    assert_eq!((health.type_id(), health.value_type_id()), (health.value_type_id(), Some(TypeId::of::<Health>())));
}

#[test]
fn registering_again_gives_the_same_number_and_another_definition_is_an_error() {
    let mut world = World::new();
    let id = register(&mut world, text("descriptors:again"));
    assert_eq!(register(&mut world, text("descriptors:again")), id);
    let others = [
        text("descriptors:again").storage(StorageType::Sparse),
        text("descriptors:again").tracking(ChangeTracking::Always),
        text("descriptors:again").require(Health::default),
        unit("descriptors:again"),
    ];
    let count = world.components().len();
    for other in others {
        let error = world.register_component_with_descriptor(other.build()).unwrap_err();
        assert_eq!(error, RegisterComponentError::DifferentDefinition("descriptors:again"));
        assert!(error.to_string().contains("`descriptors:again`"));
    }
    assert_eq!(world.components().len(), count);
    // Another world may have another one.
    register(&mut World::new(), unit("descriptors:again"));
}

#[test]
fn a_component_that_is_a_type_is_registered_by_its_descriptor() {
    let mut world = World::new();
    let id = world.register_component_with_descriptor(ComponentDescriptor::of::<Health>()).unwrap();
    assert_eq!(world.register_component::<Health>(), id);
}

#[derive(Resource)]
struct Score;

/// Both a component and a resource.
#[derive(Component, Resource)]
struct Both;

#[test]
fn a_resource_is_no_component() {
    let mut world = World::new();
    world.register_component::<Both>();
    let error = world.register_component_with_descriptor(ComponentDescriptor::of_resource::<Score>()).unwrap_err();
    assert_eq!(error, RegisterComponentError::NotAComponent("storage::erased::descriptors::Score"));
    assert!(world.register_component_with_descriptor(ComponentDescriptor::of_resource::<Both>()).is_err());
    assert_eq!(world.components().len(), World::new().components().len() + 1);
}

#[derive(Component)]
#[component(name = "descriptors:given")]
struct Given;

#[test]
fn names_at_run_time_are_stable_names() {
    let mut world = World::new();
    world.register_component::<Given>();
    let error = world.register_component_with_descriptor(text("descriptors:given").build()).unwrap_err();
    assert!(matches!(error, RegisterComponentError::SameStableName { second: "descriptors:given", .. }));
    let id = register(&mut world, text("descriptors:free"));
    assert_eq!(world.components().get_id_by_name("descriptors:free"), Ok(id));
    assert!(matches!(world.components().get_id_by_name("descriptors:fre"), Err(StableNameError::Unknown(_))));
    // The other way round.
    let mut world = World::new();
    register(&mut world, text("descriptors:given"));
    let message = expect_panic(|| world.register_component::<Given>());
    assert!(message.contains("have the same stable name \"descriptors:given\""), "{message}");
    assert_eq!(world.components().len(), World::new().components().len() + 1);
}

#[test]
fn requirements_that_cannot_be_are_errors() {
    let mut world = World::new();
    let first = unit("descriptors:first").build();
    let second = unit("descriptors:second").require_by(first, || ()).build();
    let cyclic = unit("descriptors:first").require_by(second, || ()).build();
    let error = world.register_component_with_descriptor(cyclic).unwrap_err();
    assert!(error.to_string().contains("`descriptors:first` requires itself"), "{error}");
    let twice = unit("descriptors:twice").require(Health::default).require(Health::default).build();
    let error = world.register_component_with_descriptor(twice).unwrap_err();
    assert!(error.to_string().contains("twice"), "{error}");
    // The required component has a name that is registered with another definition.
    register(&mut world, text("descriptors:first"));
    let error = world.register_component_with_descriptor(second).unwrap_err();
    assert_eq!(error, RegisterComponentError::DifferentDefinition("descriptors:first"));
    assert_eq!(world.components().len(), World::new().components().len() + 1);
    let message = expect_panic(|| unit("descriptors:wrong").require_by(first, || 1_u8));
    assert!(message.contains("`descriptors:wrong` cannot require `descriptors:first` with values of type `u8`"));
}

#[test]
fn many_worlds_share_descriptors() {
    let numbers = |_| {
        let mut world = World::new();
        let ids: Vec<_> = (0..20)
            .map(|n| {
                let builder = ComponentDescriptor::builder(format!("descriptors:many {n}"), Description::<u64>::new());
                world.register_component_with_descriptor(builder.build()).unwrap()
            })
            .collect();
        let addresses =
            world.components().iter().map(|info| std::ptr::from_ref(info.descriptor()).addr()).collect::<Vec<_>>();
        (ids, addresses)
    };
    let all: Vec<_> = (0..50).map(numbers).collect();
    assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn threads_that_build_the_same_get_the_same() {
    let build = || std::ptr::from_ref(text("descriptors:threads").build()).addr();
    let all: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(build)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|address| *address == build()));
}
