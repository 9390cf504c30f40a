use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Medicine(u32);

#[system]
fn heal(health: &mut Health, medicine: Res<Medicine>) {
    health.0 += medicine.0;
}

fn main() {
    let mut health = Health(1);
    heal(&mut health, Res::from(&Medicine(2)));
    assert_eq!(health.0, 3);
}
