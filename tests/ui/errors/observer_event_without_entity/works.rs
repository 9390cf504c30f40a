use strata_ecs::prelude::*;

#[derive(EntityEvent)]
struct Rain(Entity);

fn main() {
    World::new().spawn_empty().trigger(Rain);
}
