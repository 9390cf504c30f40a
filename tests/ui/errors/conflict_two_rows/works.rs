use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health) {
    health.0 += health.0;
}

fn main() {
    let mut health = Health(2);
    heal(&mut health);
    assert_eq!(health.0, 4);
}
