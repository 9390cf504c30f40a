//! What the line of a stage synchronises with. A test puts loom's types in the place of these and tries all orders of events.

pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
