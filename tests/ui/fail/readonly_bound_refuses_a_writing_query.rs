use strata_ecs::prelude::*;
use strata_ecs::query::ReadOnlyQueryData;

#[derive(Component)]
struct A(u8);

fn shared<D: ReadOnlyQueryData>(_: &mut QueryState<D>) {}

fn main() {
    let mut world = World::new();
    shared(&mut world.query::<&A>());
    shared(&mut world.query::<&mut A>());
}
