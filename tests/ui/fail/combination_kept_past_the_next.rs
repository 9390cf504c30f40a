use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(A));
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    let mut combinations = query.iter_combinations_mut::<2>();
    let first = combinations.fetch_next().unwrap();
    let second = combinations.fetch_next().unwrap();
    let [mut a, _] = first;
    let [mut b, _] = second;
    std::mem::swap(&mut *a, &mut *b);
}
