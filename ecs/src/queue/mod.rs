//! A list of commands to carry out later, in one stretch of memory.
//!
//! Each entry is a header, which says what to do and with which entity, and the values that go with it: the captured
//! values of a closure, or the parts of a bundle. Recording one costs a copy of its values and, amortised, no allocation.
//! Values lie where their type wants them to be, so that parts can be put into storage from where they are.

mod arena;

mod pattern;

pub(crate) use self::arena::{Command, LINE, Queue, Running, StepCommand, StepKind};
pub(crate) use self::pattern::{CompiledChange, CompiledSteps, Pattern, PatternRun};
