use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    let mut many = query.iter_many_mut([entity, entity]).matched();
    let mut first = many.fetch_next().unwrap();
    let mut second = many.fetch_next().unwrap();
    std::mem::swap(&mut *first, &mut *second);
}
