//! Putting a component into storage whose type is not known.

use super::parts::Sink;
use crate::component::ErasedVec;
use crate::graph::Target;

impl Sink<'_> {
    /// Moves a value to where a target says. Where there was a value already the two change places; a value that is not wanted
    /// stays.
    ///
    /// # Safety
    ///
    /// - There is one value, of the component that the target is for, which is one of the sink's plan.
    /// - The row is within the capacity of the table; it holds a value if the target says `replace`.
    /// - Room has been reserved in the sparse storage.
    pub(crate) unsafe fn put_value(&mut self, target: Target, value: &mut ErasedVec) {
        // SAFETY: the plan has this target; the value is written at once.
        let Some((address, replace)) = (unsafe { self.place(target) }) else { return };
        // SAFETY: there is one value, of the component that belongs at this address, and one there if it is to be replaced.
        unsafe { if replace { value.exchange(address) } else { value.move_to(address) } }
    }
}
