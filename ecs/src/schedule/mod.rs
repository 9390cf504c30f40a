//! Schedules: systems in an order, which are run together.
//!
//! A schedule is told what runs before what, and finds out what runs beside what. It is worked out in stages: what it was
//! told (`graph`), an order of all systems that keeps to it (`order`), the steps of a run and when commands are applied
//! (`plan`), and which of the steps may be run block by block (`pipelines`). Whatever runs side by side, the result is that of
//! running the steps one after the other in this order: systems in each other's way whose order is not given run in the order
//! in which they were added.
//!
//! What a schedule tells of itself is made of the same, on demand: a `diagram` of what was laid out, and a `report` of what is
//! kept of the last runs, which is the outcome of each step, and `samples`.

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
pub use crate::map::schedule::*;
