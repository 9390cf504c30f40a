use strata_ecs::prelude::*;

#[derive(Resource)]
enum Difficulty {
    Level(u32),
    Factor(f32),
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Difficulty::Level(3));
    world.insert_resource(Difficulty::Factor(1.5));
    assert!(matches!(world.resource::<Difficulty>(), Difficulty::Factor(1.5)));
}
