use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Points(u32);

#[system]
fn points(health: &Health, mut points: ResMut<Points>) {
    points.0 += health.0;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Points(0));
    world.spawn_batch([Health(1), Health(2)]);
    world.run_system_once(points).unwrap();
    assert_eq!(world.resource::<Points>().0, 3);
}
