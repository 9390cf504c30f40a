//! The option names the query data that leads on from an entity.
use strata_ecs::prelude::*;

#[derive(EntityEvent)]
#[entity_event(propagate(()))]
struct Pull(Entity);

fn main() {}
