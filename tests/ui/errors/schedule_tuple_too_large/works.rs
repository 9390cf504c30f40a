use strata_ecs::prelude::*;

fn f() {}

#[rustfmt::skip]
fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(((f, f, f, f, f, f, f, f, f, f, f), (f, f, f, f, f, f, f, f, f, f)));
    assert_eq!(schedule.systems_len(), 21);
}
