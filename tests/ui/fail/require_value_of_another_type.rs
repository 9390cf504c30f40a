use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Component)]
#[require(Health = 100)]
struct Monster;

fn main() {
    let _ = Health(1).0;
}
