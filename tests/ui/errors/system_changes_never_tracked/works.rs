use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(changed(Position))]
fn report(entity: Entity) {
    println!("{entity} has moved");
}

fn main() {
    let mut world = World::new();
    world.spawn(Position(1.0));
    world.run_system_once(report).unwrap();
}
