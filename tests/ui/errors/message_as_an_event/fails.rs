//! A message waits until systems read it; an event calls its observers at once. What has `#[derive(Message)]` is written.
use strata_ecs::prelude::*;

#[derive(Message)]
struct Hit(u32);

fn main() {
    World::new().trigger(Hit(1));
}
