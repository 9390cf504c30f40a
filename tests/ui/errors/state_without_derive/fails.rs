//! A state is a type that says so, and whose values can be compared: a schedule belongs to each of them.
use strata_app::prelude::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Level(u32);

fn uses<S: States>() {}

fn main() {
    uses::<Level>();
}
