//! Work that is shared with the threads of a pool of `rayon-core`.
//!
//! # Why this cannot deadlock
//!
//! There is one kind of wait: an owner waits for helpers that run inside its share. A waiting thread does no other work:
//! no other job runs on top of its stack, as it would in `rayon::join`. So the waits of a thread are nested like its
//! calls, and a helper waits only for helpers of shares that it began itself, later. Among all shares whose owners wait,
//! the one that began last has helpers that do not wait. Work must not wait for another member of its share (it leaves,
//! and may be called again), nor hold a lock while it shares work that needs the lock.
//!
//! Each helper is a job of a pool of `rayon-core`, and tries to enter the gate of the share when it runs. Only the gate
//! and its data outlive the share, on the heap; they are allocated when help is called for the first time.
//!
//! Tests: ecs/src/util/pool/tests.rs

use alloc::sync::Arc;
use core::cell::OnceCell;
use core::marker::PhantomData;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::{catch_unwind, resume_unwind};

use rayon_core::ThreadPool;

use super::gate::{Gate, Payload};
use crate::util::guard::drop_quietly;

/// The threads that may be called for help.
///
/// Either the threads of a given pool, or, by default, of the pool that the calling thread belongs to. A thread that
/// belongs to no pool uses rayon's global pool, which starts when help is called for the first time.
#[derive(Clone, Default)]
pub(crate) struct Pool {
    given: Option<Arc<ThreadPool>>,
}

impl Pool {
    /// Uses the threads of a pool.
    pub(crate) fn of(threads: Arc<ThreadPool>) -> Self {
        Self { given: Some(threads) }
    }

    /// The number of threads that may work at the same time, including the calling one: the number of threads of the
    /// pool. Starts the global pool if it is used and has not started.
    pub(crate) fn threads(&self) -> usize {
        match &self.given {
            Some(pool) => pool.current_num_threads(),
            None => rayon_core::current_num_threads(),
        }
    }

    /// Runs `work` on the calling thread, and on helpers that the work calls. Returns when the caller's own `work` has
    /// returned and all helpers that had begun by then have left; the others never begin.
    ///
    /// Costs a few nanoseconds if no help is called.
    ///
    /// # Panics
    ///
    /// If `work` panics on any thread: with the caller's panic, or else with the first panic of a helper.
    #[inline]
    pub(crate) fn share<W: Fn(&Participant<'_>) + Sync>(&self, work: W) {
        let owner = ShareOwner { pool: self, work: ErasedWork::of(&work), shift: OnceCell::new() };
        let closing = CloseOnPanic(&owner);
        work(&Participant { role: ShareRole::Owner(&owner) });
        core::mem::forget(closing);
        if let Some(panic) = owner.close() {
            resume_unwind(panic);
        }
    }

    fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        match &self.given {
            Some(pool) => pool.spawn(job),
            None => rayon_core::spawn(job),
        }
    }
}

impl_debug!([] Pool => |this, f| f.debug_tuple("Pool").field(&this.given).finish());

/// A participant of a share, passed to the work.
pub(crate) struct Participant<'a> {
    role: ShareRole<'a>,
}

enum ShareRole<'a> {
    Owner(&'a ShareOwner<'a>),
    Helper(&'a Arc<HelperShare>),
}

impl Participant<'_> {
    /// Whether this is the thread that shares its work.
    #[inline]
    pub(crate) fn is_owner(&self) -> bool {
        matches!(self.role, ShareRole::Owner(_))
    }

    /// Calls up to `count` helpers. Each runs the work once, unless it comes after the share has ended. The number of
    /// helpers that have been called, including those that have not come yet, never exceeds the number of other threads
    /// of the pool. Returns the number of helpers called.
    #[cold]
    pub(crate) fn call_helpers(&self, count: usize) -> usize {
        match self.role {
            ShareRole::Owner(owner) => {
                let most = owner.pool.threads() - 1;
                if most == 0 || count == 0 {
                    return 0;
                }
                HelperShare::call(owner.shift.get_or_init(|| owner.shift(most)), count)
            }
            ShareRole::Helper(shift) => HelperShare::call(shift, count),
        }
    }
}

/// The owner's side of a share.
struct ShareOwner<'a> {
    pool: &'a Pool,
    work: ErasedWork<'a>,
    /// Made when help is called for the first time.
    shift: OnceCell<Arc<HelperShare>>,
}

impl ShareOwner<'_> {
    fn shift(&self, most: usize) -> Arc<HelperShare> {
        Arc::new(HelperShare { gate: Gate::new(), pool: self.pool.clone(), most, work: self.work.erased() })
    }

    /// Waits for the helpers that have begun, and prevents the others from beginning. Returns the first panic of a
    /// helper.
    #[inline]
    fn close(&self) -> Option<Payload> {
        self.shift.get()?.gate.close()
    }
}

/// Closes the gate if the owner's part panics. A helper's panic is dropped then.
struct CloseOnPanic<'a>(&'a ShareOwner<'a>);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        drop_quietly(self.0.close());
    }
}

/// The data of a share that helpers use. It outlives the share, for helpers that come too late.
struct HelperShare {
    gate: Gate,
    pool: Pool,
    /// The maximum number of helpers that are called or inside at the same time.
    most: usize,
    /// Borrowed from the owner until the gate closes: only helpers that are inside may use it.
    work: ErasedWork<'static>,
}

impl HelperShare {
    fn call(this: &Arc<Self>, count: usize) -> usize {
        let called = this.gate.call(count, this.most);
        for _ in 0..called {
            let shift = Arc::clone(this);
            this.pool.spawn(move || shift.help());
        }
        called
    }

    /// Runs on a thread of the pool when a called helper begins.
    fn help(self: Arc<Self>) {
        if self.gate.enter() {
            let member = Participant { role: ShareRole::Helper(&self) };
            // SAFETY: the helper has entered and has not left, so the owner is still in `share`: it leaves that
            // function, also by a panic, only after `close`, which waits for the helpers that entered. So the lifetime
            // for which the work was lent to `ErasedWork::of` has not ended.
            let work = AssertUnwindSafe(|| unsafe { self.work.run(&member) });
            let panic = catch_unwind(work).err();
            drop_quietly(self.gate.leave(panic));
        }
    }
}

/// Work that is lent: a type-erased reference to it.
struct ErasedWork<'a> {
    data: NonNull<()>,
    /// Runs the work. The pointer must come from a reference to the work that is still valid.
    run: unsafe fn(NonNull<()>, &Participant<'_>),
    marker: PhantomData<&'a ()>,
}

impl<'a> ErasedWork<'a> {
    fn of<W: Fn(&Participant<'_>) + Sync>(work: &'a W) -> Self {
        /// # Safety
        ///
        /// - `work` comes from a `&W` that is valid.
        unsafe fn run<W: Fn(&Participant<'_>) + Sync>(work: NonNull<()>, member: &Participant<'_>) {
            // SAFETY: the caller guarantees that `work` comes from a valid `&W`.
            unsafe { work.cast::<W>().as_ref()(member) }
        }
        Self { data: NonNull::from(work).cast(), run: run::<W>, marker: PhantomData }
    }

    /// Removes the lifetime. The result may be run only while `'a` lasts.
    fn erased(&self) -> ErasedWork<'static> {
        ErasedWork { data: self.data, run: self.run, marker: PhantomData }
    }

    /// # Safety
    ///
    /// - The lifetime for which the work was lent to [`ErasedWork::of`] has not ended.
    unsafe fn run(&self, member: &Participant<'_>) {
        // SAFETY: `data` and `run` were made together from a `&W`, which the caller guarantees is still valid.
        unsafe { (self.run)(self.data, member) }
    }
}

// SAFETY: it represents a `&W` with `W: Sync`, which may be sent to and used by several threads.
unsafe impl Send for ErasedWork<'_> {}
// SAFETY: it represents a `&W` with `W: Sync`, so several threads may use it through a shared reference.
unsafe impl Sync for ErasedWork<'_> {}
