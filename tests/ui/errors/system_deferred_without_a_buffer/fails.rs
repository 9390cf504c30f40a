//! A buffer that a system fills must define how it is applied to the world.
use strata_ecs::prelude::*;
use strata_ecs::system::Deferred;

#[system]
fn collect(mut lines: Deferred<Vec<String>>) {
    lines.push("one".into());
}

fn main() {
    World::new().run_system_once(collect).unwrap();
}
