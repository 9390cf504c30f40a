//! When an entity goes the world drops its components, and of a union it cannot know which field to drop. An enum
//! says which of its variants it is.
use strata_ecs::prelude::*;

#[derive(Component)]
union Target {
    index: u32,
    distance: f32,
}

fn main() {
    World::new().spawn(Target { index: 1 });
}
