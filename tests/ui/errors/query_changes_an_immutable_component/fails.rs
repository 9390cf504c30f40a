//! The values of a component with `#[component(immutable)]` are replaced and never changed in place, so nothing borrows them
//! mutably. Insert another value, by commands or by the world.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Parent(Entity);

fn adopt(children: Query<&mut Parent>, tribe: Query<Entity, Without<Parent>>) {
    let _ = (children, tribe);
}

fn main() {
    let _ = adopt;
}
