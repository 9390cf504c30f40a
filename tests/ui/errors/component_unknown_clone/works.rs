use strata_ecs::prelude::*;

#[derive(Component, Clone)]
#[component(clone = "never")]
struct Owner(u32);

fn main() {
    let mut world = World::new();
    let sword = world.spawn(Owner(1)).id();
    assert!(world.clone_entity(sword).is_err());
}
