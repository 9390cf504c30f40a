use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Physics;

fn gravity() {}

fn draw() {}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((gravity.in_set(Physics), draw.after(Physics)));
    schedule.run(&mut World::new());
}
