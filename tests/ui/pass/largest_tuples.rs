//! What the limits of the messages say can be had: 16 members of a tuple, 16 parameters of a plain function, 20 systems.
use strata_ecs::prelude::*;

#[derive(Component)]
struct A;
#[derive(Component)]
struct N<const I: usize>;
#[derive(Resource, Default)]
struct Sum(u32);

type L<'s> = Local<'s, u8>;
type W = With<A>;

#[rustfmt::skip]
fn widest(
    mut sum: ResMut<Sum>, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L,
) {
    sum.0 += 1;
}

#[rustfmt::skip]
fn widest_with_an_input(
    In(amount): In<u32>,
    mut sum: ResMut<Sum>, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L, _: L,
) {
    sum.0 += amount;
}

#[rustfmt::skip]
fn largest_terms(
    data: Query<(&A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A), (W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W)>,
    any: Query<AnyOf<(&A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &A, &N<15>)>, Or<(W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, With<N<15>>)>>,
    all: (L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L),
) {
    let _ = all;
    assert_eq!((data.count(), any.count()), (1, 2));
}

#[rustfmt::skip]
fn main() {
    let mut world = World::new();
    world.init_resource::<Sum>();
    world.spawn(A);
    world.spawn((
        N::<0>, N::<1>, N::<2>, N::<3>, N::<4>, N::<5>, N::<6>, N::<7>, N::<8>, N::<9>, N::<10>, N::<11>, N::<12>, N::<13>,
        N::<14>, N::<15>,
    ));
    let f = widest;
    let mut schedule = Schedule::default();
    schedule.add_systems((f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, largest_terms));
    schedule.add_systems((|| 1).pipe(widest_with_an_input));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Sum>().0, 20);
}
