//! A parameter for messages of a type that is none: of a world system, and of a row system.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
struct Hit(u32);
struct Died;

#[system]
fn write(mut hits: MessageWriter<Hit>) {
    hits.write(Hit(3));
}

#[system]
fn rows(health: &Health, mut died: MessageMutator<Died>) {
    died.read().for_each(|_| assert_eq!(health.0, 0));
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((write, rows));
}
