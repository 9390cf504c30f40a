use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
struct Place {
    position: &'static Position,
}

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
    let mut places = world.query::<Place>();
    assert_eq!(places.single(&world).unwrap().position.0, 1.0);
}
