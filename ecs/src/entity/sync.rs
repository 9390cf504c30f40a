//! The synchronisation types of id streams. A test replaces them by loom's types and tries all interleavings.
//!
//! Tests: tests/loom/id_stream_model.rs

pub(super) use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
