//! A parameter named `target` does not silently refer to the entity itself.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting)]
fn pursue(speed: &mut Speed, at: &Place, target: &Place) {
    speed.0 = target.0 - at.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
