//! Schedules: ordered collections of systems that are run together.
//!
//! A schedule stores the constraints between systems, and computes from them which systems run in parallel. It is built
//! in stages: the systems, sets and constraints (`graph`); an order of all systems that satisfies the constraints
//! (`order`); the steps of a run and the points where commands are applied (`plan`); and the steps that may run block
//! by block (`pipelines`). A run always has the same result as running the steps one after the other in this order.
//! Conflicting systems without a constraint between them run in the order in which they were added.
//!
//! The diagnostics are built from this data on demand: a `diagram` shows the plan, and a `report` shows the last runs.
//! The report is made from the outcome of each step and from `samples`.
// Tests: tests/schedules

#[doc(hidden)]
pub mod label;
mod error;
mod set;
mod config;
mod tuples;
mod graph;
mod removal;
mod order;
mod reach;
mod ambiguity;
mod plan;
mod ids;
mod names;
mod pipelines;
mod executor;
mod costs;
mod samples;
#[cfg(feature = "parallel")]
mod units;
#[cfg(feature = "parallel")]
mod parallel_plan;
mod steps;
mod fused;
#[cfg(feature = "parallel")]
mod sync;
#[cfg(feature = "parallel")]
mod ready_queue;
#[cfg(feature = "parallel")]
mod parallel;
mod run;
mod diagram;
mod diagram_text;
mod report;
mod report_text;
mod report_builder;
mod settings;
mod built;
mod base;
mod running;
mod memory;

pub use self::base::Schedule;
pub use self::config::{IntoScheduleConfigs, Schedulable, ScheduleConfigs, ScheduleShape, ScheduleSystem};
pub use self::diagram::ScheduleDiagram;
pub use self::error::{Ambiguity, OnError, ScheduleBuildError, ScheduleError, SystemError, TryRunScheduleError};
pub use self::executor::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};
pub(crate) use self::memory::{ScheduleMemory, SystemMemory};
pub use self::pipelines::Pipelining;
pub use self::removal::ScheduleCleanupPolicy;
pub use self::report::{
    PipelineOutcome, PipelineReport, ScheduleReport, StageReport, SystemOutcome, SystemReport, Timing,
};
pub use self::set::IntoSystemSet;
pub use self::settings::{LogLevel, ScheduleBuildSettings};
#[doc(hidden)]
pub use self::tuples::{FunctionOfNoSystem, TupleOfNoSystems};
pub use crate::reexports::schedule::*;
