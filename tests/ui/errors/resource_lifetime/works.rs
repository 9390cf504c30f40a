use strata_ecs::prelude::*;

#[derive(Resource)]
struct Level {
    map: Vec<u8>,
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Level { map: vec![0, 1, 1, 0] });
    assert_eq!(world.resource::<Level>().map.len(), 4);
}
