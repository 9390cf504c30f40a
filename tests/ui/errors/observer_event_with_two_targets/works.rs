use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Clash {
    entity: Entity,
    with: Entity,
}

fn main() {
    let mut world = World::new();
    let [first, second] = [(); 2].map(|()| world.spawn_empty().id());
    for (entity, with) in [(first, second), (second, first)] {
        let clash = Clash { entity, with };
        assert_ne!(clash.entity, clash.with);
        world.trigger(clash);
    }
}
