//! `#[row]` and `#[param]` say everything with their name; there is nothing to choose.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
type Life<'a> = &'a Health;

#[system]
fn check(#[row(read)] life: Life) {
    assert!(life.0 > 0);
}

fn main() {
    Schedule::default().add_systems(check);
}
