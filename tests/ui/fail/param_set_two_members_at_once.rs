use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn two(mut set: ParamSet<(Query<&Health>, Query<&mut Health>)>) {
    let all = set.p0();
    for mut health in &mut set.p1() {
        health.0 += all.count() as u32;
    }
}

fn item(mut set: ParamSet<(Query<&Health>, Query<&mut Health>)>) {
    let best = set.p0().into_iter().max_by_key(|health| health.0);
    for mut health in &mut set.p1() {
        health.0 += best.map_or(0, |best| best.0);
    }
}

fn main() {
    World::new().run_system_once(two).unwrap();
    World::new().run_system_once(item).unwrap();
}
