//! An option that no macro knows would have no effect, so it is refused. The message lists those that there are.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Stunned;

#[system(witout(Stunned))]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
