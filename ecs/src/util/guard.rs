//! Guards for cleanup that must run even if code panics.

use core::ops::{Deref, DerefMut};

/// A guard that calls a function with a value when the guard goes out of scope, also during unwinding. [`core::mem::forget`] skips the
/// call.
pub(crate) struct OnDrop<T, F: FnMut(&mut T)> {
    value: T,
    action: F,
}

impl<T, F: FnMut(&mut T)> OnDrop<T, F> {
    #[inline]
    pub(crate) fn new(value: T, action: F) -> Self {
        Self { value, action }
    }
}

impl<T, F: FnMut(&mut T)> Deref for OnDrop<T, F> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T, F: FnMut(&mut T)> DerefMut for OnDrop<T, F> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T, F: FnMut(&mut T)> Drop for OnDrop<T, F> {
    #[inline]
    fn drop(&mut self) {
        (self.action)(&mut self.value);
    }
}

/// Calls `each` for every item. If a call panics, `each` is still called for the remaining items, and then the panic is resumed. A second
/// panic aborts the process, like every panic during unwinding.
pub(crate) fn for_each_despite_panics<I: Iterator>(items: I, each: impl FnMut(I::Item)) {
    struct RemainingItems<I: Iterator, F: FnMut(I::Item)> {
        items: I,
        each: F,
    }

    impl<I: Iterator, F: FnMut(I::Item)> RemainingItems<I, F> {
        fn run(&mut self) {
            for item in self.items.by_ref() {
                (self.each)(item);
            }
        }
    }

    impl<I: Iterator, F: FnMut(I::Item)> Drop for RemainingItems<I, F> {
        fn drop(&mut self) {
            self.run();
        }
    }

    RemainingItems { items, each }.run();
}

/// Like [`for_each_despite_panics`], but several calls may panic: the first panic is resumed, and later panics are dropped. This is for
/// independent work, such as several systems.
#[cfg(feature = "std")]
pub(crate) fn for_each_until_all_had_their_turn<I: Iterator>(items: I, mut each: impl FnMut(I::Item)) {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    let mut first = None;
    for item in items {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| each(item))) {
            match first {
                None => first = Some(payload),
                Some(_) => drop_quietly(payload),
            }
        }
    }
    if let Some(payload) = first {
        resume_unwind(payload)
    }
}

/// Without the standard library a panic cannot be caught, so a second panic aborts the process.
#[cfg(not(feature = "std"))]
pub(crate) fn for_each_until_all_had_their_turn<I: Iterator>(items: I, each: impl FnMut(I::Item)) {
    for_each_despite_panics(items, each);
}

/// Runs an action and ignores its panic, because another panic is in progress.
#[cfg(feature = "std")]
pub(crate) fn quietly(action: impl FnOnce()) {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    if let Err(payload) = catch_unwind(AssertUnwindSafe(action)) {
        drop_quietly(payload);
    }
}

/// Drops a value, such as the payload of a panic. If dropping it panics, the panic is ignored, and its payload is not dropped, since
/// dropping it may panic again, without end.
#[cfg(feature = "std")]
pub(crate) fn drop_quietly<T>(value: T) {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        core::mem::forget(payload);
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::{for_each_despite_panics, for_each_until_all_had_their_turn};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn the_rest_have_their_turn() {
        let mut seen = std::vec::Vec::new();
        let run = AssertUnwindSafe(|| {
            for_each_despite_panics(0..4, |number| {
                seen.push(number);
                assert_ne!(number, 1);
            });
        });
        assert!(catch_unwind(run).is_err());
        assert_eq!(seen, [0, 1, 2, 3]);
    }

    #[test]
    fn the_first_of_several_panics_goes_on() {
        let mut seen = std::vec::Vec::new();
        let run = AssertUnwindSafe(|| {
            for_each_until_all_had_their_turn(0..4_u8, |number| {
                seen.push(number);
                if number % 2 == 1 {
                    std::panic::panic_any(number);
                }
            });
        });
        let payload = catch_unwind(run).expect_err("two of them panic");
        assert_eq!((payload.downcast_ref(), seen), (Some(&1_u8), std::vec![0, 1, 2, 3]));
    }
}

/// A panic that is deferred until the end of an operation that it must not interrupt. If the operation panics as well, the deferred panic
/// is dropped. Without the standard library no panic is caught.
#[derive(Default)]
pub(crate) struct DeferredPanic {
    #[cfg(feature = "std")]
    payload: std::sync::Mutex<Option<alloc::boxed::Box<dyn core::any::Any + Send>>>,
}

impl DeferredPanic {
    /// Runs an action. If it panics, returns the panic.
    #[cfg(feature = "std")]
    pub(crate) fn catch(action: impl FnOnce()) -> Self {
        use std::panic::{AssertUnwindSafe, catch_unwind};

        Self { payload: std::sync::Mutex::new(catch_unwind(AssertUnwindSafe(action)).err()) }
    }

    /// Runs an action.
    #[cfg(not(feature = "std"))]
    pub(crate) fn catch(action: impl FnOnce()) -> Self {
        action();
        Self {}
    }

    /// Resumes the panic, if there is one.
    #[cfg_attr(not(feature = "std"), expect(unused_mut, reason = "there is none"))]
    pub(crate) fn go_on(mut self) {
        #[cfg(feature = "std")]
        if let Some(payload) = self.take() {
            std::panic::resume_unwind(payload)
        }
    }

    /// Runs an action that may fail. If the action returns an error or panics, and there is a deferred panic, the deferred panic is
    /// resumed.
    ///
    /// # Errors
    ///
    /// The error of the action.
    #[inline]
    pub(crate) fn go_on_if_fails<T, E>(&mut self, action: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if !self.is_some() {
            return action();
        }
        let mut done = None;
        let failed = Self::catch(|| done = Some(action()));
        match done {
            Some(Ok(out)) => Ok(out),
            other => {
                core::mem::take(self).or(failed).go_on();
                other.unwrap_or_else(|| unreachable!("the panic has gone on"))
            }
        }
    }

    /// Returns whether there is a panic.
    #[inline]
    #[cfg_attr(not(feature = "std"), expect(clippy::unused_self, reason = "there is none"))]
    pub(crate) fn is_some(&mut self) -> bool {
        #[cfg(feature = "std")]
        let is_some = self.payload.get_mut().is_ok_and(|payload| payload.is_some());
        #[cfg(not(feature = "std"))]
        let is_some = false;
        is_some
    }

    /// Returns this panic, or the other panic if this value holds no panic.
    #[inline]
    pub(crate) fn or(mut self, other: Self) -> Self {
        if self.is_some() { self } else { other }
    }

    #[cfg(feature = "std")]
    fn take(&mut self) -> Option<alloc::boxed::Box<dyn core::any::Any + Send>> {
        self.payload.get_mut().ok()?.take()
    }
}

/// Drops the deferred panic quietly: another panic has interrupted the operation, and is resumed instead.
#[cfg(feature = "std")]
impl Drop for DeferredPanic {
    fn drop(&mut self) {
        if let Some(payload) = self.take() {
            drop_quietly(payload);
        }
    }
}
