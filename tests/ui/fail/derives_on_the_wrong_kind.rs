use strata_ecs::prelude::*;

#[derive(Component)]
union Bits {
    float: f32,
    integer: u32,
}

#[derive(Bundle)]
enum Either {
    Left,
    Right,
}

#[derive(Bundle)]
union Both {
    left: f32,
    right: u32,
}

fn main() {}
