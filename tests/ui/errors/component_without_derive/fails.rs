//! A component is a type that says so. The derive also tells where its values are stored, so write
//! `#[derive(Component)]` above the type.
use strata_ecs::prelude::*;

struct Position(f32);

fn main() {
    World::new().spawn(Position(1.0));
}
