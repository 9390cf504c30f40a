use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_add = |_, context| println!("hello, {}", context.entity))]
struct Player;

fn main() {
    World::new().spawn(Player);
}
