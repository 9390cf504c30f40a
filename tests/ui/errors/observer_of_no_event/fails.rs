//! An observer is notified of events. Derive `Event` for the type in `On`, or `EntityEvent` if it happens to an entity.
use strata_ecs::prelude::*;

struct Alarm;

#[observer]
fn wake_up(_alarm: On<Alarm>) {}

fn main() {}
