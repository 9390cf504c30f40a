use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Open(Entity);

fn main() {
    let mut world = World::new();
    let door = world.spawn_empty().id();
    world.entity_mut(door).observe(|_: On<Open>| println!("it creaks"));
    world.trigger(Open(door));
}
