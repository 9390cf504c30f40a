//! Work that is shared with the threads of a pool of `rayon-core`.
//!
//! # Why this cannot deadlock
//!
//! There is one kind of wait: an owner waits for helpers that run inside its share. A waiting thread does no other work: in contrast to
//! `rayon::join`, no other job runs on top of its stack. So the waits of a thread are nested like its calls, and a helper waits only for
//! helpers of shares that it began itself, after it entered. Among all shares whose owners wait, the share that began last has helpers that
//! do not wait. Two rules follow for the work. It must not wait for another participant of its share; instead it returns, and may be called
//! again. And it must not hold a lock while it shares work that needs the lock.
//!
//! Each helper is a job of a pool of `rayon-core`. When the job runs, it tries to enter the gate of the share. Only the gate and its data
//! outlive the share. They are on the heap, and are allocated when a helper is called for the first time.
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

/// The threads that may be called as helpers.
///
/// These are the threads of a given pool. By default they are the threads of the pool to which the calling thread belongs. A thread that
/// belongs to no pool uses the global pool of `rayon`, which starts when a helper is called for the first time.
#[derive(Clone, Default)]
pub(crate) struct Pool {
    given: Option<Arc<ThreadPool>>,
}

impl Pool {
    /// Returns a `Pool` with the threads of a given pool.
    pub(crate) fn of(threads: Arc<ThreadPool>) -> Self {
        Self { given: Some(threads) }
    }

    /// Returns the number of threads that may work at the same time, including the calling thread. This is the number of threads of the
    /// pool. If the global pool is used and has not started, starts it.
    pub(crate) fn threads(&self) -> usize {
        match &self.given {
            Some(pool) => pool.current_num_threads(),
            None => rayon_core::current_num_threads(),
        }
    }

    /// Runs `work` on the calling thread, and on helpers that the work calls. Returns when `work` has returned on the calling thread, and
    /// all helpers that had begun by then have left. Other called helpers never begin.
    ///
    /// Costs a few nanoseconds if no helper is called.
    ///
    /// # Panics
    ///
    /// If `work` panics on any thread. A panic of the calling thread takes precedence; otherwise the first panic of a helper is resumed.
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

/// A thread that takes part in a share. It is passed to the work.
pub(crate) struct Participant<'a> {
    role: ShareRole<'a>,
}

enum ShareRole<'a> {
    Owner(&'a ShareOwner<'a>),
    Helper(&'a Arc<HelperShare>),
}

impl Participant<'_> {
    /// Returns whether this is the owner of the share.
    #[inline]
    pub(crate) fn is_owner(&self) -> bool {
        matches!(self.role, ShareRole::Owner(_))
    }

    /// Calls up to `count` helpers, and returns the number of called helpers. Each helper runs the work once, unless it begins after the
    /// share has ended. The number of helpers that have been called and have not left never exceeds the number of other threads of the
    /// pool.
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

/// The data of a share on the stack of its owner.
struct ShareOwner<'a> {
    pool: &'a Pool,
    work: ErasedWork<'a>,
    /// The data for helpers. It is allocated when a helper is called for the first time.
    shift: OnceCell<Arc<HelperShare>>,
}

impl ShareOwner<'_> {
    fn shift(&self, most: usize) -> Arc<HelperShare> {
        Arc::new(HelperShare { gate: Gate::new(), pool: self.pool.clone(), most, work: self.work.erased() })
    }

    /// Prevents further helpers from beginning, and waits for the helpers that have begun. Returns the first panic of a helper.
    #[inline]
    fn close(&self) -> Option<Payload> {
        self.shift.get()?.gate.close()
    }
}

/// Closes the gate if the work panics on the owner's thread. Then a panic of a helper is dropped.
struct CloseOnPanic<'a>(&'a ShareOwner<'a>);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        drop_quietly(self.0.close());
    }
}

/// The data of a share that helpers use. It outlives the share, because helpers may begin after the share has ended.
struct HelperShare {
    gate: Gate,
    pool: Pool,
    /// The maximum number of helpers that are called or inside at the same time.
    most: usize,
    /// The work. It is borrowed from the owner until the gate is closed, so only helpers that are inside may use it.
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

    /// Runs the work as a helper, on a thread of the pool, unless the gate is closed.
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

/// A type-erased reference to the work of a share.
struct ErasedWork<'a> {
    data: NonNull<()>,
    /// Runs the work. The pointer must come from a reference to the work, and the reference must still be valid.
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

    /// Removes the lifetime. The result may be run only within the lifetime `'a`.
    fn erased(&self) -> ErasedWork<'static> {
        ErasedWork { data: self.data, run: self.run, marker: PhantomData }
    }

    /// # Safety
    ///
    /// - The lifetime of the reference that was passed to [`ErasedWork::of`] has not ended.
    unsafe fn run(&self, member: &Participant<'_>) {
        // SAFETY: `data` and `run` were made together from a `&W`, which the caller guarantees is still valid.
        unsafe { (self.run)(self.data, member) }
    }
}

// SAFETY: it represents a `&W` with `W: Sync`, which may be sent to and used by several threads.
unsafe impl Send for ErasedWork<'_> {}
// SAFETY: it represents a `&W` with `W: Sync`, so several threads may use it through a shared reference.
unsafe impl Sync for ErasedWork<'_> {}
