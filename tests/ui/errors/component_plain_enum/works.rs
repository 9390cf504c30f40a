use strata_ecs::prelude::*;

#[derive(Component)]
enum Team {
    Red,
}

fn main() {
    World::new().spawn(Team::Red);
}
