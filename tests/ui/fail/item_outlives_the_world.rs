use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let kept: &A;
    {
        let mut world = World::new();
        world.spawn(A(1));
        let mut query = world.query::<&A>();
        kept = query.single(&world).unwrap();
    }
    assert_eq!(kept.0, 1);
}
