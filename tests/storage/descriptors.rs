//! Descriptions of components and resources, which a world uses without their types.

use std::any::TypeId;

use strata_ecs::component::{ComponentDescriptor, ComponentIdentity, StableNameError, StorageType};
use strata_ecs::prelude::*;
use strata_tests::panics;

mod entities;
mod fields;
mod functions;
mod names;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Stunned;
#[derive(Resource)]
struct Gravity(f64);

#[test]
fn a_descriptor_says_what_the_type_is() {
    let health = ComponentDescriptor::of::<Health>();
    assert_eq!(health.identity(), ComponentIdentity::Type(TypeId::of::<Health>()));
    assert_eq!((health.type_id(), health.name()), (Some(TypeId::of::<Health>()), "storage::descriptors::Health"));
    assert_eq!((health.layout().size(), health.storage()), (4, Some(StorageType::Table)));
    assert_eq!(ComponentDescriptor::of::<Stunned>().storage(), Some(StorageType::Sparse));
    let gravity = ComponentDescriptor::of_resource::<Gravity>();
    assert_eq!((gravity.type_id(), gravity.layout().size()), (Some(TypeId::of::<Gravity>()), 8));
    assert_eq!((gravity.name(), gravity.storage()), ("storage::descriptors::Gravity", None));
    let mut world = World::new();
    world.insert_resource(Gravity(9.81));
    assert!((world.resource::<Gravity>().0 - 9.81).abs() < 0.01);
    let entity = world.spawn(Health(7)).id();
    assert_eq!(world.get::<Health>(entity).expect("spawned").0, 7);
    assert!(world.resource_descriptors().any(|resource| resource.identity() == gravity.identity()));
}

#[test]
fn a_type_that_is_both_has_two_descriptors_of_one_identity() {
    #[derive(Component, Resource)]
    #[component(name = "both")]
    #[resource(name = "both")]
    struct Both;
    let [component, resource] = [ComponentDescriptor::of::<Both>(), ComponentDescriptor::of_resource::<Both>()];
    assert_eq!(component.identity(), resource.identity());
    let mut world = World::new();
    world.insert_resource(Both);
    world.spawn(Both);
    assert!(world.components().get_id_by_name("both").is_ok());
}
