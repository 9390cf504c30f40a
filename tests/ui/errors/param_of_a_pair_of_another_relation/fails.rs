//! The value is one of the relation that the system goes through.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[derive(Relation)]
struct Fearing;

#[system(pairs = Hunting)]
fn pursue(speed: &mut Speed, #[pair] fearing: &Fearing) {
    let _ = fearing;
    speed.0 += 1.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
