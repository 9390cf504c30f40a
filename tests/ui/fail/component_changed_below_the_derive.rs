//! An attribute below the derive changes the type after the derive has seen it. A field that is described as another one than it is does not
//! compile.

use strata_ecs::prelude::*;
use strata_user_attributes::becomes;

#[derive(Component)]
#[becomes(union InUnion { number: u32 })]
struct InUnion {
    number: u32,
}

#[derive(Component)]
#[becomes(struct Subtype { call: for<'a> fn(&'a u8) })]
struct Subtype {
    call: fn(&'static u8),
}

#[derive(Component)]
#[becomes(#[repr(C, packed)] struct Unaligned { byte: u8, number: u64 })]
struct Unaligned {
    byte: u8,
    number: u64,
}

fn main() {}
