use strata_ecs::prelude::*;

fn main() {
    let mut world = World::new();
    let bonus = 3;
    let id = world.register_system(move || bonus);
    assert_eq!(world.run_system(id).unwrap(), 3);
}
