//! All terms of a query are of one entity, so two of the same component would be the same value, borrowed twice.
//! `&mut` alone is enough: it reads, too.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let _ = World::new().query::<(&mut Health, &Health)>();
}
