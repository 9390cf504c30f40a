//! A system set is a type that says so, and whose values can be compared.
use strata_ecs::prelude::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Physics;

fn uses(_: impl SystemSet) {}

fn main() {
    uses(Physics);
}
