use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(health: &mut Health) -> Result {
    health.0 = health.0.checked_add(1).ok_or("too healthy")?;
    Ok(())
}

fn main() {
    let mut health = Health(1);
    heal(&mut health).output.unwrap();
    assert_eq!(health.0, 2);
}
