//! A hook is a function of two parameters: the world, whose values it may change, and what has happened.
use strata_ecs::component::HookContext;
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_add = greet)]
struct Player;

fn greet(world: &mut World, context: HookContext) {
    println!("{} of {} entities", context.entity, world.len());
}

fn main() {
    World::new().spawn(Player);
}
