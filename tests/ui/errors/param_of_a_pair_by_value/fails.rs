//! The value of a pair is borrowed.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting)]
fn pursue(speed: &mut Speed, #[pair] hunting: Option<&Hunting>) {
    let _ = hunting;
    speed.0 += 1.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
