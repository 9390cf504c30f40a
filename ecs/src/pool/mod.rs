//! The threads that a world may use, and the one way in which work is shared with them.
//!
//! `Pool::share` runs a piece of work on the calling thread, and on threads of the pool *as well* if the work
//! calls for help. The owner of a share never waits for a helper that has not begun: when its own part is done, a gate closes,
//! and helpers that come later turn back. So work that is done before a helper came costs what it costs on one thread.
//!
//! Work must not wait for another member of its share: a member waits for helpers of shares that it began itself, and for
//! no other. The head of `share.rs` says why nothing can hang then.
//!
//! Without the feature `parallel` all of this is there and runs on the calling thread.
//!
//! For users there are the types of `rayon-core` that [`World::set_thread_pool`](crate::world::World::set_thread_pool)
//! asks for.

#[cfg(feature = "parallel")]
mod sync;
/// One thread needs no more of it.
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
pub(crate) use self::parts::Parts;
#[cfg(feature = "parallel")]
#[allow(unused_imports, reason = "`Participant` is for executors")]
pub(crate) use self::share::{Participant, Pool};
pub(crate) use self::tasks::Tasks;
#[cfg(feature = "parallel")]
pub use rayon_core::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// In how many lanes tasks take turns that record something, and so how many of them run at the same time at most.
pub(crate) const LANES: usize = 8;

#[cfg(all(test, feature = "parallel"))]
mod tests;
