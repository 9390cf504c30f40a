use strata_ecs::prelude::*;

type L<'s> = Local<'s, u8>;

#[system]
#[rustfmt::skip]
fn wide(_: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L) {}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(wide);
    schedule.run(&mut World::new());
}
