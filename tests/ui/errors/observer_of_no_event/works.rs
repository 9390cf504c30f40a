use strata_ecs::prelude::*;

#[derive(Event)]
struct Hit;

fn main() {
    let mut world = World::new();
    world.add_observer(|_: On<Hit>| {});
    world.trigger(Hit);
}
