use strata_ecs::component::HookContext;
use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;

#[derive(Component)]
#[component(on_add)]
struct Player;

impl Player {
    fn on_add(_: DeferredWorld, context: HookContext) {
        println!("hello, {}", context.entity);
    }
}

fn main() {
    World::new().spawn(Player);
}
