//! Messages: what systems tell others that run later.

mod lifetimes;
mod model;
mod panics;
mod params;
mod schedules;
mod warnings;

use strata_ecs::prelude::*;

#[derive(Message, Debug, PartialEq, Clone, Copy, Default)]
struct Hit(u32);

/// Nothing about the type parameters is known at compile time.
#[derive(Message)]
struct Hidden<T: Send + Sync + 'static>(T);

#[derive(Resource, Default)]
struct Log(Vec<u32>);

fn log(mut hits: MessageReader<'_, '_, Hit>, mut log: ResMut<'_, Log>) {
    log.0.extend(hits.read().map(|hit| hit.0));
}

/// A world with a [`Log`].
fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

fn take_log(world: &mut World) -> Vec<u32> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}
