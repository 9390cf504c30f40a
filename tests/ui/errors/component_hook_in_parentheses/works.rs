use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_remove = |_, context| println!("goodbye, {}", context.entity))]
struct Player;

fn main() {
    World::new().spawn(Player);
}
