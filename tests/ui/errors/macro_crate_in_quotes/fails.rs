//! `crate` says where the macros find this library if it has another name in your crate. It is a path and no text, so
//! it stands without quotes.
use strata_ecs as engine;
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(crate = "engine")]
struct Health(u32);

fn main() {
    engine::World::new().spawn(Health(3));
}
