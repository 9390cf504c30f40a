//! `with`, `without` and `any` choose the rows that a row system visits. A system without row parameters runs once
//! and visits none; each of its queries has a filter of its own.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Enemy;

#[system(with(Enemy))]
fn census(all: Query<Entity>) {
    assert!(all.count() < 100);
}

fn main() {
    Schedule::default().add_systems(census);
}
