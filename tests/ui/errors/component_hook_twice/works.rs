use strata_ecs::prelude::*;

#[derive(Component)]
#[component(on_add = |_, context| println!("hello, {}", context.entity))]
struct Player;

fn main() {
    let mut world = World::new();
    world.add_observer(|_: On<Add<Player>>, all: Query<&Player>| println!("{} are here", all.count()));
    world.spawn(Player);
}
