//! `Ref`, `Changed` and `Added` need to know when values were written, and this component keeps no ticks. To read it,
//! take `&Position`.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "never")]
struct Position(f32);

#[system]
fn report(entity: Entity, position: Ref<Position>) {
    println!("{entity} is at {}", position.0);
}

fn main() {
    Schedule::default().add_systems(report);
}
