//! The function of an associated system stands inside of a constant, where `Self` means nothing. Write the name of
//! the type.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

impl Health {
    #[system(associated)]
    fn heal(health: &mut Self) {
        health.0 += 1;
    }
}

fn main() {
    Schedule::default().add_systems(Health::heal);
}
