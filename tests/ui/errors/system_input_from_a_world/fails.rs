//! The value that a system is lent is made of the world. That can be done with a default, or with what implements `FromWorld`.
use strata_ecs::prelude::*;

struct Seed(u32);

fn draw(InMut(seed): InMut<Seed>) {
    seed.0 += 1;
}

fn main() {
    Schedule::default().add_systems(draw.with_input_from::<Seed>());
}
