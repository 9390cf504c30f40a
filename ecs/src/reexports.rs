//! The public modules: the names that users find in each, in addition to the names that a layer itself makes public.
//!
//! Users look for a name where bevy_ecs has it: `system::Query`, `schedule::SystemSet`, `world::Mut`. The layers define names
//! according to the dependencies of the code. This file is the only place that connects the two. Each module here is re-exported by
//! the layer of that name, or by the root of the crate if no layer has it; `tests/systems/public_paths.rs` lists all names, and
//! `tests/compile/bevy_paths.rs` compares them with the paths of bevy_ecs.
//!
//! Tests: tests/systems/public_paths.rs

/// See [`system`](mod@crate::system).
pub(crate) mod system {
    pub use super::in_system::{command, entity_command, lifetimeless};
    pub use strata_ecs_derive::SystemParam;

    pub use crate::query::{Query, QueryLens};
    pub use crate::schedule::ScheduleSystem;
    pub use crate::system::commands::{Commands, EntityCommands};
    pub use crate::world::{
        Command, CommandOutput, EntityCommand, EntityEntryCommands, ExclusiveSystemParam, RegisteredSystemError,
        RunSystemOnce, SystemBuffer, SystemId, SystemParamBuilder, SystemState, assert_is_read_only_system,
        assert_is_system, assert_system_does_not_conflict,
    };
}

/// The modules in [`system`](mod@crate::system).
pub(crate) mod in_system {
    /// Functions that make commands: for code that passes commands on, or stores them in a list.
    pub mod command {
        pub use crate::world::Command;
        pub use crate::world::made_commands::of_world::*;
    }

    /// Functions that make commands for one entity.
    pub mod entity_command {
        pub use crate::world::EntityCommand;
        pub use crate::world::made_commands::of_entity::*;
    }

    /// Parameters and query data with `'static` lifetimes, for the fields of structs and for aliases.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::lifetimeless::{Read, SQuery, SRes};
    /// use strata_ecs::system::{StaticSystemParam, SystemParam};
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Resource)] struct Limit(u32);
    ///
    /// type Strong = (SQuery<Read<Health>>, SRes<Limit>);
    ///
    /// fn count(strong: StaticSystemParam<Strong>) -> usize {
    ///     let (all, limit) = strong.into_inner();
    ///     all.iter().filter(|health| health.0 >= limit.0).count()
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Limit(3));
    /// world.spawn_batch([Health(1), Health(3)]);
    /// assert_eq!(world.run_system_once(count).unwrap(), 1);
    /// ```
    pub mod lifetimeless {
        /// A [`Query`](crate::query::Query).
        pub type SQuery<D, F = ()> = crate::query::Query<'static, 'static, D, F>;
        /// `&T` in a query.
        pub type Read<T> = &'static T;
        /// `&mut T` in a query.
        pub type Write<T> = &'static mut T;
        /// A [`Res`](crate::system::Res).
        pub type SRes<T> = crate::system::Res<'static, T>;
        /// A [`ResMut`](crate::system::ResMut).
        pub type SResMut<T> = crate::system::ResMut<'static, T>;
        /// [`Commands`](crate::command::Commands).
        pub type SCommands = crate::system::commands::Commands<'static, 'static>;
    }
}

/// See [`query`](crate::query).
pub(crate) mod query {
    pub use strata_ecs_derive::{QueryData, QueryFilter};

    pub use crate::access::{Access, FilteredAccess};
    pub use crate::query::AddedComponents as Given;
    pub use crate::world::QueryBuilder;
}

/// See [`schedule`](crate::schedule).
pub(crate) mod schedule {
    pub use strata_ecs_derive::{ScheduleLabel, SystemSet};

    pub use crate::schedule::label::{DynEq, InternedScheduleLabel, InternedSystemSet, ScheduleLabel, SystemSet};
    pub use crate::system::{BoxedCondition, SystemCondition, common_conditions};
    pub use crate::world::{ApplyDeferred, Schedules};
}

/// See [`world`](crate::world).
pub(crate) mod world {
    pub use crate::query::change::{Mut, Ref};
    pub use crate::schedule::TryRunScheduleError;
    pub use crate::structure::store::{
        CloneError, ColumnAccessError, CommandError, EntityBuilder, ErasedAccessError, InsertErasedError,
        OnCommandError, SetFieldError, SpawnColumnsError, WorldId,
    };
    pub use crate::system::commands::CommandQueue;
    pub use crate::system::{
        FilteredResources, FilteredResourcesBuilder, FilteredResourcesMut, FilteredResourcesMutBuilder,
    };

    /// Errors of worlds.
    pub mod error {
        pub use crate::schedule::TryRunScheduleError;
        pub use crate::system::ResourceFetchError;
        pub use crate::world::{EntityMutableFetchError, TryInsertBatchError};
    }
}

/// See [`message`](crate::message).
pub(crate) mod message {
    pub use strata_ecs_derive::Message;

    pub use crate::system::{MessageMutator, MessageReader, MessageWriter};
}

/// See [`entity`](crate::entity).
pub(crate) mod entity {
    pub use crate::structure::store::{SpawnAtError, SpawnError};
    pub use crate::world::{EntityCloner, EntityClonerBuilder, OptIn, OptOut};

    /// Hash maps whose keys are entities.
    pub mod hash_map {
        pub use crate::entity::EntityHashMap;
    }

    /// Hash sets of entities.
    pub mod hash_set {
        pub use crate::entity::EntityHashSet;
    }

    /// Vectors in which each entity occurs once.
    pub mod unique_vec {
        pub use crate::entity::UniqueEntityVec;
    }

    /// Arrays in which each entity occurs once.
    pub mod unique_array {
        pub use crate::entity::UniqueEntityArray;
    }
}

/// See [`component`](crate::component).
pub(crate) mod component {
    pub use strata_ecs_derive::Component;

    pub use crate::query::change::{ComponentTicks, Tick};
    pub use crate::world::ComponentIdFor;
}

/// See [`bundle`](crate::bundle).
pub(crate) mod bundle {
    pub use strata_ecs_derive::Bundle;

    pub use crate::structure::bundle::{BundleField as Leaf, FieldLayout as LeafAt};
}

/// See [`relationship`](crate::relationship).
pub(crate) mod relationship {
    pub use crate::query::{AncestorIter, DescendantDepthFirstIter, DescendantIter};
    pub use crate::world::{RelatedSpawner, RelatedSpawnerCommands};
}

/// See [`name`](crate::name).
pub(crate) mod name {
    pub use crate::query::named::*;
}

/// See [`hierarchy`](crate::hierarchy).
pub(crate) mod hierarchy {
    pub use crate::world::{ChildSpawner, ChildSpawnerCommands};
}

/// See [`resource`](crate::resource).
pub(crate) mod resource {
    pub use strata_ecs_derive::Resource;
}

/// See [`event`](crate::event).
pub(crate) mod event {
    pub use strata_ecs_derive::{EntityEvent, Event};
}

#[doc = include_str!("guide/change_detection.md")]
pub mod change_detection {
    /// The name of [`RefSlice`](crate::query::RefSlice) in bevy_ecs.
    pub type ContiguousRef<'w, T> = crate::query::RefSlice<'w, T>;
    /// The name of [`ErasedMut`](crate::change::ErasedMut) in bevy_ecs.
    pub type MutUntyped<'w> = crate::query::change::ErasedMut<'w>;

    pub use crate::query::change::{ComponentTicks, DetectChanges, DetectChangesMut, Mut, Ref, Tick};
    #[cfg(feature = "std")]
    pub use crate::system::{NonSend, NonSendMut};
    pub use crate::system::{Res, ResMut};
}

/// How events propagate to other entities.
pub mod traversal {
    pub use crate::events::event::Traversal;
}

/// Bundles that spawn other entities and link them to the entity that the bundle is inserted into.
pub mod spawn {
    pub use crate::world::{
        Spawn, SpawnIter, SpawnOneRelated, SpawnRelated, SpawnRelatedBundle, SpawnWith, SpawnableList, WithOneRelated,
        WithRelated,
    };
}

/// How rows are divided into tasks: see [`Query::par_iter`](crate::query::Query::par_iter).
pub mod batching {
    pub use crate::query::BatchingStrategy;
}

/// See [`error`](mod@crate::error).
pub(crate) mod error {
    /// The name of [`EcsError`] in bevy_ecs.
    pub type BevyError = EcsError;

    use crate::util::error::EcsError;

    pub use crate::schedule::{OnError, SystemError};
    pub use crate::structure::store::{CommandError, OnCommandError};
    pub use crate::system::Result;
    pub use crate::util::alloc_error::AllocError;
    pub use crate::world::CommandOutput;
}

/// Type-erased references.
pub mod ptr {
    /// The name of [`ErasedRef`](crate::component::ErasedRef) in bevy_ecs.
    pub type Ptr<'a> = crate::component::ErasedRef<'a>;
}

/// Interned labels of sets and schedules, compared by address.
pub mod intern {
    pub use crate::schedule::label::{Internable, Interned, Interner};
}

/// Lifecycle events and hooks.
pub mod lifecycle {
    pub use crate::events::event::{
        Add, AddEvent, Despawn, DespawnEvent, Discard, DiscardEvent, Insert, InsertEvent, Remove, RemoveEvent,
    };
    pub use crate::events::observer::{ComponentHook, ComponentHooks, HookContext};
    pub use crate::structure::removal::{RemovedComponentReader, RemovedIter};
    pub use crate::system::{RemovedComponents, RemovedValues};
}

/// See [`storage`](crate::storage).
pub(crate) mod storage {
    pub use crate::entity::TableId;
    pub use crate::storage::table::{Table, Tables};
}

/// Utilities for systems.
#[cfg(feature = "std")]
pub mod utils {
    pub use crate::util::parallel::{LocalMut, Parallel};
}

/// The modules at the root of the crate that are no rooms.
pub(crate) mod root {
    #[cfg(feature = "std")]
    pub use super::utils;
    pub use super::{batching, change_detection, intern, lifecycle, ptr, spawn, traversal};

    #[doc(inline)]
    pub use crate::component::entity_disabling;
    pub use crate::events::{event, observer};
    #[doc(hidden)]
    pub use crate::macro_support as __private;
    #[doc(inline)]
    pub use crate::query::{change, selection};
    pub use crate::relations::{hierarchy, name, relation, relationship};
    #[doc(inline)]
    pub use crate::schedule::label;
    #[doc(hidden)]
    pub use crate::storage::table;
    #[doc(inline)]
    pub use crate::storage::{message, resource};
    #[doc(hidden)]
    pub use crate::structure::store;
    pub use crate::structure::{bundle, removal};
    #[doc(inline)]
    pub use crate::system::commands as command;
    #[doc(hidden)]
    pub use crate::util::alloc_error;
    pub use crate::util::{error, pool, simd};
}
