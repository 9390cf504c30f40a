use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Owner(String);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Owner("Ann".into())).id();
    world.entity_mut(entity).insert(Owner("Bob".into()));
    assert_eq!(world.get::<Owner>(entity).unwrap().0, "Bob");
}
