use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(mut set: ParamSet<(Query<&mut Health>, Query<&Health>)>) {
    let most = set.p1().iter().map(|health| health.0).max().unwrap_or(0);
    set.p0().iter_mut().for_each(|mut health| health.0 = most);
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([Health(1), Health(5)]);
    world.run_system_once(heal).unwrap();
    assert!(world.query::<&Health>().iter(&world).all(|health| health.0 == 5));
}
