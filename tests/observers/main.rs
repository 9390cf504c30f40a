//! Events that are triggered, and the observers that run for them.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

mod batches;
mod chains;
mod deferred;
mod entities;
mod errors;
mod lacking;
mod matches;
mod one;
mod order;
mod params;
mod propagation;
mod rows;
mod spawned;
mod targets;
mod threads;

use strata_ecs::prelude::*;

/// The actions of observers, in order.
#[derive(Resource, Default, Debug, PartialEq)]
pub struct Log(Vec<String>);

impl Log {
    /// Notes what an observer has done.
    pub fn note(&mut self, what: impl ToString) {
        self.0.push(what.to_string());
    }
}

/// A world with a [`Log`].
pub fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world
}

/// Takes what was noted so far.
pub fn noted(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}
