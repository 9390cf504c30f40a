use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(Resource)]
struct Handle(u32);

fn reset() {}

fn start(all: Query<&Health>, handle: Res<Handle>) {
    assert!(all.iter().all(|health| health.0 < handle.0));
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Handle(2));
    world.spawn(Health(1));
    let mut schedule = Schedule::default();
    schedule.add_systems((reset, start.after(reset)));
    schedule.run(&mut world);
}
