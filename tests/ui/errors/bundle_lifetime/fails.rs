//! The values in a bundle go into the world, and stay there as long as their entity. So its fields may not borrow
//! anything: store the values themselves.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Bundle)]
struct Monster<'a> {
    health: Health,
    #[bundle(ignore)]
    note: &'a str,
}

fn main() {
    World::new().spawn(Monster { health: Health(30), note: "hungry" });
}
