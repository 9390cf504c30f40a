use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    world.spawn_columns(vec![Health(1), Health(2)]).unwrap();
    assert_eq!(world.len(), 2);
}
