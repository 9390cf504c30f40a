use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Total(u32);

#[system]
fn add(mut total: ResMut<Total>, In(amount): In<u32>) {
    total.0 += amount;
}

#[system]
fn heal(In(amount): In<u32>, health: &mut Health) {
    health.0 += amount;
}

fn main() {
    let _ = World::new().run_system_once_with(add, 1);
    let _ = World::new().run_system_once_with(heal, 1);
}
