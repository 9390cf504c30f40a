use strata_ecs::prelude::*;

#[derive(Component)]
struct Name {
    text: String,
}

fn main() {
    let mut world = World::new();
    let troll = world.spawn(Name { text: "Troll".to_owned() }).id();
    assert_eq!(world.get::<Name>(troll).unwrap().text, "Troll");
}
