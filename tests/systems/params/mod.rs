//! Parameters of systems that are more than a borrow: sets, lookups, structs of parameters, inputs.

mod builders;
mod conditions;
mod deferred;
mod deferred_worlds;
mod exclusive;
mod filtered_resources;
mod if_and_name;
mod inputs;
mod local;
mod lookups;
mod optional;
mod sets;
mod singles;
mod singles_exchanged;
mod struct_kinds;
mod structs;
mod threads;

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct A(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct B(u32);
#[derive(Resource, Debug, PartialEq, Default)]
struct Total(u32);

/// A type with type parameters has no exact key at compile time, so conflicts about it are found at run time.
#[derive(Component, Clone)]
struct Hidden<T: Send + Sync + 'static>(T);
type H = Hidden<u8>;
#[derive(Resource)]
struct HiddenTotal<T: Send + Sync + 'static>(T);
type HTotal = HiddenTotal<u8>;

/// Ten entities with `A`, ten with `A` and `B`.
fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Total(0));
    world.spawn_batch((0..10).map(A));
    world.spawn_batch((10..20).map(|value| (A(value), B(value))));
    world
}

fn sum(world: &mut World) -> u32 {
    world.query::<&A>().iter(world).map(|a| a.0).sum()
}
