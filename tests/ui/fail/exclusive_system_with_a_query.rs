use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn both(world: &mut World, all: Query<&A>) {
    let _ = (world, all);
}

fn behind(all: Query<&A>, world: &mut World) {
    let _ = (world, all);
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(both);
    schedule.add_systems(behind);
}
