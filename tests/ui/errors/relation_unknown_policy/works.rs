use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(on_target_despawn = "cascade")]
struct MountedOn;

fn main() {
    let mut world = World::new();
    let [ship, turret] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(turret, MountedOn, ship);
    world.despawn(ship);
    assert!(world.is_empty());
}
