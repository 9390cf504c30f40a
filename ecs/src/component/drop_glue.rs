//! Dropping values whose type is known by a function pointer only.

use core::mem::needs_drop;
use core::ptr;

/// Drops `count` values that lie one behind the other from a pointer on. If one of them panics the rest are dropped
/// all the same; a second panic ends the process, as anywhere in Rust.
pub(crate) type DropFn = unsafe fn(*mut u8, usize);

/// How to drop values of `T`; `None` if there is nothing to do.
pub(crate) const fn drop_fn_of<T>() -> Option<DropFn> {
    if needs_drop::<T>() { Some(drop_values::<T>) } else { None }
}

/// # Safety
///
/// - `values` points to `count` initialised values of `T`, aligned, which nobody uses afterwards.
unsafe fn drop_values<T>(values: *mut u8, count: usize) {
    // SAFETY: the caller promises `count` valid values of `T` that are not used again.
    unsafe { ptr::drop_in_place(ptr::slice_from_raw_parts_mut(values.cast::<T>(), count)) }
}
