use strata_ecs::component::Describe;
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(plain)]
struct Anyhow(u32);

#[derive(Component)]
#[component(plain)]
enum Team {
    Red,
}

#[derive(Describe)]
#[describe(plain = "yes")]
#[repr(C)]
struct Point(u32);

fn main() {}
