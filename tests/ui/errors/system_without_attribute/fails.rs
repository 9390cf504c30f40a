//! A plain function is a system if all its parameters are system parameters, taken by value. A function over
//! components needs `#[system]`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    World::new().run_system_once(heal).unwrap();
}
