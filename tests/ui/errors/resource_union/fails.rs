//! In the end the world drops its resources, and of a union it cannot know which field to drop. An enum says which of
//! its variants it is.
use strata_ecs::prelude::*;

#[derive(Resource)]
union Difficulty {
    level: u32,
    factor: f32,
}

fn main() {
    World::new().insert_resource(Difficulty { level: 3 });
}
