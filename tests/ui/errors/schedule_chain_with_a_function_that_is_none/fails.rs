//! One member of the tuple is not a system, so the tuple does not have the methods of systems. The underlined one is
//! wrong: a system has no parameter of type `u32`.
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
