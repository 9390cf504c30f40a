//! Non-send values: values that stay on one thread, so that their types need not be `Send`. A world has at most one value of each type.
//!
//! A non-send value is stored in a resource, an [`OnThread`]. It contains the value and the number of the thread that inserted it, its
//! *owner*. A world with such a resource may be sent to other threads and shared with them. But the value is only read, changed, removed or
//! dropped on its owner: every access checks the current thread first. If a world is dropped on another thread, the value is leaked.
//!
//! Tests: tests/storage/non_send.rs

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::any::type_name;
use core::cell::Cell;
use core::mem;
use core::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::storage::resource::{NonSendValue, Resource, Resources};
use crate::storage::tick::{TickCells, WriteStamp};

/// The number of a thread, which is unique in the process and never reused. In contrast to [`thread::ThreadId`], the current number is read
/// with one load, even at the very end of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ThreadNumber(u64);

impl ThreadNumber {
    #[inline]
    fn current() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        std::thread_local! {
            /// The number of this thread; 0 before its first use.
            static NUMBER: Cell<u64> = const { Cell::new(0) };
        }
        NUMBER.with(|number| {
            if number.get() == 0 {
                number.set(NEXT.fetch_add(1, Ordering::Relaxed));
            }
            Self(number.get())
        })
    }
}

/// Describes the current thread, for instance as "thread `main` (ThreadId(1))".
fn describe_current() -> String {
    let thread = thread::current();
    match thread.name() {
        Some(name) => alloc::format!("thread `{name}` ({:?})", thread.id()),
        None => alloc::format!("an unnamed thread ({:?})", thread.id()),
    }
}

/// A value was used on a thread that does not own it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongThread {
    value: &'static str,
    owner: String,
    current: String,
}

impl WrongThread {
    /// Panics with the text of the error.
    #[cold]
    #[track_caller]
    pub(crate) fn raise(&self) -> ! {
        panic!("{self}");
    }
}

impl_display!([] WrongThread => |this, f| {
    let Self { value, owner, current } = this;
    write!(
        f,
        "non-Send value `{value}` was inserted on {owner} and cannot be used on {current}; use it where it was \
         inserted, or make it a resource if it is `Send` and `Sync`"
    )
});

/// The resource that contains a non-send value.
pub struct OnThread<T> {
    /// The value; `None` after it was taken out.
    value: Option<T>,
    owner: ThreadNumber,
    owner_name: Box<str>,
}

// SAFETY: the value is private to this module, and no code reads, changes, takes out or drops it on another thread than the one
// that made the `OnThread`: `get`, `get_mut` and `into_inner` compare the threads first, in every build, and `drop` leaks the
// value on another thread. Only its bytes move between threads. The other fields are `Send`.
unsafe impl<T> Send for OnThread<T> {}
// SAFETY: through a shared reference only `get` gives access to the value, and only on the thread that made the `OnThread`. The
// other fields are `Sync`.
unsafe impl<T> Sync for OnThread<T> {}

#[diagnostic::do_not_recommend]
impl<T: 'static> Resource for OnThread<T> {
    const ON_THREAD: Option<NonSendValue<Self>> =
        Some(NonSendValue { name: type_name::<T>, check: |value| value.check().map_err(|error| error.to_string()) });
}

impl<T> OnThread<T> {
    /// Wraps a value. The current thread becomes its owner.
    fn new(value: T) -> Self {
        let owner_name = describe_current().into_boxed_str();
        Self { value: Some(value), owner: ThreadNumber::current(), owner_name }
    }

    /// Returns an error on a thread that does not own the value.
    #[inline]
    fn check(&self) -> Result<(), WrongThread> {
        if self.owner == ThreadNumber::current() { Ok(()) } else { Err(self.wrong_thread()) }
    }

    #[cold]
    fn wrong_thread(&self) -> WrongThread {
        let (owner, current) = (String::from(&*self.owner_name), describe_current());
        WrongThread { value: type_name::<T>(), owner, current }
    }

    /// Returns the value.
    ///
    /// # Errors
    ///
    /// If the value belongs to another thread.
    #[inline]
    pub(crate) fn get(&self) -> Result<&T, WrongThread> {
        self.check()?;
        Ok(self.value.as_ref().expect(TAKEN))
    }

    /// Returns the value, borrowed mutably.
    ///
    /// # Errors
    ///
    /// If the value belongs to another thread.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> Result<&mut T, WrongThread> {
        self.check()?;
        Ok(self.value.as_mut().expect(TAKEN))
    }

    /// Takes the value out. The current thread must be its owner.
    fn into_inner(mut self) -> T {
        self.check().unwrap_or_else(|error| error.raise());
        self.value.take().expect(TAKEN)
    }
}

/// The panic message for a missing value. It is unreachable: only `into_inner` takes the value out, and it consumes the `OnThread`.
const TAKEN: &str = "the value is there until it is taken out";

impl<T> Drop for OnThread<T> {
    /// Drops the value on its owner, and leaks it on other threads.
    fn drop(&mut self) {
        if self.owner != ThreadNumber::current() {
            mem::forget(self.value.take());
        }
    }
}

/// Inserts a value and returns the old value. The current thread becomes the owner of the new value.
///
/// # Errors
///
/// If the old value belongs to another thread. Then the old value stays, and the new value is dropped.
pub(crate) fn insert<T: 'static>(
    resources: &mut Resources,
    value: T,
    now: WriteStamp,
) -> Result<Option<T>, WrongThread> {
    get::<T>(resources)?;
    Ok(resources.insert(OnThread::new(value), now).map(OnThread::into_inner))
}

/// Removes and returns a value.
///
/// # Errors
///
/// If the value belongs to another thread. Then it stays.
pub(crate) fn remove<T: 'static>(resources: &mut Resources) -> Result<Option<T>, WrongThread> {
    get::<T>(resources)?;
    Ok(resources.remove::<OnThread<T>>().map(OnThread::into_inner))
}

/// Returns whether there is a value. Its owner may be any thread.
pub(crate) fn contains<T: 'static>(resources: &Resources) -> bool {
    resources.get::<OnThread<T>>().is_some()
}

/// Returns the value.
///
/// # Errors
///
/// If the value belongs to another thread.
pub(crate) fn get<T: 'static>(resources: &Resources) -> Result<Option<&T>, WrongThread> {
    resources.get::<OnThread<T>>().map(OnThread::get).transpose()
}

/// Borrows the value mutably, and returns the ticks at which it was added and changed.
///
/// # Errors
///
/// If the value belongs to another thread.
pub(crate) fn get_mut<T: 'static>(resources: &mut Resources) -> Result<Option<(&mut T, &TickCells)>, WrongThread> {
    match resources.get_mut::<OnThread<T>>() {
        Some((value, ticks)) => Ok(Some((value.get_mut()?, ticks))),
        None => Ok(None),
    }
}
