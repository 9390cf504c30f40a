use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
#[require(Health, Health(4))]
struct Once;

#[derive(Component)]
#[require(Health)]
#[require(Health = Health(4))]
struct Again;

fn main() {
    let _ = Health(1).0;
}
