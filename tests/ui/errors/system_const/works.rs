use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

const fn healed(points: u32) -> u32 {
    points + 1
}

#[system]
fn heal(health: &mut Health) {
    health.0 = healed(health.0);
}

fn main() {
    let mut health = Health(1);
    heal(&mut health);
    assert_eq!(health.0, 2);
}
