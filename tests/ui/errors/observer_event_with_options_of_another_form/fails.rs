//! Both options name a type.
use strata_ecs::event::EntityTrigger;
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(trigger)]
struct Hit(Entity);

#[derive(EntityEvent)]
#[entity_event(propagate(HangsOn))]
struct Pull(Entity);

#[derive(EntityEvent)]
#[entity_event(trigger = EntityTrigger, auto_propagate)]
struct Push(Entity);

fn main() {}
