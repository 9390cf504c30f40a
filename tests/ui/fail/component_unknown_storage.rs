use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "spares")]
struct Tag;

#[derive(Component)]
#[component(storage = sparse)]
struct Bare;

#[derive(Component)]
#[component(storage = 3)]
struct Number;

fn main() {
    World::new().spawn((Tag, Bare, Number));
}
