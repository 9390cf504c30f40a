use strata_ecs::prelude::*;

#[derive(Event)]
struct Restart;

fn restart(_: On<Restart>, mut commands: Commands) {
    commands.queue(|world: &mut World| world.clear_entities());
}

fn main() {
    let mut world = World::new();
    world.add_observer(restart);
    world.spawn_empty();
    world.trigger(Restart);
    assert!(world.is_empty());
}
