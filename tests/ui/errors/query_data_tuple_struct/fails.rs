//! A query struct gives names to the parts of a query. Where no names are needed, a tuple is a query already.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);

#[derive(QueryData)]
struct Mover(&'static Position, &'static Velocity);

fn main() {
    World::new().query::<Mover>();
}
