//! A pair whose target is despawned is released, or ignored, or its source ends as well.
use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(on_target_despawn = "cascades")]
struct MountedOn;

fn main() {
    let mut world = World::new();
    let [ship, turret] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(turret, MountedOn, ship);
}
