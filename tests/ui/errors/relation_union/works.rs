use strata_ecs::prelude::*;

#[derive(Relation)]
struct Bits {
    whole: u32,
}

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Bits { whole: 3 }, b);
    assert_eq!(world.get_pair::<Bits>(a, b).unwrap().whole, 3);
}
