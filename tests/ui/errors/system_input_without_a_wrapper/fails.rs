//! The type of a system says how it is given its input: by value, or by reference.
use strata_ecs::prelude::*;

fn keep(_on_hit: SystemId<u32>) {}

fn main() {
    let _ = keep;
}
