//! Conversion between a bundle and its parts, without needless copies.
//!
//! Without optimisation, every function that passes a value on adds a copy on the stack. Components may be large, so a bundle is passed on
//! as a [`MovingPtr`] from the first function that gets it, and large parts are on the heap.
//!
//! Tests: tests/hazards/layout.rs, tests/hazards/ignored_fields.rs

use alloc::boxed::Box;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::NonNull;

use super::{Bundle, Token};

/// Parts with more bytes are not put on the stack.
const LARGE: usize = 16 * 1024;

/// A bundle with more bytes is not copied to keep it in registers.
const FEW_BYTES: usize = 512;

/// An owning pointer to a bundle. Dropping the pointer drops the bundle, unless the bundle has been split into its parts.
pub(crate) struct MovingPtr<'a, B>(&'a mut ManuallyDrop<B>);

impl<B> Drop for MovingPtr<'_, B> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: only this uses the bundle, and `with_parts` forgets this when it moves the bundle out.
        unsafe { ManuallyDrop::drop(self.0) }
    }
}

impl<B> MovingPtr<'_, B> {
    /// Returns the address of the bundle.
    #[inline(always)]
    pub(crate) fn address(&mut self) -> *mut B {
        &raw mut **self.0
    }

    /// Passes the bundle on to `to`. A small bundle is moved to another address on the stack first. Only that address is passed to other
    /// functions, so the compiler can keep the original in registers.
    #[inline(always)]
    pub(crate) fn relocate<T>(self, to: impl FnOnce(MovingPtr<'_, B>) -> T) -> T {
        if const { size_of::<B>() > FEW_BYTES } {
            return to(self);
        }
        let mut moved = ManuallyDrop::new(self);
        // SAFETY: only `self` uses the bundle, and it is forgotten.
        with_moving_ptr(unsafe { ManuallyDrop::take(&mut *moved.0) }, to)
    }
}

/// Calls `to` with an owning pointer to a bundle.
#[inline]
pub(crate) fn with_moving_ptr<B, T>(bundle: B, to: impl FnOnce(MovingPtr<'_, B>) -> T) -> T {
    // This does not call `with_moving_ptr_inline`: without optimisation each function that a value passes through adds a copy on the stack.
    let mut bundle = ManuallyDrop::new(bundle);
    to(MovingPtr(&mut bundle))
}

/// As [`with_moving_ptr`], but always inlined, so that the code that makes the bundle and the code that uses it are compiled together.
#[inline(always)]
pub(crate) fn with_moving_ptr_inline<B, T>(bundle: B, to: impl FnOnce(MovingPtr<'_, B>) -> T) -> T {
    let mut bundle = ManuallyDrop::new(bundle);
    to(MovingPtr(&mut bundle))
}

/// Calls `run` with the parts of a bundle. Values that `run` leaves in the parts are dropped.
#[inline]
pub(crate) fn with_parts<B: Bundle, T>(bundle: MovingPtr<'_, B>, run: impl FnOnce(&mut B::Parts) -> T) -> T {
    if const { size_of::<B::Parts>() > LARGE } { on_heap(bundle, run) } else { on_stack(bundle, run) }
}

#[inline]
fn on_stack<B: Bundle, T>(bundle: MovingPtr<'_, B>, run: impl FnOnce(&mut B::Parts) -> T) -> T {
    run_with(bundle, &mut MaybeUninit::uninit(), run)
}

fn on_heap<B: Bundle, T>(bundle: MovingPtr<'_, B>, run: impl FnOnce(&mut B::Parts) -> T) -> T {
    run_with(bundle, &mut Box::<B::Parts>::new_uninit(), run)
}

#[inline]
fn run_with<B: Bundle, T>(
    bundle: MovingPtr<'_, B>,
    parts: &mut MaybeUninit<B::Parts>,
    run: impl FnOnce(&mut B::Parts) -> T,
) -> T {
    let mut bundle = ManuallyDrop::new(bundle);
    // SAFETY: `parts` is valid for writes. The bundle is neither used again nor dropped.
    unsafe { B::split_into(&raw mut **bundle.0, parts.as_mut_ptr(), Token::new()) };
    let parts = DropAtEnd(parts);
    // SAFETY: `split_into` has written the parts.
    run(unsafe { parts.0.assume_init_mut() })
}

/// Writes the parts of a bundle to an address.
///
/// # Safety
///
/// - `parts` is valid for writes.
#[inline]
pub(crate) unsafe fn scatter_into<B: Bundle>(bundle: MovingPtr<'_, B>, parts: NonNull<B::Parts>) {
    let mut bundle = ManuallyDrop::new(bundle);
    // SAFETY: forwarded: `parts` is valid for writes. The bundle is neither used again nor dropped.
    unsafe { B::split_into(&raw mut **bundle.0, parts.as_ptr(), Token::new()) };
}

/// Lets `read` write the parts of a bundle, and joins them into a bundle at `out`. If `read` returns false, returns false and writes no
/// bundle.
///
/// # Safety
///
/// - If `read` returns true it has written full parts to the address that it gets.
/// - `out` is valid for writes; it holds the bundle if this returns true.
#[inline]
pub(crate) unsafe fn take_parts<B: Bundle>(out: *mut B, read: impl FnOnce(*mut B::Parts) -> bool) -> bool {
    // SAFETY: forwarded, for `read` and `out`.
    unsafe { if const { size_of::<B::Parts>() > LARGE } { take_on_heap(out, read) } else { take_on_stack(out, read) } }
}

/// # Safety
///
/// - As for [`take_parts`].
#[inline]
unsafe fn take_on_stack<B: Bundle>(out: *mut B, read: impl FnOnce(*mut B::Parts) -> bool) -> bool {
    // SAFETY: forwarded, for `read` and `out`.
    unsafe { take_with(out, &mut MaybeUninit::uninit(), read) }
}

/// # Safety
///
/// - As for [`take_parts`].
unsafe fn take_on_heap<B: Bundle>(out: *mut B, read: impl FnOnce(*mut B::Parts) -> bool) -> bool {
    // SAFETY: forwarded, for `read` and `out`.
    unsafe { take_with(out, &mut Box::<B::Parts>::new_uninit(), read) }
}

/// # Safety
///
/// - As for [`take_parts`].
#[inline]
unsafe fn take_with<B: Bundle>(
    out: *mut B,
    parts: &mut MaybeUninit<B::Parts>,
    read: impl FnOnce(*mut B::Parts) -> bool,
) -> bool {
    if !read(parts.as_mut_ptr()) {
        return false;
    }
    let parts = DropAtEnd(parts);
    // SAFETY: `read` has written full parts, and `out` is valid for writes.
    unsafe { B::join_from(parts.0.as_mut_ptr(), out, Token::new()) };
    true
}

/// A guard that drops parts in place.
struct DropAtEnd<'a, P>(&'a mut MaybeUninit<P>);

impl<P> Drop for DropAtEnd<'_, P> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `run_with` and `take_with` wrap initialised parts; leaves have a flag that shows whether they hold a value.
        unsafe { self.0.assume_init_drop() }
    }
}
