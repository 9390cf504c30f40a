//! Components by their ids, and components that are made at run time.

use strata_ecs::component::{
    ChangeTracking, ComponentDescriptor, ComponentDescriptorBuilder, ComponentId, Description, StorageType,
};
use strata_ecs::prelude::*;
use strata_tests::drops::Token;

mod access;
mod columns;
mod commands;
mod descriptors;
mod drops;
mod errors;
mod fields;
mod layouts;
mod paths;
mod several;
mod tracking;
mod worlds;

#[derive(Component, Clone, Debug, PartialEq, Default)]
struct Health(u32);
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Aside(String);
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Debug, PartialEq, Default)]
struct Shield(u8);
#[derive(Component)]
#[require(Shield(7))]
struct Knight;

/// A component with a token, which counts its drops.
#[derive(Debug)]
struct Held(#[expect(dead_code, reason = "it is dropped")] Token);

const STORAGES: [StorageType; 2] = [StorageType::Table, StorageType::Sparse];

/// A component whose values are tokens.
fn held(name: &'static str) -> ComponentDescriptorBuilder {
    ComponentDescriptor::builder(name, Description::<Held>::new())
}

fn text(name: &'static str) -> ComponentDescriptorBuilder {
    ComponentDescriptor::builder(name, Description::<String>::new().with_clone().with_debug().with_eq().with_default())
}

fn unit(name: &'static str) -> ComponentDescriptorBuilder {
    ComponentDescriptor::builder(name, Description::<()>::new().with_clone())
}

fn register(world: &mut World, builder: ComponentDescriptorBuilder) -> ComponentId {
    world.register_component_with_descriptor(builder.build()).expect("the name is free")
}

/// The component of a text, as an entity has it.
fn text_of(world: &World, entity: Entity, id: ComponentId) -> Option<&String> {
    world.get_by_id(entity, id).ok().map(|value| value.downcast_ref().expect("it is a text"))
}

/// Components with values in tables, with values outside of tables, and tags.
fn all_storages(world: &mut World) -> [ComponentId; 4] {
    let sparse = StorageType::Sparse;
    [
        register(world, text("storages:table")),
        register(world, text("storages:sparse").storage(sparse)),
        register(world, unit("storages:table tag")),
        register(world, unit("storages:sparse tag").storage(sparse).tracking(ChangeTracking::Always)),
    ]
}
