//! A message waits until systems read it; an event calls its observers at once. A type with `#[derive(Message)]` is written.
use strata_ecs::prelude::*;

#[derive(Message)]
struct Hit(u32);

fn main() {
    World::new().trigger(Hit(1));
}
