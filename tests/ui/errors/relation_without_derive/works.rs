use strata_ecs::prelude::*;

#[derive(Relation)]
struct Hunting;

fn main() {
    let mut world = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
    assert!(world.relate(wolf, Hunting, rabbit));
}
