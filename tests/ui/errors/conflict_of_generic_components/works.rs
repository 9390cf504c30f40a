use strata_ecs::prelude::*;

#[derive(Component)]
struct Timer<T: Send + Sync + 'static>(T);
type Ticks = Timer<u32>;

#[system]
fn tick(timer: &mut Timer<f32>, all: Query<&Ticks>) {
    timer.0 += all.iter().count() as f32;
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Timer(1.0_f32), Timer(1_u32))).id();
    world.run_system_once(tick).unwrap();
    assert_eq!(world.get::<Timer<f32>>(entity).unwrap().0, 2.0);
}
