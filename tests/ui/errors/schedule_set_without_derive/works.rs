use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Physics;

fn uses(_: impl SystemSet) {}

fn main() {
    uses(Physics);
}
