use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Paused(bool);
#[derive(Resource)]
struct Count(usize);

fn running(paused: Res<Paused>) -> bool {
    !paused.0
}

#[system(run_if(running))]
fn count(all: Query<&Health>, mut count: ResMut<Count>) {
    count.0 = all.count();
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Paused(false));
    world.insert_resource(Count(0));
    world.spawn(Health(1));
    world.run_system_once(count).unwrap();
    assert_eq!(world.resource::<Count>().0, 1);
}
