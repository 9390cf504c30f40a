use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
struct Position(f32);

fn main() {
    let mut world = World::new();
    world.spawn((A(1), Position(1.0)));
}
