//! `for_each_with` gives the parameters of a system to several threads at the same time. They can share what is only
//! read, and what is recorded and put in order afterwards (`Commands`, `MessageWriter`).
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource, Default)]
struct Dead(u32);

fn bury(all: Query<&Health>, dead: ResMut<Dead>) {
    all.par_iter().for_each_with(dead, |dead, health| dead.0 += u32::from(health.0 == 0));
}

fn main() {
    Schedule::default().add_systems(bury);
}
