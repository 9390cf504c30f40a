use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

struct Plain;

fn main() {
    let mut world = World::new();
    // Rows instead of columns.
    let _ = world.spawn_columns((Health(1), Health(2)));
    // Not a component.
    let _ = world.spawn_columns(vec![Plain]);
}
