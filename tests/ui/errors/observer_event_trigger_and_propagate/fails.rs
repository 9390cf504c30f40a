//! An event that goes on from an entity to others finds them in this one way.
use strata_ecs::event::EntityTrigger;
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(trigger = EntityTrigger, auto_propagate)]
struct Push(Entity);

fn main() {}
