use strata_ecs::prelude::*;

#[derive(Component)]
#[component(plain)]
#[repr(C)]
struct Padded(u8, u32);

#[derive(Component)]
#[component(plain)]
#[repr(C)]
struct Alive(u32, bool);

fn main() {}
