use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(symmetric, on_target_despawn = "release")]
struct Touches;

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Touches, b);
    world.despawn(b);
    assert_eq!(world.pair_count::<Touches>(), 0);
}
