use strata_ecs::prelude::*;

#[derive(Component)]
#[component(name = 5)]
struct Number;

#[derive(Component)]
#[component(name)]
struct Flag;

#[derive(Component)]
#[component(name = "a", name = "b")]
struct Twice;

#[derive(Resource)]
#[resource(name = a::path)]
struct Path;

#[derive(Message)]
#[message(name = "of_a_message")]
struct Told;

fn main() {
    let mut world = World::new();
    world.spawn((Number, Flag, Twice));
    world.insert_resource(Path);
}
