use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Damage(u32);

fn heal(mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

fn hurt(mut all: Query<&mut Health>, by: Res<Damage>) {
    all.iter_mut().for_each(|mut health| health.0 -= by.0);
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Damage(2));
    let patient = world.spawn(Health(5)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((heal, hurt).chain());
    schedule.run(&mut world);
    assert_eq!(world.get::<Health>(patient).unwrap().0, 4);
}
