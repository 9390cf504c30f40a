//! The members of a `ParamSet` are used one at a time, so they may conflict with each other. Other parameters of the
//! system are borrowed for the whole run.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn heal(mut set: ParamSet<(Query<&mut Health>, Query<&Health>)>, all: Query<&Health>) {
    let most = all.iter().map(|health| health.0).max().unwrap_or(0);
    set.p0().iter_mut().for_each(|mut health| health.0 = most);
}

fn main() {
    Schedule::default().add_systems(heal);
}
