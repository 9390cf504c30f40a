use strata_ecs::prelude::*;

#[derive(Relation)]
struct Calls(String);

fn main() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(a, Calls("Rex".into()), b);
    assert_eq!(world.get_pair::<Calls>(a, b).unwrap().0, "Rex");
}
