//! `contiguous_iter` yields whole slices of rows. The rows of a query enum differ from each other, so they are
//! yielded one by one.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[derive(QueryData)]
enum Target {
    Shielded(&'static Shield),
    Naked(&'static Health),
}

fn main() {
    let mut world = World::new();
    let mut targets = world.query::<Target>();
    let _slices = targets.contiguous_iter(&world);
}
