//! A schedule label is a type that says so, and whose values can be compared.
use strata_ecs::prelude::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Fixed;

fn uses(_: impl ScheduleLabel) {}

fn main() {
    uses(Fixed);
}
