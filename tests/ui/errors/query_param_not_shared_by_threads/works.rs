use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Message)]
struct Died;

fn bury(all: Query<&Health>, died: MessageWriter<Died>) {
    all.par_iter().for_each_with(died, |died, health| {
        if health.0 == 0 {
            died.write(Died);
        }
    });
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([Health(0), Health(1), Health(0)]);
    world.run_system_once(bury).unwrap();
    assert_eq!(world.resource::<Messages<Died>>().len(), 2);
}
