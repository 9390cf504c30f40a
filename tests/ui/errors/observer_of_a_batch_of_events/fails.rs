//! A batch is what an operation does to components. An event that is triggered comes by itself: it is `On<Hit>`.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Hit(Entity);

fn main() {
    let mut world = World::new();
    world.add_observer(|hits: OnBatch<Hit>| println!("{} hits", hits.entities().len()));
}
