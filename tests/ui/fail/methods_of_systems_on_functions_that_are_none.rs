use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Set;

struct Handle;

type L<'s> = Local<'s, u8>;

fn good() {}
fn condition() -> bool {
    true
}
fn bad(_: Handle) {}
fn bad_condition(_: Handle) -> bool {
    true
}
fn bad_first(_: Handle) -> u32 {
    1
}
fn bad_second(_: In<u32>, _: Handle) {}
fn first() -> u32 {
    1
}
fn second(_: In<u32>) {}
fn of_rows(_: &mut u8, _: &u16) {}
fn exclusive(_: &mut World, _: Commands) {}
#[rustfmt::skip]
fn wide(_: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L) {}

#[rustfmt::skip]
fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((good, bad.before(good)));
    schedule.add_systems(bad.in_set(Set));
    schedule.add_systems(bad.run_if(condition));
    schedule.add_systems(bad.distributive_run_if(condition));
    schedule.add_systems(bad.ambiguous_with(good));
    schedule.add_systems(good.after(bad));
    schedule.add_systems(good.run_if(bad_condition));
    schedule.add_systems(good.run_if(condition()));
    schedule.add_systems(good.run_if(bad_condition.and(condition)));
    schedule.add_systems(good.run_if(condition.or(bad_condition)));
    schedule.add_systems(bad_first.pipe(second));
    schedule.add_systems(first.pipe(bad_second));
    schedule.add_systems(bad_first.map(|_| ()));
    schedule.add_systems(of_rows.after(good));
    schedule.add_systems(exclusive.after(good));
    schedule.add_systems(wide.after(good));
    schedule.add_systems((|_: u32| {}).after(good));
    schedule.add_systems((good, bad).after(good));
    schedule.add_systems((good, good, good, good, good, good, good, good, good, good, good,
        good, good, good, good, good, good, good, good, good, good).chain());
    let _ = bad.after(good);
}
