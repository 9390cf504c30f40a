//! A derive that is not imported: rustc's error about it is the only one.
use strata_ecs::prelude::*;

#[derive(Component, NotThere)]
struct Health(u32);

#[derive(NotThere, Resource)]
struct Score {
    #[allow(dead_code)]
    points: u32,
}

#[derive(Bundle, NotThere)]
struct Player {
    health: Health,
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Score { points: 1 });
    world.spawn(Player { health: Health(1) });
}
