//! A parameter called `In<..>` is taken for the input of the system. If it is a type of yours that is fetched from
//! the world, say so with `#[param]`.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Total(u32);

mod shop {
    pub struct In<T>(pub T);
}

#[system]
fn add(shelf: shop::In<u32>, mut total: ResMut<Total>) {
    total.0 += shelf.0;
}

fn main() {}
