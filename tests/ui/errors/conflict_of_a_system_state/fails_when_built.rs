//! The parameters of a `SystemState` are checked against each other as those of a system are.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let mut state = SystemState::<(Query<&mut Health>, Single<&Health>)>::new(&mut world);
    let _ = state.get_mut(&mut world);
}
