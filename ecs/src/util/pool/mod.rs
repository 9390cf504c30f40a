//! The threads that a world may use, and the mechanism that shares work with them.
//!
//! `Pool::share` runs work on the calling thread, the *owner* of the share. If the work calls *helpers*, threads of the pool run it at the
//! same time. The owner never waits for a helper that has not begun: when the owner is done, a gate closes, and helpers that begin later
//! return immediately. So if the work is done before a helper begins, it costs no more than on one thread.
//!
//! Work must not wait for another participant of its share. A participant may wait only for helpers of shares that it began itself. The
//! module documentation of `share.rs` explains why this cannot deadlock.
//!
//! Without the feature `parallel` the same interface runs everything on the calling thread.
//!
//! The types of `rayon-core` that users need for [`World::set_thread_pool`](crate::world::World::set_thread_pool) are re-exported.
// Tests: ecs/src/util/pool/tests.rs, tests/loom/pool_model.rs

#[cfg(feature = "parallel")]
mod sync;
/// The synchronization primitives for a single thread, which needs only atomics.
#[cfg(not(feature = "parallel"))]
mod sync {
    pub(super) use core::sync::atomic::{AtomicUsize, Ordering};
}
#[cfg(feature = "parallel")]
mod gate;
#[cfg(feature = "parallel")]
mod share;
#[cfg(not(feature = "parallel"))]
mod alone;
mod clock;
mod parts;
mod turns;
mod tasks;

#[cfg(not(feature = "parallel"))]
#[allow(unused_imports, reason = "`Participant` is for executors")]
pub(crate) use self::alone::{Participant, Pool};
pub(crate) use self::clock::{HAS_CLOCK, Instant, nanoseconds};
pub(crate) use self::parts::ResultSlots;
#[cfg(feature = "parallel")]
#[allow(unused_imports, reason = "`Participant` is for executors")]
pub(crate) use self::share::{Participant, Pool};
pub(crate) use self::tasks::Tasks;
#[cfg(feature = "parallel")]
pub use rayon_core::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The number of lanes for tasks that record something. Each lane runs one task at a time, so this is also the maximum number of such tasks
/// that run at the same time.
pub(crate) const LANES: usize = 8;

#[cfg(all(test, feature = "parallel"))]
mod tests;
