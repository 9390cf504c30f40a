use strata_ecs::prelude::*;

struct Player(Entity);

impl ContainsEntity for Player {
    fn entity(&self) -> Entity {
        self.0
    }
}

#[derive(EntityEvent)]
struct Hit {
    entity: Player,
}

fn main() {
    let mut world = World::new();
    let despawn = |hit: On<Hit>, mut commands: Commands| commands.entity(hit.entity.0).despawn();
    let player = Player(world.spawn_empty().observe(despawn).id());
    world.trigger(Hit { entity: player });
    assert!(world.is_empty());
}
