use strata_ecs::prelude::*;

struct Restart;

impl Command for Restart {
    type Out = ();

    fn apply(self, world: &mut World) {
        world.clear_entities();
    }
}

fn main() {
    let mut world = World::new();
    world.spawn_empty();
    world.commands().queue(Restart);
    world.flush();
    assert!(world.is_empty());
}
