use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
fn count(a: &mut A) -> u32 {
    a.0 += 1;
    u32::from(a.0)
}

fn main() {
    Schedule::new().add_systems(count);
}
