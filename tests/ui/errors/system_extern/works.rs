use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    let mut health = Health(1);
    heal(&mut health);
    assert_eq!(health.0, 2);
}
