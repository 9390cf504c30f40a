use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn count(all: Query<&A>) -> usize {
    all.count()
}

fn main() {
    Schedule::default().add_systems(count);
}
