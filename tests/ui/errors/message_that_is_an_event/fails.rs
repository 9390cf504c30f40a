//! An event calls its observers at once; a message waits until systems read it. A type with `#[derive(Event)]` is triggered.
use strata_ecs::prelude::*;

#[derive(Event)]
struct Hit(u32);

fn main() {
    World::new().write_message(Hit(1));
}
