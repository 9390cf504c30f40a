//! Components lie side by side in columns, so all values of one type have the same size, and slices have not. A
//! component that has a `Vec` in it does.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Item(u32);

#[system]
fn count(items: &[Item]) {
    assert!(items.len() < 100);
}

fn main() {
    Schedule::default().add_systems(count);
}
