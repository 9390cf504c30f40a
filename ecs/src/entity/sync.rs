//! The synchronisation types of id streams. A test replaces them by the types of loom, and checks all interleavings.
//!
//! Tests: tests/loom/id_stream_model.rs

pub(super) use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
