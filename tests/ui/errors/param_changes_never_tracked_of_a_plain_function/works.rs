use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

fn report(moved: Query<&Position, Changed<Position>>) {
    println!("{} have moved", moved.count());
}

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
    world.run_system_once(report).unwrap();
}
