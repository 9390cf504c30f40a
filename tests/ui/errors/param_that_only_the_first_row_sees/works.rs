use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Message)]
struct Hit(u32);

#[system]
fn hurt(mut healths: Query<&mut Health>, mut hits: MessageReader<Hit>) {
    let sum = hits.read().map(|hit| hit.0).sum::<u32>();
    healths.iter_mut().for_each(|mut health| health.0 -= sum);
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([Health(10), Health(20)]);
    world.write_message(Hit(3));
    let mut schedule = Schedule::default();
    schedule.add_systems(hurt);
    schedule.run(&mut world);
    assert_eq!(world.query::<&Health>().iter(&world).map(|health| health.0).sum::<u32>(), 24);
}
