//! The public modules: which names users find where, beside those that a layer itself makes public.
//!
//! Users look for a name where bevy_ecs has it: `system::Query`, `schedule::SystemSet`, `world::Mut`. The layers put it where the order
//! of the code puts it. This file is the only place that knows both. Each module here is passed on by the layer of that name, or by the
//! root of the crate if no layer has it; `tests/systems/paths.rs` holds all of it.

/// See [`system`](mod@crate::system).
pub(crate) mod system {
    pub use strata_ecs_derive::SystemParam;

    pub use crate::command::{Commands, EntityCommands};
    pub use crate::query::{Query, QueryLens};
    pub use crate::schedule::ScheduleSystem;
    pub use crate::world::{
        Command, CommandOutput, EntityCommand, EntityEntryCommands, RegisteredSystemError, RunSystemOnce, SystemId,
        SystemParamBuilder, SystemState, assert_is_read_only_system, assert_is_system, assert_system_does_not_conflict,
    };
}

/// See [`query`](crate::query).
pub(crate) mod query {
    pub use strata_ecs_derive::{QueryData, QueryFilter};

    pub use crate::access::{Access, FilteredAccess};
    pub use crate::world::QueryBuilder;
}

/// See [`schedule`](crate::schedule).
pub(crate) mod schedule {
    pub use strata_ecs_derive::{ScheduleLabel, SystemSet};

    pub use crate::label::{InternedScheduleLabel, InternedSystemSet, ScheduleLabel, SystemSet};
    pub use crate::system::{BoxedCondition, SystemCondition, common_conditions};
    pub use crate::world::Schedules;
}

/// See [`world`](crate::world).
pub(crate) mod world {
    pub use crate::change::{Mut, Ref};
    pub use crate::command::CommandQueue;
    pub use crate::store::{
        CloneError, ColumnAccessError, CommandError, EntityBuilder, ErasedAccessError, InsertErasedError,
        OnCommandError, SpawnColumnsError, WorldId,
    };
}

/// See [`message`](crate::message).
pub(crate) mod message {
    pub use strata_ecs_derive::Message;

    pub use crate::system::{MessageMutator, MessageReader, MessageWriter};
}

/// See [`entity`](crate::entity).
pub(crate) mod entity {
    pub use crate::store::{SpawnAtError, SpawnError};
    pub use crate::world::{EntityCloner, EntityClonerBuilder, OptIn, OptOut};
}

/// See [`component`](crate::component).
pub(crate) mod component {
    pub use strata_ecs_derive::Component;

    pub use crate::change::{ComponentTicks, Tick};
    pub use crate::world::ComponentIdFor;
}

/// See [`bundle`](crate::bundle).
pub(crate) mod bundle {
    pub use strata_ecs_derive::Bundle;
}

/// See [`resource`](crate::resource).
pub(crate) mod resource {
    pub use strata_ecs_derive::Resource;
}

/// See [`event`](crate::event).
pub(crate) mod event {
    pub use strata_ecs_derive::Event;
}

#[doc = include_str!("change_detection.md")]
pub mod change_detection {
    pub use crate::change::{ComponentTicks, DetectChanges, DetectChangesMut, Mut, Ref, Tick};
    #[cfg(feature = "std")]
    pub use crate::system::{NonSend, NonSendMut};
    pub use crate::system::{Res, ResMut};
}

/// How rows are cut into tasks: see [`Query::par_iter`](crate::query::Query::par_iter).
pub mod batching {
    pub use crate::query::BatchingStrategy;
}

/// What a system returns that may fail, and errors of the whole library.
pub mod error {
    /// bevy_ecs's name of [`EcsError`].
    pub type BevyError = EcsError;

    pub use crate::alloc_error::AllocError;
    pub use crate::schedule::{OnError, SystemError};
    pub use crate::store::{CommandError, OnCommandError};
    pub use crate::system::handlers::{debug, error, ignore, info, panic, trace, warn};
    pub use crate::system::{BoxError, ContextExt, EcsError, ErrorContext, Result, ResultSeverityExt, Severity};
}

/// Names of sets and schedules, compared by address.
pub mod intern {
    pub use crate::label::Interned;
}

/// What entities have lost.
pub mod lifecycle {
    pub use crate::removal::{RemovedComponentReader, RemovedIter};
    pub use crate::system::{RemovedComponents, RemovedValues};
}

/// The tables in which entities with the same components are.
pub mod storage {
    pub use crate::entity::TableId;
    pub use crate::table::{Table, Tables};
}
