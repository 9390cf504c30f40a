//! Only systems have the methods `before`, `after` and the like, and a function with a parameter of a type such as
//! `Handle` is not a system. Without the method, `#[system]` above the function shows which parameter is wrong.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

struct Handle(u32);

fn reset() {}

fn start(all: Query<&Health>, handle: Handle) {
    assert!(all.iter().all(|health| health.0 < handle.0));
}

fn main() {
    Schedule::default().add_systems((reset, start.after(reset)));
}
