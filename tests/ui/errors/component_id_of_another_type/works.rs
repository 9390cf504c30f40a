use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(3)).id();
    let health = world.component_id::<Health>().unwrap();
    assert!(world.entity(entity).get_by_id(health).is_ok());
}
