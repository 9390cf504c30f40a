//! A `&mut` parameter of a row system changes the value of each row in place, which the values of an immutable component do not
//! allow. Record an insertion instead.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(immutable)]
struct Generation(u32);

#[system]
fn age(generation: &mut Generation) {
    generation.0 += 1;
}

fn main() {
    Schedule::default().add_systems(age);
}
