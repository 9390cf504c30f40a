//! Values of one component outside of any world, type-erased: what a builder holds one of, and a batch many.
//!
//! A part of an `EntityBuilder`, a column of `spawn_columns` and a clone are values of this kind. A world that meets their
//! descriptor adopts it, as if the type had been registered.

use alloc::alloc::{alloc, dealloc};
use alloc::vec::Vec;
use core::alloc::Layout;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use super::Component;
use super::constructor::Constructor;
use super::descriptor::ComponentDescriptor;
use crate::alloc_error::AllocError;

/// Some values of a component, one behind the other, in memory of their own.
///
/// The first `len` places hold values. The memory is that of a `Vec` of the type with this capacity.
#[derive(Debug)]
pub struct ErasedVec {
    descriptor: &'static ComponentDescriptor,
    data: NonNull<u8>,
    len: usize,
    capacity: usize,
}

// SAFETY: the values are of a component, and components are `Send`.
unsafe impl Send for ErasedVec {}
// SAFETY: shared access gives shared access to values of a component; components are `Sync`.
unsafe impl Sync for ErasedVec {}

impl ErasedVec {
    /// The values of a vector, where they are.
    pub(crate) fn of_vec<C: Component>(values: Vec<C>) -> Self {
        let mut values = ManuallyDrop::new(values);
        // A vector's pointer is never null.
        let data = NonNull::new(values.as_mut_ptr()).unwrap_or(NonNull::dangling()).cast();
        Self { descriptor: ComponentDescriptor::of::<C>(), data, len: values.len(), capacity: values.capacity() }
    }

    /// One value.
    pub(crate) fn of_one<C: Component>(value: C) -> Self {
        // If there is no memory the value is dropped.
        let mut values = Self::with_room_for_one(ComponentDescriptor::of::<C>());
        let value = ManuallyDrop::new(value);
        // SAFETY: the value is one of the type that the descriptor is of; it is not used again, nor dropped.
        unsafe { values.fill((&raw const *value).cast()) };
        values
    }

    /// No value, and memory for one.
    pub(crate) fn with_room_for_one(descriptor: &'static ComponentDescriptor) -> Self {
        Self::with_room_for(descriptor, 1).unwrap_or_else(|error| error.raise())
    }

    /// No value, and memory for some.
    fn with_room_for(descriptor: &'static ComponentDescriptor, capacity: usize) -> Result<Self, AllocError> {
        let item = descriptor.layout;
        let size = item.size().checked_mul(capacity).ok_or(AllocError::TOO_LARGE)?;
        let data = if size == 0 {
            // A power of two is not zero; the address is aligned, which is all that values without bytes need.
            NonNull::new(ptr::without_provenance_mut(item.align())).unwrap_or(NonNull::dangling())
        } else {
            let layout = Layout::from_size_align(size, item.align()).map_err(|_| AllocError::TOO_LARGE)?;
            // SAFETY: the size is not zero.
            NonNull::new(unsafe { alloc(layout) }).ok_or(AllocError::of(layout))?
        };
        Ok(Self { descriptor, data, len: 0, capacity })
    }

    /// So many values that a constructor makes. If it panics, those so far are dropped.
    ///
    /// # Errors
    ///
    /// If there is no memory. The constructor has not been called.
    ///
    /// # Safety
    ///
    /// - The constructor is one for values of this component.
    pub(crate) unsafe fn made(
        descriptor: &'static ComponentDescriptor,
        constructor: &Constructor,
        count: usize,
    ) -> Result<Self, AllocError> {
        let mut values = Self::with_room_for(descriptor, count)?;
        // SAFETY: the constructor is one for this type; there is room for so many values, and none so far.
        unsafe { constructor.fill(values.data.as_ptr(), count) };
        values.len = count;
        Ok(values)
    }

    /// A clone of a value; `None` if values of this component cannot be cloned.
    ///
    /// # Safety
    ///
    /// - `from` holds a value of this component, and nobody changes it meanwhile.
    pub(crate) unsafe fn clone_of(descriptor: &'static ComponentDescriptor, from: NonNull<u8>) -> Option<Self> {
        let clone = descriptor.functions.clone?;
        let mut values = Self::with_room_for_one(descriptor);
        // SAFETY: the function is that of the descriptor's type; the caller promises a value, and the memory has room for one. If
        // it panics, the memory goes without a value.
        unsafe { clone(from.as_ptr(), values.data.as_ptr()) };
        values.len = 1;
        Some(values)
    }

    /// The type of the values.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.descriptor
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Moves a value in, where room was made for one.
    ///
    /// # Safety
    ///
    /// - There is no value so far, and room for one.
    /// - `from` holds a value of this component, which is moved out.
    pub(crate) unsafe fn fill(&mut self, from: *const u8) {
        debug_assert!(self.len == 0 && self.capacity != 0);
        // SAFETY: the memory has room for a value; memory that was just made for one overlaps nothing.
        unsafe { ptr::copy_nonoverlapping(from, self.data.as_ptr(), self.descriptor.layout.size()) }
        self.len = 1;
    }

    /// Moves all values to an address.
    ///
    /// # Safety
    ///
    /// - `to` is valid for as many values of this component, and holds none.
    pub(crate) unsafe fn move_to(&mut self, to: NonNull<u8>) {
        let count = core::mem::take(&mut self.len);
        // SAFETY: there are `count` values here; the address is valid for them, and it is somebody else's memory.
        unsafe { ptr::copy_nonoverlapping(self.data.as_ptr(), to.as_ptr(), count * self.descriptor.layout.size()) }
    }

    /// Where the values are.
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// Forgets the values, which have been moved out.
    pub(crate) fn forget(&mut self) {
        self.len = 0;
    }

    /// The first value, if it is of this type.
    pub(crate) fn first<C: Component>(&self) -> Option<&C> {
        // SAFETY: there is a value, and it is one of `C`, as the descriptor says.
        (self.len != 0 && self.descriptor.is::<C>()).then(|| unsafe { self.data.cast::<C>().as_ref() })
    }

    /// The only value, if it is of this type.
    pub(crate) fn into_one<C: Component>(mut self) -> Option<C> {
        if self.len != 1 || !self.descriptor.is::<C>() {
            return None;
        }
        self.len = 0;
        // SAFETY: there was a value of `C`, and nothing shows it any more.
        Some(unsafe { self.data.cast::<C>().read() })
    }
}

impl Drop for ErasedVec {
    fn drop(&mut self) {
        struct Memory(NonNull<u8>, Layout);

        impl Drop for Memory {
            fn drop(&mut self) {
                if self.1.size() != 0 {
                    // SAFETY: the memory was allocated with this layout, by a vector or by `with_room_for_one`.
                    unsafe { dealloc(self.0.as_ptr(), self.1) }
                }
            }
        }

        let item = self.descriptor.layout;
        // Values without a size have no memory, however large the capacity; else the product is that of an allocation.
        let size = if item.size() == 0 { 0 } else { item.size() * self.capacity };
        let layout = Layout::from_size_align(size, item.align());
        // Even if a value panics its memory is given back.
        let _memory = layout.map(|layout| Memory(self.data, layout));
        if let Some(drop) = self.descriptor.functions.drop {
            // SAFETY: there are `len` values of the type whose glue this is, and nobody uses them afterwards.
            unsafe { drop(self.data.as_ptr(), self.len) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{ComponentKey, StorageType};

    #[derive(Debug, PartialEq)]
    struct Text(alloc::string::String);

    impl Component for Text {
        const STORAGE: StorageType = StorageType::Table;
        const KEY: ComponentKey = ComponentKey::new(None, None, "values", "Text", 1, 1);
    }

    #[test]
    fn values_go_in_and_come_out() {
        let one = ErasedVec::of_one(Text("a".into()));
        assert_eq!(one.first::<Text>(), Some(&Text("a".into())));
        assert_eq!(one.into_one::<Text>(), Some(Text("a".into())));
        let mut many = ErasedVec::of_vec(alloc::vec![Text("b".into()), Text("c".into())]);
        let mut to = Vec::<Text>::with_capacity(2);
        // SAFETY: there is room for two, and both are moved there.
        unsafe {
            many.move_to(NonNull::new(to.as_mut_ptr()).unwrap().cast());
            to.set_len(2);
        }
        assert_eq!(many.len(), 0);
        assert_eq!(to, [Text("b".into()), Text("c".into())]);
    }
}
