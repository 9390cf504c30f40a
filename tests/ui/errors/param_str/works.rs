use strata_ecs::prelude::*;

#[derive(Component)]
struct Name(String);

#[system]
fn greet(name: &Name) {
    assert!(!name.0.is_empty());
}

fn main() {
    let mut world = World::new();
    world.spawn(Name("Troll".to_owned()));
    world.run_system_once(greet).unwrap();
}
