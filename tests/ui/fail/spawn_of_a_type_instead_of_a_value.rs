use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Component)]
struct Velocity(f32);

fn main() {
    let mut world = World::new();
    world.spawn((A, Velocity(1.0)));
    world.spawn("a string");
}
