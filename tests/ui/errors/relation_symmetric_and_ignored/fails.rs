//! With `"ignore"` a pair stays until its source goes. A symmetric relation has no source.
use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(symmetric, on_target_despawn = "ignore")]
struct Touches;

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Touches, b);
}
