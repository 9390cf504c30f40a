//! `Changed`, `Added` and `Ref` need to know when values were written, and this component keeps no ticks.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "never")]
struct Position(f32);

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
    let _ = world.query_filtered::<&Position, Changed<Position>>();
}
