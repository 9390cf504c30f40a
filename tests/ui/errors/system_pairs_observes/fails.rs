//! An observer runs once for an event.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[derive(EntityEvent)]
struct Growl(Entity);

#[system(pairs = Hunting)]
fn pursue(growl: On<Growl>, place: &mut Place) {
    let _ = growl;
    place.0 += 1.0;
}

fn main() {
    World::new().add_observer(pursue);
}
