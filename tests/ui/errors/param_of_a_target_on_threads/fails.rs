//! Several pairs may have one target, and threads may have these pairs at the same time.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting, par)]
fn pursue(at: &Place, #[target] speed: &mut Speed) {
    speed.0 += at.0;
}

fn main() {
    Schedule::default().add_systems(pursue);
}
