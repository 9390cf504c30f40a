//! The option names the type that says how the event finds its observers.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(trigger)]
struct Hit(Entity);

fn main() {}
