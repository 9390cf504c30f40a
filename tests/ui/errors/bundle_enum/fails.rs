//! A bundle is a fixed set of components: which ones an entity gets may not depend on a value. Let each variant be a
//! bundle of its own, or insert a component that is an enum.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Bundle)]
enum Unit {
    Soldier(Health),
    Building,
}

fn main() {
    World::new().spawn_batch([Unit::Soldier(Health(10)), Unit::Building]);
}
