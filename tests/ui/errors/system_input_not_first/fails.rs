//! The input of a system is its first parameter, so that a reader sees at once that it needs one.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Total(u32);

#[system]
fn add(mut total: ResMut<Total>, In(amount): In<u32>) {
    total.0 += amount;
}

fn main() {
    let _ = World::new().run_system_once_with(add, 3);
}
