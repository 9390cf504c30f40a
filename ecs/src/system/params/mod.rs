//! The system parameters.
//!
//! Tests: tests/systems/params

mod commands;
mod local;
mod query;
mod lookup;
mod targets;
mod single;
mod resource;
#[cfg(feature = "std")]
mod non_send;
mod message;
mod removed;
mod vec;
mod set;
mod tuples;
mod optional;
mod filtered_resources;
mod of_type;
mod dynamic;

mod read_only;
mod world;
mod deferred;

pub(super) use self::commands::CommandsSource;
#[cfg(feature = "std")]
pub use self::commands::ParallelCommands;
pub(crate) use self::deferred::AppliedToStore;
pub use self::deferred::Deferred;
pub use self::dynamic::{DynParamBuilder, DynSystemParam};
pub use self::filtered_resources::{
    FilteredResources, FilteredResourcesBuilder, FilteredResourcesMut, FilteredResourcesMutBuilder,
    FilteredResourcesMutParamBuilder, FilteredResourcesParamBuilder, ResourceFetchError,
};
pub use self::local::Local;
pub use self::lookup::Lookup;
pub(super) use self::lookup::LookupSource;
pub use self::message::{MessageMutator, MessageReader, MessageWriter};
#[cfg(feature = "std")]
pub use self::non_send::{NonSend, NonSendMarker, NonSendMut};
pub use self::of_type::StaticSystemParam;
pub(super) use self::optional::OptionSource;
pub use self::optional::{If, IfBuilder, OptionBuilder, ResultBuilder};
pub(super) use self::query::QuerySource;
pub use self::query::{MakeQuery, QueryParamBuilder};
pub(crate) use self::read_only::ReadOnlySource;
pub use self::removed::{RemovedComponents, RemovedValues};
pub(super) use self::resource::{Reads, ResourceSource, ResourceSourceWith, Writes};
pub use self::resource::{Res, ResMut};
pub use self::set::{ParamSet, ParamSetBuilder};
pub use self::single::{Populated, Single};
pub use self::targets::Targets;
pub(super) use self::world::NameSource;
pub use self::world::{LocalBuilder, SystemName, WarnOnce};
pub(crate) use self::world::{MadeFromStore, SyncCell, WorldSource};
