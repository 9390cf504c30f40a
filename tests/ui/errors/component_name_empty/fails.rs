//! A stable name is what files call a component or a resource. Without the option `name` that is the path of the type,
//! from its crate on.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(name = "")]
struct Health(u32);

fn main() {
    World::new().spawn(Health(3));
}
