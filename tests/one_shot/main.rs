//! Systems and their parameters without a schedule of their own: registered systems, states of parameters, schedules by label.

mod registered;
mod schedules;
mod states;

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct A(u32);

#[derive(Resource, Debug, PartialEq, Default)]
struct Total(u32);

#[derive(Resource, Debug, PartialEq, Default)]
struct Log(Vec<String>);

impl Log {
    fn add(&mut self, text: impl Into<String>) {
        self.0.push(text.into());
    }
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Total>();
    world.init_resource::<Log>();
    world
}

fn log(world: &World) -> Vec<&str> {
    world.resource::<Log>().0.iter().map(String::as_str).collect()
}
