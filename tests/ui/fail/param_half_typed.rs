//! rustc reports these by itself, before the macro sees them; the macro adds nothing.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn without_type(health) {
    health.0 += 1;
}

#[system]
fn without_name(: &mut Health) {}

fn main() {
    Schedule::default().add_systems((without_type, without_name));
}
