use strata_ecs::prelude::*;

#[derive(Resource)]
#[resource(transient)]
struct Window(u32);

fn main() {
    World::new().insert_resource(Window(1));
}
