use strata_ecs::prelude::*;

#[derive(Component)]
#[component(plain)]
#[repr(C)]
struct Position(f32, f32);

fn main() {
    World::new().spawn(Position(1.0, 2.0));
}
