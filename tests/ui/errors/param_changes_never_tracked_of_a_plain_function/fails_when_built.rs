//! Changes of a component with `#[component(track = "never")]` are not tracked. The parameters of a function are
//! counted from one.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "never")]
struct Position(f32);

fn report(moved: Query<&Position, Changed<Position>>) {
    println!("{} have moved", moved.count());
}

fn main() {
    Schedule::default().add_systems(report);
}
