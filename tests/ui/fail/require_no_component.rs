use strata_ecs::prelude::*;

#[derive(Default)]
struct Health(u32);

#[derive(Component)]
#[require(Health)]
struct WithDefault;

#[derive(Component)]
#[require(Health(4))]
struct WithValue;

fn main() {
    let _ = Health(1).0;
}
