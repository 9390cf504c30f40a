use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn wrong(a: &mut A, all: Query<Entity>) {
    a.0 += "one";
    let missing = undefined;
}

fn main() {
    Schedule::default().add_systems(wrong);
}
