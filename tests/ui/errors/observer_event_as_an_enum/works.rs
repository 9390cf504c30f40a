use strata_ecs::prelude::*;

enum Weapon {
    Sword,
    Arrow,
}

#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
    by: Weapon,
}

fn main() {
    let mut world = World::new();
    let orc = world.spawn_empty().id();
    for by in [Weapon::Sword, Weapon::Arrow] {
        let mut hit = Hit { entity: orc, by };
        world.trigger_ref(&mut hit);
        assert!(matches!(hit.by, Weapon::Sword | Weapon::Arrow));
    }
}
