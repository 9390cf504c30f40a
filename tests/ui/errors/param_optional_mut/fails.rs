//! An optional component is borrowed with a plain reference: `Option<&mut T>`. `Mut<T>`, which notes whether it was
//! changed, is for components that every row has.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[system]
fn recharge(health: &Health, shield: Option<Mut<Shield>>) {
    if let Some(mut shield) = shield {
        shield.0 = shield.0.max(health.0);
    }
}

fn main() {
    Schedule::new().add_systems(recharge);
}
