//! Putting a component into storage whose type is not known.

use core::ptr::NonNull;

use super::parts::Sink;
use crate::component::Values;
use crate::graph::Target;

impl Sink<'_> {
    /// Moves a value to where the next component of the bundle goes. Where there was a value already the two change
    /// places; a value that is not wanted stays.
    ///
    /// # Safety
    ///
    /// - There is one value, of the component that the next target is for.
    /// - The row is within the capacity of the table; it holds a value if the target says `replace`.
    /// - Room has been reserved in the sparse storage.
    pub(crate) unsafe fn put_value(&mut self, value: &mut Values) {
        // SAFETY: the caller's promise.
        let place = unsafe { self.next_place() };
        // SAFETY: there is one value, of the component that belongs at this address, and one there if it is to be replaced.
        unsafe { put(place, value) }
    }

    /// As `put_value`, for this target of the plan.
    ///
    /// # Safety
    ///
    /// - As for `put_value`; the target is that of the value's component.
    pub(crate) unsafe fn put_value_at(&mut self, target: Target, value: &mut Values) {
        // SAFETY: the caller's promise.
        let place = unsafe { self.place(target) };
        // SAFETY: as above.
        unsafe { put(place, value) }
    }
}

/// # Safety
///
/// - There is one value, of the component that belongs at the address, if there is one, which holds a value if that is to be
///   replaced.
unsafe fn put(place: Option<(NonNull<u8>, bool)>, value: &mut Values) {
    let Some((address, replace)) = place else { return };
    // SAFETY: the caller's promise.
    unsafe { if replace { value.exchange(address) } else { value.move_to(address) } }
}
