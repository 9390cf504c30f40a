use strata_ecs::prelude::*;
use strata_ecs::system::assert_is_read_only_system;

#[derive(Component)]
struct Health(u32);

fn count(all: Query<&Health>) -> usize {
    all.iter().count()
}

fn population(world: &World) -> usize {
    world.len()
}

fn main() {
    assert_is_read_only_system(count);
    assert_is_read_only_system(population);
}
