//! Components of the target of a pair are read by systems over pairs.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system]
fn pursue(speed: &mut Speed, at: &Place, #[target] prey: &Place) {
    speed.0 = prey.0 - at.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
