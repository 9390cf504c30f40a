use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

struct Heal(u32);

impl EntityCommand for Heal {
    type Out = ();

    fn apply(self, mut entity: EntityWorldMut<'_>) {
        entity.insert(Health(self.0));
    }
}

fn main() {
    let mut world = World::new();
    let entity = world.commands().spawn_empty().queue(Heal(3)).id();
    world.flush();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
}
