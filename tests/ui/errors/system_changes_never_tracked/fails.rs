//! `changed(..)`, `added(..)` and `Ref` need to know when values were written, and this component keeps no ticks.
//! Its definition says so: perhaps it is written all the time, and there is another way to find what is new.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "never")]
struct Position(f32);

#[system(changed(Position))]
fn report(entity: Entity) {
    println!("{entity} has moved");
}

fn main() {
    Schedule::default().add_systems(report);
}
