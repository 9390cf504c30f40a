use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(mut queries: ParamSet<(Query<&mut Health>, Query<Entity, Changed<Health>>)>) {
    let wounded = queries.p1().count() as u32;
    for mut health in &mut queries.p0() {
        health.0 += wounded;
    }
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 2);
}
