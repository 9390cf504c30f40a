use strata_ecs::prelude::*;

#[derive(Component)]
struct Wound;

fn main() {
    let mut world = World::new();
    world.add_observer(|wounds: OnBatch<Add<Wound>>| assert_eq!(wounds.entities().len(), 2));
    world.spawn_batch([Wound, Wound]);
}
