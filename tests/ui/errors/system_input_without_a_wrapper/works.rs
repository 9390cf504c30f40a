use strata_ecs::prelude::*;

#[derive(Resource)]
struct OnHit(SystemId<In<u32>>);

fn hurt(In(strength): In<u32>) {
    assert_eq!(strength, 3);
}

fn main() {
    let mut world = World::new();
    let id = world.register_system(hurt);
    world.insert_resource(OnHit(id));
    world.run_system_with(id, 3).unwrap();
}
