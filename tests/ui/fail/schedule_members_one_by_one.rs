//! Members of a tuple that are added one by one: the error stands at the wrong one, and names it.
use strata_ecs::prelude::*;

fn idle() {}
fn wrong(_: u32) {}

fn main() {
    Schedule::default().add_systems(idle).add_systems(wrong).add_systems(idle);
}
