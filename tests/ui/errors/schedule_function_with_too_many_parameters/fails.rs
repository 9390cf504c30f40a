//! A plain function that is a system has at most 16 parameters. With `#[system]` it has up to 40; or several parameters are one, a tuple or
//! a struct with `#[derive(SystemParam)]`.
use strata_ecs::prelude::*;

type L<'s> = Local<'s, u8>;

#[rustfmt::skip]
fn wide(_: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L) {}

fn main() {
    Schedule::default().add_systems(wide);
}
