//! An entity may be the target of one pair and the source of another.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting)]
fn pursue(speed: &mut Speed, #[target] prey: &Speed) {
    speed.0 = prey.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
