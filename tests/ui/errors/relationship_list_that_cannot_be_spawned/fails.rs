//! `Children::spawn` takes a list of what is to be spawned: a bundle becomes one by `Spawn`, or by `children![..]`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Wheel;

fn main() {
    let _car = Children::spawn(Wheel);
}
