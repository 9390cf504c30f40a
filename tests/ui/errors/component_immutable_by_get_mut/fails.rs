//! No method lends an immutable component mutably, neither one of the world nor one of an entity. Insert another value.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Owner(String);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Owner("Ann".into())).id();
    world.get_mut::<Owner>(entity).unwrap().0 = "Bob".into();
}
