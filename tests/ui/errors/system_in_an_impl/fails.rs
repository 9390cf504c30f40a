//! A system becomes an item with a type of its own, which cannot stand in an `impl`. With `#[system(associated)]` it
//! becomes an associated constant instead, whose inside does not know `Self`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

impl Health {
    #[system]
    fn heal(health: &mut Self) {
        health.0 += 1;
    }
}

fn main() {
    World::new().spawn(Health(1));
}
