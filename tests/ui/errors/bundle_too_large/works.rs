use strata_ecs::prelude::*;

#[derive(Component)]
struct N<const I: usize>;

#[rustfmt::skip]
fn main() {
    let mut world = World::new();
    let id = world.spawn((
        (N::<0>, N::<1>, N::<2>, N::<3>, N::<4>, N::<5>, N::<6>, N::<7>, N::<8>),
        (N::<9>, N::<10>, N::<11>, N::<12>, N::<13>, N::<14>, N::<15>, N::<16>),
    )).id();
    assert!(world.get::<N<0>>(id).is_some() && world.get::<N<16>>(id).is_some());
}
