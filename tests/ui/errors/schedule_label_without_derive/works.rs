use strata_ecs::prelude::*;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Fixed;

fn uses(_: impl ScheduleLabel) {}

fn main() {
    uses(Fixed);
}
