//! The items that most programs need: `use strata_ecs::prelude::*;`.
//!
//! ```
//! use strata_ecs::prelude::*;
//!
//! #[derive(Component)]
//! struct Position(f32);
//! #[derive(Component)]
//! struct Velocity(f32);
//!
//! #[system]
//! fn movement(position: &mut Position, velocity: &Velocity) {
//!     position.0 += velocity.0;
//! }
//!
//! let mut world = World::new();
//! let entity = world.spawn((Position(1.0), Velocity(2.0))).id();
//! world.run_system_once(movement).unwrap();
//! assert_eq!(world.get::<Position>(entity).unwrap().0, 3.0);
//! ```
// Tests: tests/systems/public_paths.rs

// rustdoc does not index the search aliases of items from another crate, so the re-exports repeat them.
pub use strata_ecs_derive::{ScheduleLabel, SystemSet};
#[doc(alias("IJobEntity", "SystemBase", "ISystem", "OnUpdate", "each", "ForEach"))]
pub use strata_ecs_derive::{observer, system};

pub use crate::component::Component;
pub use crate::entity::{ContainsEntity, Entity, EntityMapper};
pub use crate::events::event::{Add, Despawn, Discard, EntityEvent, Event, Insert, Remove};
pub use crate::events::observer::{Observer, ObserverSystemExt, On, OnBatch};
pub use crate::macro_support::macros::{children, related};
pub use crate::query::change::{DetectChanges, DetectChangesMut, Mut, Ref};
pub use crate::query::selection::EntitySelection;
pub use crate::query::{
    Added, Allow, AnyOf, Changed, ChildRows, Has, Or, Pairs, PairsTo, Query, QueryData, QueryFilter, QueryState,
    Target, With, Without,
};
pub use crate::reexports::change_detection::ContiguousRef;
pub use crate::reexports::error::BevyError;
pub use crate::relations::hierarchy::{ChildOf, Children};
pub use crate::relations::name::{Name, NameOrEntity};
pub use crate::relations::relation::Relation;
pub use crate::relations::relationship::{Relationship, RelationshipTarget};
pub use crate::schedule::label::{ScheduleLabel, SystemSet};
#[doc(hidden)]
pub use crate::schedule::{FunctionOfNoSystem as _, TupleOfNoSystems as _};
pub use crate::schedule::{IntoScheduleConfigs, Schedule};
pub use crate::storage::message::{Message, Messages};
pub use crate::storage::resource::Resource;
pub use crate::structure::bundle::{Bundle, ColumnBatch};
pub use crate::structure::store::EntityBuilder;
pub use crate::system::commands::{CommandQueue, Commands, EntityCommands, SelectionCommands};
pub use crate::system::common_conditions::{
    any_component_removed, any_match_filter, any_with_component, condition_changed, condition_changed_to, not,
    on_message, resource_added, resource_changed, resource_changed_or_removed, resource_equals, resource_exists,
    resource_exists_and, resource_exists_and_changed, resource_exists_and_equals, resource_removed, run_once,
};
pub use crate::system::{
    BoxError, ContextExt, EcsError, FilteredResources, FilteredResourcesMut, If, In, InMut, InRef, IntoSystem, Local,
    Lookup, MessageMutator, MessageReader, MessageWriter, ParamSet, Populated, RemovedComponents, RemovedValues, Res,
    ResMut, Result, ResultSeverityExt, Severity, Single, System, SystemCondition, SystemIn, SystemInput, SystemParam,
    SystemParamFunction,
};
#[cfg(feature = "std")]
pub use crate::system::{NonSend, NonSendMut, ParallelCommands};
pub use crate::world::{
    ApplyDeferred, ChildSpawner, ChildSpawnerCommands, Command, EntityCommand, EntityMut, EntityRef, EntityWorldMut,
    FromWorld, QueryBuilder, RunSystemOnce, Schedules, Spawn, SpawnIter, SpawnRelated, SpawnWith, SystemId,
    SystemParamBuilder, SystemState, WithOneRelated, WithRelated, World,
};
