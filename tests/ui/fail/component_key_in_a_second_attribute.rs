use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "sparse")]
#[component(storage = "table")]
struct Tag;

#[derive(Component)]
#[component(storage = "sparse")]
#[component(stroage = "sparse")]
struct Other;

fn main() {
    World::new().spawn((Tag, Other));
}
