use strata_ecs::prelude::*;

#[derive(SystemParam)]
struct Spawner<'w, 's> {
    commands: Commands<'w, 's>,
}

fn spawn(mut spawner: Spawner) {
    spawner.commands.spawn_empty();
}

fn main() {
    let mut world = World::new();
    world.run_system_once(spawn).unwrap();
    assert_eq!(world.len(), 1);
}
