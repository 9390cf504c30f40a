use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "sparse")]
enum Effect {
    Burning,
    Frozen,
}

fn main() {
    let mut world = World::new();
    world.spawn_batch([Effect::Burning, Effect::Frozen]);
    assert_eq!(world.query::<&Effect>().iter(&world).count(), 2);
}
