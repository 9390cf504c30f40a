//! A system borrows everything for one call, so the lifetimes of its parameters are all the same length and none can
//! be said to be longer than another. Most can be left out.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Name(String);
#[derive(Resource)]
struct Longest(usize);

#[system]
fn measure<'w, 'n: 'w>(name: &'n Name, mut longest: ResMut<'w, Longest>) {
    longest.0 = longest.0.max(name.0.len());
}

fn main() {
    Schedule::default().add_systems(measure);
}
