//! Putting a component into storage whose type is not known.

use super::parts::Sink;
use crate::component::Values;

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
        let Some((address, replace)) = (unsafe { self.next_place() }) else { return };
        // SAFETY: there is one value, of the component that belongs at this address, and one there if it is to be replaced.
        unsafe { if replace { value.exchange(address) } else { value.move_to(address) } }
    }
}
