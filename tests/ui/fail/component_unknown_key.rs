use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storrage = "sparse")]
struct Tag;

fn main() {
    World::new().spawn(Tag);
}
