//! One member of the tuple is no system. Then the tuple has no `chain` of systems, and rustc speaks of that of iterators. Without
//! `chain` the message says that a member is no system, and a call for each member shows which one. Here that is `hurt`: a system
//! has no parameter of type `u32`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn heal(mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn hurt(mut all: Query<&mut Health>, by: u32) {
    all.iter_mut().for_each(|mut health| health.0 -= by);
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((heal, hurt).chain());
}
