use strata_ecs::component::HookContext;
use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;

#[derive(Component)]
#[component(on_add = greet)]
struct Player;

fn greet(world: DeferredWorld, context: HookContext) {
    println!("{} of {} entities", context.entity, world.len());
}

fn main() {
    World::new().spawn(Player);
}
