//! What streams of ids synchronise with. A test puts loom's types in the place of these and tries all orders of events.

pub(super) use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
