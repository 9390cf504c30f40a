//! Components lie side by side in columns, so all values of one type have the same size, and texts have not. A
//! component that has a `String` in it does.
use strata_ecs::prelude::*;

#[system]
fn greet(name: &str) {
    assert!(!name.is_empty());
}

fn main() {
    Schedule::default().add_systems(greet);
}
