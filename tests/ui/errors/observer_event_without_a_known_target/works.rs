use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Throw {
    #[event_target]
    stone: Entity,
    at: Entity,
}

fn main() {
    let mut world = World::new();
    let [stone, at] = [(); 2].map(|()| world.spawn_empty().id());
    let throw = Throw { stone, at };
    assert!(throw.event_target() == stone && throw.at == at);
    world.trigger(throw);
}
