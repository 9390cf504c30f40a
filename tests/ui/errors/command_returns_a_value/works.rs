use strata_ecs::prelude::*;

#[derive(Resource)]
struct Count(usize);

fn main() {
    let mut world = World::new();
    world.commands().queue(|world: &mut World| {
        let count = Count(world.len());
        world.insert_resource(count);
    });
    world.flush();
    assert_eq!(world.resource::<Count>().0, 0);
}
