//! The synchronization primitives of the ready queue. A test replaces them by the types of loom, and tries all
//! interleavings.
//!
//! Tests: tests/loom/ready_queue_model.rs

pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
