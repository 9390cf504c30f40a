//! A parameter named `children` does not silently refer to the row itself.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Size(f32);

#[system(up = ChildOf)]
fn add(size: &mut Size, children: Option<&Weight>) {
    size.0 += children.map_or(0.0, |children| children.0);
}

#[derive(Component)]
struct Weight(f32);

fn main() {
    Schedule::default().add_systems(add);
}
