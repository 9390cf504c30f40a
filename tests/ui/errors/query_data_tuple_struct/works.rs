use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);

#[derive(QueryData)]
struct Mover {
    position: &'static Position,
    velocity: &'static Velocity,
}

fn main() {
    let mut world = World::new();
    world.spawn((Position(1.0), Velocity(2.0)));
    let mut movers = world.query::<Mover>();
    let mover = movers.single(&world).unwrap();
    assert_eq!(mover.position.0 + mover.velocity.0, 3.0);
}
