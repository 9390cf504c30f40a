use strata_ecs::prelude::*;

#[derive(SystemParam)]
struct Counters<'s> {
    ticks: Local<'s, u8>,
    tocks: Local<'s, u8>,
}

#[system]
fn tick(mut counters: Counters) {
    *counters.ticks += 1;
    *counters.tocks = *counters.ticks / 2;
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(tick);
    schedule.run(&mut World::new());
}
