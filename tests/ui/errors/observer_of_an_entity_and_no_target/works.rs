use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Rain(Entity);

fn get_wet(_: On<Rain>) {}

fn main() {
    let mut world = World::new();
    let cat = world.spawn_empty().observe(get_wet).id();
    world.trigger(Rain(cat));
}
