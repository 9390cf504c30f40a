//! `#[row]` marks what is different for each row, and a resource, a query or the commands are the same for all of
//! them.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Resource)]
struct Dt(f32);

#[system]
fn movement(position: &mut Position, #[row] dt: Res<Dt>) {
    position.0 += dt.0;
}

fn main() {
    Schedule::default().add_systems(movement);
}
