use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Physics {
    bits: u32,
}

fn main() {
    assert_ne!(Physics { bits: 1 }.intern(), Physics { bits: 2 }.intern());
}
