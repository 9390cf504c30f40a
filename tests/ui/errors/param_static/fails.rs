//! A system borrows the components of a row for one call, after which the world may move or drop them. So the borrow
//! cannot last for ever; leave the lifetime out.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Name(String);

#[system]
fn greet(name: &'static Name) {
    assert!(!name.0.is_empty());
}

fn main() {
    Schedule::default().add_systems(greet);
}
