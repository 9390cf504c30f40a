use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Hit {
    #[event_target]
    orc: Entity,
    damage: u32,
}

fn main() {
    let mut world = World::new();
    let orc = world.spawn_empty().id();
    let mut hit = Hit { orc, damage: 1 };
    world.trigger_ref(&mut hit);
    assert_eq!(hit.damage, 1);
}
