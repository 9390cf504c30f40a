use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Resource)]
struct Medicine(u32);

#[system]
fn heal(medicine: Res<Medicine>, health: &mut Health) {
    health.0 += medicine.0;
}

fn main() {
    let mut health = Health(1);
    heal(Res::from(&Medicine(2)), &mut health);
    assert_eq!(health.0, 3);
}
