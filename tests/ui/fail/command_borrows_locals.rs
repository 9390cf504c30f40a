use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    let mut count = 0;
    world.commands().queue(|_: &mut World| count += 1);
    world.flush();
    assert_eq!(count, 1);
}
