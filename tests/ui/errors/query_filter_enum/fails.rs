//! All fields of a struct must hold. Which variant of an enum must hold would be open; `Or` says that one of
//! several filters is enough.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield;

#[derive(QueryFilter)]
enum Sturdy {
    Health(With<Health>),
    Shield(With<Shield>),
}

fn main() {}
