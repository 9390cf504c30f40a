use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(symmetric)]
struct Touches;

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    assert!(world.relate(a, Touches, b));
}
