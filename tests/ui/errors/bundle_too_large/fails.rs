//! A tuple of bundles has at most 16 members. More components go into tuples in a tuple, or into a struct with
//! `#[derive(Bundle)]`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct N<const I: usize>;

#[rustfmt::skip]
fn main() {
    World::new().spawn((
        N::<0>, N::<1>, N::<2>, N::<3>, N::<4>, N::<5>, N::<6>, N::<7>, N::<8>,
        N::<9>, N::<10>, N::<11>, N::<12>, N::<13>, N::<14>, N::<15>, N::<16>,
    ));
}
