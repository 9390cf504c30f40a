use strata_ecs::prelude::*;

#[derive(Relation)]
struct Hunting;

fn main() {
    let mut world = World::new();
    assert_eq!(world.query::<Pairs<&Hunting>>().iter(&world).count(), 0);
}
