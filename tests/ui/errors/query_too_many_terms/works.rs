use strata_ecs::prelude::*;

#[derive(Component)]
struct A;

#[rustfmt::skip]
fn main() {
    let mut world = World::new();
    world.spawn(A);
    let mut query = world.query::<((&A, &A, &A, &A, &A, &A, &A, &A), (&A, &A, &A, &A, &A, &A, &A, &A, &A))>();
    assert_eq!(query.iter(&world).count(), 1);
}
