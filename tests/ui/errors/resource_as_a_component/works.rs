use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

fn main() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    assert_eq!(world.resource::<Score>().0, 1);
}
