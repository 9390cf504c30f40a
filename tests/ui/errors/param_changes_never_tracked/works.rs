use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "never")]
struct Position(f32);

#[system]
fn report(entity: Entity, position: &Position) {
    println!("{entity} is at {}", position.0);
}

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
    world.run_system_once(report).unwrap();
}
