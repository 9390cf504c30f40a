//! Members of tuples, of tuples in tuples and of tuples with methods, that are no systems or no sets: each error underlines the one.
use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Step;

fn idle() {}
fn wrong(_: u32) {}
fn number() -> u32 {
    1
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((idle, (idle, wrong)));
    schedule.add_systems((idle, idle, |_: f32| ()).run_if(|| true));
    schedule.add_systems((idle, number).in_set(Step));
    schedule.add_systems((wrong, idle).after(Step));
    schedule.add_systems((idle, (wrong, idle)).before(Step));
    schedule.configure_sets((Step, 3_u8));
    schedule.configure_sets((Step, 3_u8).chain());
    schedule.add_systems(wrong);
}
