//! If there were two values, only one could count. Options that take a list take all of it at once: `with(Enemy, Boss)`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Component)]
struct Boss;

#[system(with(Enemy), with(Boss))]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
