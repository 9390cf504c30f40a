//! A resource is a type that says so, of which a world has at most one value. Write `#[derive(Resource)]` above the
//! type.
use strata_ecs::prelude::*;

struct Score(u32);

fn main() {
    World::new().insert_resource(Score(1));
}
