//! Putting a component into storage whose type is not known.

use super::parts::Sink;
use crate::component::Values;
use crate::graph::Target;

impl Sink<'_> {
    /// Moves a value to where the next component of the bundle goes. Where there was a value already the two change
    /// places.
    ///
    /// # Safety
    ///
    /// - There is one value, of the component that the next target is for.
    /// - The row is within the capacity of the table; it holds a value if the target says `replace`.
    /// - Room has been reserved in the sparse storage.
    pub(crate) unsafe fn put_value(&mut self, value: &mut Values) {
        let (address, replace) = match self.targets.next() {
            Some(Target::Column { index, replace }) => {
                // SAFETY: the plan belongs to this table, so the index is one of its columns; the row is within them.
                let address = unsafe { self.table.column_unchecked(index as usize).get(self.row) };
                (address, replace)
            }
            Some(Target::Sparse(number)) => {
                let storage = &mut self.sparse[number as usize];
                match storage.get(self.entity.index()) {
                    Some(address) => (address, true),
                    // SAFETY: the entity has no value here, and room was reserved; the value is written below.
                    None => (unsafe { storage.insert(self.entity) }, false),
                }
            }
            None => unreachable!("a plan has a target for each component of its bundle"),
        };
        // SAFETY: there is one value, of the component that belongs at this address, and one there if it is to be replaced.
        unsafe { if replace { value.exchange(address) } else { value.move_to(address) } }
    }
}
