use strata_ecs::prelude::*;

#[derive(Resource)]
struct Gravity(f32);

fn main() {
    let mut world = World::new();
    world.insert_resource(Gravity(9.81));
    assert_eq!(world.resource::<Gravity>().0, 9.81);
}
