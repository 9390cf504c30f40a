use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Total(u32);

#[system]
fn total(all: Query<&Health>, mut total: ResMut<Total>) {
    total.0 = all.iter().map(|health| health.0).sum();
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Total(0));
    world.spawn_batch([Health(3), Health(4)]);
    world.run_system_once(total).unwrap();
    assert_eq!(world.resource::<Total>().0, 7);
}
