//! `extern` fixes how a function is called by other languages, but a system is called by the schedule only. Let a
//! system and a foreign function call a third one.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
extern "C" fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
