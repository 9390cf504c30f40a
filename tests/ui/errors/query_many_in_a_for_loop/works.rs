use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Health(3)).id();
    let mut state = world.query::<&mut Health>();
    let mut query = state.query_mut(&mut world);
    let mut many = query.iter_many_mut([entity, entity]).matched();
    while let Some(mut health) = many.fetch_next() {
        health.0 += 1;
    }
    assert_eq!(world.get::<Health>(entity).unwrap().0, 5);
}
