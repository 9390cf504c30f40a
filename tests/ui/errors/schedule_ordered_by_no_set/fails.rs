//! Systems are ordered by systems and by sets. The values of a type name sets if it has the derive.
use strata_ecs::prelude::*;

struct Physics;

fn draw() {}

fn main() {
    Schedule::default().add_systems(draw.after(Physics));
}
