use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut commands = {
        let mut world = World::new();
        world.commands()
    };
    commands.spawn(A(1));
}
