use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(symmetric)]
struct Touches(f32);

fn cool(world: &mut World) {
    let pairs: Vec<_> = world.pairs::<Touches>().map(|(a, _, b)| (a, b)).collect();
    for (a, b) in pairs {
        world.get_pair_mut::<Touches>(a, b).unwrap().0 *= 0.5;
    }
}

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Touches(4.0), b);
    cool(&mut world);
    assert_eq!(world.get_pair::<Touches>(b, a).unwrap().0, 2.0);
}
