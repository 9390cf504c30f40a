use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource, Default)]
struct Wounded(Vec<Entity>);

#[system]
fn wounded(all: Query<(Entity, &Health)>, mut wounded: ResMut<Wounded>) {
    wounded.0 = all.iter().filter(|(_, health)| health.0 < 5).map(|(entity, _)| entity).collect();
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Wounded>();
    world.spawn_batch([Health(1), Health(9)]);
    world.run_system_once(wounded).unwrap();
    assert_eq!(world.resource::<Wounded>().0.len(), 1);
}
