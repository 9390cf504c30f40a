//! Systems: functions whose parameters are fetched from the world.
//!
//! Any function whose parameters are [`SystemParam`]s is a system, and so is an item made by `#[system]`. If the compiler can see
//! that two parameters conflict, the program does not compile. Every system declares its access ([`Access`](crate::access::Access))
//! when it is initialised, and other conflicts are reported then. So running a system needs no checks.
// Tests: ecs/src/system/tests.rs, tests/systems

#[doc(hidden)]
pub mod commands;
mod input;
mod blocks;
mod memory;
mod param_error;
mod meta;
mod base;
mod output;
#[macro_use]
mod param;

mod params;

mod reborrow;

mod in_loop;

mod fields;
mod tasks;
mod par;

mod boxed;
mod combine;
mod notify;
mod into;

mod param_function;
mod function;
mod plain_function;
mod rows;
mod linked_rows;

mod item;

mod condition;

pub mod common_conditions;

pub(crate) use self::base::{
    BlockScope, ObservedRows, RowScope, RunScope, SharedScope, SystemCore, SystemFacts, set_place,
};
pub use self::base::{BoxedSystem, System, SystemIn};
pub(crate) use self::blocks::{Blocks, RowFacts};
pub use self::combine::{Adapt, AdapterSystem, CombinatorSystem, Combine};
pub(crate) use self::combine::{Skipped, only_if};
pub use self::condition::{BoxedCondition, IntoReadOnlySystem, ReadOnlySystemParam, SystemCondition, not};
pub use self::function::{FunctionSystem, MacroMarker};
pub(crate) use self::function::{ParamState, function_system, run_on_entities};
pub use self::input::{In, InMut, InRef, StaticSystemInput, SystemInput, WrittenInput};
pub(crate) use self::input::{observes_nothing, plain_inputs};
pub use self::into::{BoxedMarker, IntoSystem, PipedSystem};
pub use self::item::{MacroRows, MacroSystem, SystemFn, SystemItem};
#[doc(hidden)]
pub use self::memory::StateVisitor;
pub(crate) use self::memory::{CloneValue, StateItem};
pub use self::meta::SystemMeta;
pub(crate) use self::notify::outcome;
pub use self::notify::{NotDone, NotDoneReason, NotifySystem, Outcome, WithNotifySystem};
pub use self::output::{Result, SystemOutput};
pub(crate) use self::param::ForwardingSource;
pub use self::param::{BuildParam, BuildSite, Built, ParamBuilder, ParamSource, SystemParam, SystemParamItem};
pub use self::param_error::{ParamError, RunSystemError};
pub(crate) use self::param_function::LoopKind;
pub use self::param_function::{InputMarker, SystemParamFunction};
pub(crate) use self::params::{AppliedToStore, MadeFromStore, SyncCell, WorldSource};
pub use self::params::{
    Deferred, DynParamBuilder, DynSystemParam, FilteredResources, FilteredResourcesBuilder, FilteredResourcesMut,
    FilteredResourcesMutBuilder, FilteredResourcesMutParamBuilder, FilteredResourcesParamBuilder, If, IfBuilder, Local,
    LocalBuilder, Lookup, MakeQuery, MessageMutator, MessageReader, MessageWriter, OptionBuilder, ParamSet,
    ParamSetBuilder, Populated, QueryParamBuilder, RemovedComponents, RemovedValues, Res, ResMut, ResourceFetchError,
    ResultBuilder, Single, StaticSystemParam, SystemName, WarnOnce,
};
#[cfg(feature = "std")]
pub use self::params::{NonSend, NonSendMarker, NonSendMut, ParallelCommands};
pub use self::plain_function::FunctionMarker;
pub(crate) use self::rows::RowLoop;
pub use self::tasks::TaskParam;
pub(crate) use self::tasks::TaskSource;
pub use crate::reexports::system::*;
pub use crate::util::error::{BoxError, ContextExt, EcsError, ErrorContext, ResultSeverityExt, Severity};

/// Names for macro output, re-exported by [`__private`](crate::__private). Not part of the public API.
pub(crate) mod for_macros {
    pub use super::combine::infallible;
    pub use super::fields::{BuiltField, Field, FieldBuilder, FieldNames, FieldParam, Fields, build_fields};
    pub(crate) use super::in_loop::LoopResMut;
    pub use super::linked_rows::{Along, LinkedOptions, LinkedParam, LinkedSource, LinkedState, LinkedSystem, Visited};
    pub use super::params::Targets;
    pub use super::reborrow::Reborrow;
    pub use super::rows::SliceOf;
    pub(crate) use super::rows::impl_kernel;
}

#[cfg(all(test, feature = "std"))]
mod tests;
