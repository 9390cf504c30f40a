use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn check(position: &Position) {
    assert!(position.0.is_finite());
}

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
    world.run_system_once(check).unwrap();
}
