//! Other forms of a parameter that is called after what is linked with the row, and has no mark.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);
#[derive(Relation)]
struct Hunting;

#[system(down = ChildOf)]
fn count(place: &mut Place, parent: &Offset) {
    place.0 += parent.0;
}

#[system(down = ChildOf)]
fn name(_: &Place, parent: Entity) {
    assert_ne!(parent, Entity::PLACEHOLDER);
}

#[system(pairs = Hunting)]
fn look(place: &mut Place, target: Entity) {
    place.0 = target.index() as f32;
}

fn main() {
    Schedule::default().add_systems((count, name, look));
}
