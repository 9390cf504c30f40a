use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Bundle)]
struct Body {
    a: A,
    speed: f32,
}

fn main() {
    World::new().spawn(Body { a: A(1), speed: 1.0 });
}
