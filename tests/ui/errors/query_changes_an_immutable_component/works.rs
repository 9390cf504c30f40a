use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Parent(Entity);

fn adopt(children: Query<Entity, With<Parent>>, tribe: Query<Entity, Without<Parent>>, mut commands: Commands) {
    let Some(chief) = tribe.iter().next() else { return };
    for child in &children {
        commands.entity(child).insert(Parent(chief));
    }
}

fn main() {
    let mut world = World::new();
    let [chief, other] = [world.spawn_empty().id(), world.spawn_empty().id()];
    let child = world.spawn(Parent(other)).id();
    world.run_system_once(adopt).unwrap();
    assert_eq!(world.get::<Parent>(child).unwrap().0, chief);
}
