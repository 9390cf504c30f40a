//! The threads that a world may use, and the mechanism that shares work with them.
//!
//! `Pool::share` runs a piece of work on the calling thread, and *also* on threads of the pool if the work calls for
//! help. The owner of a share never waits for a helper that has not begun: when its own part is done, a gate closes, and
//! helpers that come later return immediately. So work that is done before a helper has come costs no more than on one
//! thread.
//!
//! Work must not wait for another member of its share: a member may wait only for helpers of shares that it began
//! itself. The module documentation of `share.rs` explains why this cannot deadlock.
//!
//! Without the feature `parallel` the same interface runs everything on the calling thread.
//!
//! The types of `rayon-core` that [`World::set_thread_pool`](crate::world::World::set_thread_pool) takes are re-exported
//! for users.
// Tests: ecs/src/util/pool/tests.rs, tests/loom/pool_model.rs

#[cfg(feature = "parallel")]
mod sync;
/// A single thread only needs the atomics.
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

/// The number of lanes of tasks that record something, and so the maximum number of them that run at the same time.
pub(crate) const LANES: usize = 8;

#[cfg(all(test, feature = "parallel"))]
mod tests;
