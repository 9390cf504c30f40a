use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(name = "health")]
struct Health(u32);

fn main() {
    World::new().spawn(Health(3));
    assert_eq!(ComponentDescriptor::of::<Health>().stable_name().unwrap(), *"health");
}
