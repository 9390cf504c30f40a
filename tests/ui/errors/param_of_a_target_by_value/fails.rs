//! A target has components, which are borrowed.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting)]
fn pursue(speed: &mut Speed, #[target] prey: Place) {
    speed.0 = prey.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
