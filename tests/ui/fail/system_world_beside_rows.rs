use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn exclusive(a: &mut A, world: &mut World) {
    a.0 += world.len() as u8;
}

fn main() {
    Schedule::new().add_systems(exclusive);
}
