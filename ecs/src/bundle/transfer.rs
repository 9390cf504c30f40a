//! Between a bundle and its parts, without a needless copy of either.
//!
//! Without optimisation, every function that passes a value on has it on the stack once more. Components may be large, so
//! a bundle is passed on as a [`Moved`] from the first function that gets it, and large parts lie on the heap.

use alloc::boxed::Box;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::NonNull;

use super::{Bundle, Token};

/// Parts of more bytes than this are not put on the stack.
const LARGE: usize = 16 * 1024;

/// A bundle of more bytes than this is not copied to keep it in registers.
const FEW_BYTES: usize = 512;

/// A bundle that lies somewhere and has been given away. It is dropped with this, unless it is taken apart.
pub(crate) struct Moved<'a, B>(&'a mut ManuallyDrop<B>);

impl<B> Drop for Moved<'_, B> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the bundle is used through this alone, and `with_parts` forgets this when it moves the bundle out.
        unsafe { ManuallyDrop::drop(self.0) }
    }
}

impl<B> Moved<'_, B> {
    /// Where the bundle lies.
    #[inline(always)]
    pub(crate) fn address(&mut self) -> *mut B {
        &raw mut **self.0
    }

    /// Gives the bundle away from another place on the stack, if it is small. A function that is called learns that address alone, so the
    /// bundle can be in registers where it comes from.
    #[inline(always)]
    pub(crate) fn elsewhere<T>(self, to: impl FnOnce(Moved<'_, B>) -> T) -> T {
        if const { size_of::<B>() > FEW_BYTES } {
            return to(self);
        }
        let mut moved = ManuallyDrop::new(self);
        // SAFETY: the bundle is used through this alone, which is forgotten.
        give(unsafe { ManuallyDrop::take(&mut *moved.0) }, to)
    }
}

/// Gives a bundle away.
#[inline]
pub(crate) fn give<B, T>(bundle: B, to: impl FnOnce(Moved<'_, B>) -> T) -> T {
    // Not by `give_here`: each function that a value passes through is a value more on the stack where nothing is optimised.
    let mut bundle = ManuallyDrop::new(bundle);
    to(Moved(&mut bundle))
}

/// [`give`], where what is done with the bundle shall be compiled together with what it is made of.
#[inline(always)]
pub(crate) fn give_here<B, T>(bundle: B, to: impl FnOnce(Moved<'_, B>) -> T) -> T {
    let mut bundle = ManuallyDrop::new(bundle);
    to(Moved(&mut bundle))
}

/// Lets `run` put the parts of a bundle. Whatever they hold afterwards is dropped.
#[inline]
pub(crate) fn with_parts<B: Bundle, T>(bundle: Moved<'_, B>, run: impl FnOnce(&mut B::Parts) -> T) -> T {
    if const { size_of::<B::Parts>() > LARGE } { on_heap(bundle, run) } else { on_stack(bundle, run) }
}

#[inline]
fn on_stack<B: Bundle, T>(bundle: Moved<'_, B>, run: impl FnOnce(&mut B::Parts) -> T) -> T {
    run_with(bundle, &mut MaybeUninit::uninit(), run)
}

fn on_heap<B: Bundle, T>(bundle: Moved<'_, B>, run: impl FnOnce(&mut B::Parts) -> T) -> T {
    run_with(bundle, &mut Box::<B::Parts>::new_uninit(), run)
}

#[inline]
fn run_with<B: Bundle, T>(
    bundle: Moved<'_, B>,
    parts: &mut MaybeUninit<B::Parts>,
    run: impl FnOnce(&mut B::Parts) -> T,
) -> T {
    let mut bundle = ManuallyDrop::new(bundle);
    // SAFETY: the bundle is not used again, nor dropped.
    unsafe { B::scatter(&raw mut **bundle.0, parts.as_mut_ptr(), Token::new()) };
    let parts = DropAtEnd(parts);
    // SAFETY: `scatter` has written the parts.
    run(unsafe { parts.0.assume_init_mut() })
}

/// Writes the parts of a bundle to an address.
///
/// # Safety
///
/// - `parts` is writable.
#[inline]
pub(crate) unsafe fn scatter_into<B: Bundle>(bundle: Moved<'_, B>, parts: NonNull<B::Parts>) {
    let mut bundle = ManuallyDrop::new(bundle);
    // SAFETY: the bundle is not used again, nor dropped; the rest is the caller's promise.
    unsafe { B::scatter(&raw mut **bundle.0, parts.as_ptr(), Token::new()) };
}

/// Lets `read` write the parts of a bundle, if it can, and moves the bundle to an address.
///
/// # Safety
///
/// - If `read` returns true it has written full parts to the address that it is given.
/// - `out` is writable; it holds the bundle if this returns true.
#[inline]
pub(crate) unsafe fn take_parts<B: Bundle>(out: *mut B, read: impl FnOnce(*mut B::Parts) -> bool) -> bool {
    // SAFETY: the caller's promise.
    unsafe { if const { size_of::<B::Parts>() > LARGE } { take_on_heap(out, read) } else { take_on_stack(out, read) } }
}

/// # Safety
///
/// - As for [`take_parts`].
#[inline]
unsafe fn take_on_stack<B: Bundle>(out: *mut B, read: impl FnOnce(*mut B::Parts) -> bool) -> bool {
    // SAFETY: the caller's promise.
    unsafe { take_with(out, &mut MaybeUninit::uninit(), read) }
}

/// # Safety
///
/// - As for [`take_parts`].
unsafe fn take_on_heap<B: Bundle>(out: *mut B, read: impl FnOnce(*mut B::Parts) -> bool) -> bool {
    // SAFETY: the caller's promise.
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
    // SAFETY: `read` has written full parts.
    unsafe { B::gather(parts.0.as_mut_ptr(), out, Token::new()) };
    true
}

/// Parts that are dropped where they lie.
struct DropAtEnd<'a, P>(&'a mut MaybeUninit<P>);

impl<P> Drop for DropAtEnd<'_, P> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: both users above wrap parts that are initialised; leaves know whether they hold a value.
        unsafe { self.0.assume_init_drop() }
    }
}
