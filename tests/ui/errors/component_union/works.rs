use strata_ecs::prelude::*;

#[derive(Component)]
enum Target {
    Index(u32),
    Distance(f32),
}

fn main() {
    let mut world = World::new();
    let turret = world.spawn(Target::Index(1)).id();
    world.entity_mut(turret).insert(Target::Distance(2.0));
    assert!(matches!(world.get(turret), Some(Target::Distance(2.0))));
}
