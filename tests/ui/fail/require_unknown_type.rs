use strata_ecs::prelude::*;

#[derive(Component)]
#[require(Health)]
struct Monster;

fn main() {}
