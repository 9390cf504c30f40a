use strata_ecs::prelude::*;

#[derive(Component)]
struct Name(String);
#[derive(Resource)]
struct Longest(usize);

#[system]
fn measure(name: &Name, mut longest: ResMut<Longest>) {
    longest.0 = longest.0.max(name.0.len());
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Longest(0));
    world.spawn(Name("Troll".to_owned()));
    world.run_system_once(measure).unwrap();
    assert_eq!(world.resource::<Longest>().0, 5);
}
