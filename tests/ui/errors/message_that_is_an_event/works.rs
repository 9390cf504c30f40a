use strata_ecs::prelude::*;

#[derive(Event)]
struct Hit(u32);

fn main() {
    let mut world = World::new();
    world.add_observer(|hit: On<Hit>| assert_eq!(hit.0, 1));
    world.trigger(Hit(1));
}
