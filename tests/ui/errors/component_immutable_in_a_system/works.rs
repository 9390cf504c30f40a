use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Generation(u32);

#[system]
fn age(entity: Entity, generation: &Generation, mut commands: Commands) {
    commands.entity(entity).insert(Generation(generation.0 + 1));
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Generation(1)).id();
    world.run_system_once(age).unwrap();
    assert_eq!(world.get::<Generation>(entity).unwrap().0, 2);
}
