//! The list may name an entity twice, and then a `for` loop could keep two mutable borrows of one component.
//! `fetch_next` lends one item, which is given back before the next one.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(3)).id();
    let mut state = world.query::<&mut Health>();
    for mut health in state.query_mut(&mut world).iter_many_mut([entity, entity]).matched() {
        health.0 += 1;
    }
}
