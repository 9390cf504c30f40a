//! [`World`]: the public interface of the crate to entities, components, resources and schedules.
//!
//! A facade over the [store](crate::store): it has no state of its own, and no module below depends on it.
// Tests: ecs/src/world/tests.rs, tests/storage/world.rs

#[macro_use]
mod forward;
mod cast;
mod links;
mod links_of_data;
mod hooks;
mod core_api;
mod entity_ref;
mod entity_except;
mod filtered_entity;
mod entity_mut;
mod entity_conversions;
mod unchecked;
mod entity_fetch;
mod entity_fetcher;
mod entities;
mod spawn_batch;
mod selections;
mod deferred_events;
mod columns;
mod query_state;
mod query_slices;
mod inspect;
mod query_builder;
mod explain;
mod deferred;
mod systems;
mod system_buffer;
mod apply_deferred;
mod system_state;
mod exclusive;
mod param_builder;
mod one_shot;
mod schedules;
mod schedule_views;
mod resources;
#[cfg(feature = "std")]
mod non_send;
mod messages;
mod frame;
mod changes;
mod removed;
mod assertions;
mod entry;
mod entity_scopes;
mod own_commands;
mod entry_commands;
mod after_frame;
mod batches;
mod conditional_commands;
mod related;
mod spawn_related;
mod cloner;
mod named;
pub(crate) mod made_commands;
mod component_id_for;
mod component_fetch;
mod erased;
mod erased_resources;

pub use self::apply_deferred::ApplyDeferred;
pub use self::assertions::{
    AssertedSystem, assert_is_read_only_system, assert_is_system, assert_system_does_not_conflict,
};
pub use self::batches::TryInsertBatchError;
pub use self::cast::World;
pub use self::cloner::{EntityCloner, EntityClonerBuilder, OptIn, OptOut};
pub use self::component_fetch::DynamicComponentFetch;
pub use self::component_id_for::ComponentIdFor;
pub use self::deferred::DeferredWorld;
pub use self::entity_except::{EntityMutExcept, EntityRefExcept};
pub use self::entity_fetch::{EntityMutableFetchError, WorldEntityFetch};
pub use self::entity_fetcher::EntityFetcher;
pub use self::entity_mut::EntityWorldMut;
pub use self::entity_ref::{EntityMut, EntityRef};
pub use self::entry::{ComponentEntry, OccupiedComponentEntry, VacantComponentEntry};
pub use self::entry_commands::EntityEntryCommands;
pub use self::exclusive::{DeferredMarker, ExclusiveSystemParam};
pub use self::filtered_entity::{FilteredEntityMut, FilteredEntityRef};
pub(crate) use self::hooks::{DispatchGuard, notify_observers, report_not_dispatched, report_trigger};
pub(crate) use self::links::{arrange_sources, names_entities, part_circles, rename};
pub(crate) use self::links_of_data::{broken_links, links_of_parts, listed_sources, other_side};
pub use self::one_shot::{RegisteredSystemError, SystemId};
pub use self::own_commands::{Command, CommandOutput, EntityCommand};
pub use self::param_builder::SystemParamBuilder;
pub use self::query_builder::QueryBuilder;
pub use self::related::{ChildSpawner, ChildSpawnerCommands, RelatedSpawner, RelatedSpawnerCommands};
pub use self::schedules::Schedules;
pub(crate) use self::schedules::{for_each_schedule, keeps_systems};
pub use self::spawn_batch::SpawnBatchIter;
pub use self::spawn_related::{
    Spawn, SpawnIter, SpawnOneRelated, SpawnRelated, SpawnRelatedBundle, SpawnWith, SpawnableList, WithOneRelated,
    WithRelated,
};
pub use self::system_buffer::SystemBuffer;
pub use self::system_state::SystemState;
pub use self::systems::{ExclusiveMarker, FromWorld, RunSystemOnce};
pub use crate::reexports::world::*;

#[cfg(test)]
mod tests;
