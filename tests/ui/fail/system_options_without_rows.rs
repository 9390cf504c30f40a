use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system(with(A))]
fn world_system(all: Query<Entity>) {
    assert!(all.is_empty());
}

fn main() {
    Schedule::new().add_systems(world_system);
}
