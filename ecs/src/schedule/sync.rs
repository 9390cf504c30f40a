//! The synchronization primitives of the ready queue. A test replaces these with loom's types and tries all
//! interleavings.

pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
