#![deny(warnings)]
use strata_ecs::prelude::*;
use strata_ecs::query::ReadOnlyQueryData;

#[derive(Component)]
struct A(u32);
#[derive(Component)]
struct B;
#[derive(Component)]
#[component(storage = "sparse")]
struct S;

type Filter = (With<A>, Or<(Without<B>, With<S>)>);

fn generic<D: ReadOnlyQueryData, F: QueryFilter>(world: &mut World) -> usize {
    world.query_filtered::<D, F>().iter(world).count()
}

struct Holder {
    state: QueryState<(Entity, &'static A), Filter>,
}

fn helper<'w>(query: &Query<'w, '_, &'static A>) -> u32 {
    query.iter().map(|a| a.0).sum()
}

fn main() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(|value| (A(value), S)));
    world.spawn((A(1), B));
    assert_eq!(generic::<&A, ()>(&mut world), 4);
    assert_eq!(generic::<(Entity, Option<&B>), Filter>(&mut world), 3);
    let mut holder = Holder { state: world.query_filtered() };
    assert_eq!(holder.state.iter(&world).count(), 3);
    let mut state = world.query::<&A>();
    assert_eq!(helper(&state.query(&world)), 4);
    // Items outlive the query value, as long as the world is borrowed.
    let found: Vec<&A> = { state.query(&world).into_iter().collect() };
    assert_eq!(found.len(), 4);
    let mut writing = world.query::<(&mut A, Has<B>)>();
    let total: u32 = writing.iter_mut(&mut world).map(|(mut a, b)| { a.0 += u32::from(b); a.0 }).sum();
    assert_eq!(total, 5);
}
