//! A `const fn` is one that can run while the program is compiled, when there is no world yet. A system can call such
//! a function, but it cannot be one.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
const fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
