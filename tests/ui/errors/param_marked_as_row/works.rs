use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Resource)]
struct Dt(f32);

#[system]
fn movement(position: &mut Position, dt: Res<Dt>) {
    position.0 += dt.0;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Dt(0.5));
    let entity = world.spawn(Position(1.0)).id();
    world.run_system_once(movement).unwrap();
    assert_eq!(world.get::<Position>(entity).unwrap().0, 1.5);
}
