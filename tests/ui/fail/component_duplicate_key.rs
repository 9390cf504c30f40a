use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "sparse", storage = "table")]
struct Tag;

fn main() {
    World::new().spawn(Tag);
}
