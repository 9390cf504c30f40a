//! A queue of commands to be applied later, in one contiguous allocation.
//!
//! Each entry is a header, which contains the operation and its entity, followed by the values of the operation: the captured values of a
//! closure, or the parts of a bundle. Recording an entry copies its values and, amortised, does not allocate. Values are aligned for their
//! type, so that parts can be moved into storage directly from the queue.
//!
//! Tests: tests/commands/groups/queue.rs

mod arena;

mod pattern;

pub(crate) use self::arena::{CommandVTable, LINE, Queue, RunningQueue, StepCommand, StepKind};
pub(crate) use self::pattern::{CompiledChange, CompiledSteps, PatternRun, StepPattern};
