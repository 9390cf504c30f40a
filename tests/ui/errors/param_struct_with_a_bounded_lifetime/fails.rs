//! Each run of a system brings lifetimes of its own, of which the struct cannot demand anything.
use strata_ecs::prelude::*;

#[derive(SystemParam)]
struct Spawner<'w, 's: 'w> {
    commands: Commands<'w, 's>,
}

fn main() {}
