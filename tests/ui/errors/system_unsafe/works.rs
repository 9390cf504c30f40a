use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health) {
    if health.0 < 100 {
        // SAFETY: 1 can be added to what is less than 100.
        health.0 = unsafe { health.0.unchecked_add(1) };
    }
}

fn main() {
    let mut health = Health(1);
    heal(&mut health);
    assert_eq!(health.0, 2);
}
