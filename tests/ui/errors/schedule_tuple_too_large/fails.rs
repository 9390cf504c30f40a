//! A tuple of systems has at most 20 members. More systems go into tuples in a tuple, or are added by another call.
use strata_ecs::prelude::*;

fn f() {}

#[rustfmt::skip]
fn main() {
    Schedule::default().add_systems((f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f));
}
