use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn system(all: Query<A>) {
    assert!(all.is_empty());
}

fn main() {
    let mut world = World::new();
    let mut query = world.query::<A>();
    assert!(query.is_empty(&world));
    Schedule::default().add_systems(system);
}
