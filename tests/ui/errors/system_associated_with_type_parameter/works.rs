use strata_ecs::prelude::*;

#[derive(Component)]
struct Timer<T>(T);

#[system]
fn reset<T: Default + Send + Sync + 'static>(timer: &mut Timer<T>) {
    timer.0 = T::default();
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Timer(1)).id();
    world.run_system_once(reset::<i32>).unwrap();
    assert_eq!(world.get::<Timer<i32>>(entity).unwrap().0, 0);
}
