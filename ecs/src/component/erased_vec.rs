//! Values of one component outside of any world, type-erased: what a builder holds one of, and a batch many.
//!
//! A part of an `EntityBuilder`, a column of `spawn_columns` and a clone are values of this kind. A world that meets their
//! descriptor adopts it, as if the type had been registered.

use alloc::alloc::{alloc, dealloc};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use super::Component;
use super::constructor::{Constructor, fill_from};
use super::descriptor::ComponentDescriptor;
use super::erased_ref::{ErasedRef, ErasedRefMut};
use super::erased_slice::{ErasedSlice, ErasedSliceMut};
use super::functions::CloneFn;
use crate::alloc_error::AllocError;

/// Some values of a component, one behind the other, in memory of their own.
///
/// The component may also be a resource or a relation. The first `len` places hold values. The memory is that of a `Vec` of the type with this capacity.
#[derive(Debug)]
pub struct ErasedVec {
    descriptor: &'static ComponentDescriptor,
    data: NonNull<u8>,
    len: usize,
    capacity: usize,
}

// SAFETY: the values are of a component, resource or relation, and these are `Send`.
unsafe impl Send for ErasedVec {}
// SAFETY: shared access gives shared access to values of a component, resource or relation; these are `Sync`.
unsafe impl Sync for ErasedVec {}

impl ErasedVec {
    /// The values of a vector, where they are.
    pub(crate) fn of_vec<C: Component>(values: Vec<C>) -> Self {
        Self::from_vec(ComponentDescriptor::of::<C>(), values)
    }

    /// The values of a vector, where they are, as values of a component that has such values. Otherwise the vector comes back.
    pub(crate) fn of_vec_for<T: Send + Sync + 'static>(
        descriptor: &'static ComponentDescriptor,
        values: Vec<T>,
    ) -> Result<Self, Vec<T>> {
        if descriptor.holds::<T>() { Ok(Self::from_vec(descriptor, values)) } else { Err(values) }
    }

    /// The descriptor is that of a component with values of type `T`.
    fn from_vec<T: 'static>(descriptor: &'static ComponentDescriptor, values: Vec<T>) -> Self {
        debug_assert!(descriptor.describes::<T>());
        let mut values = ManuallyDrop::new(values);
        // A vector's pointer is never null.
        let data = NonNull::new(values.as_mut_ptr()).unwrap_or(NonNull::dangling()).cast();
        Self { descriptor, data, len: values.len(), capacity: values.capacity() }
    }

    /// The value in a box, as that of a component or resource with such values. Without optimisation each function that a value goes
    /// through by itself has it on the stack once more, and components may be large.
    ///
    /// # Panics
    ///
    /// If the values of the component or resource are of another type.
    pub(crate) fn of_box<T: Send + Sync + 'static>(descriptor: &'static ComponentDescriptor, value: Box<T>) -> Self {
        assert!(descriptor.describes::<T>(), "the values of a component are of its type");
        // The memory of a box is that of a vector with room for one value.
        Self { descriptor, data: NonNull::from(Box::leak(value)).cast(), len: 1, capacity: 1 }
    }

    /// The default value of a component; `None` if its type is not known to be `Default`, or if this is a resource.
    pub(crate) fn default_of(descriptor: &'static ComponentDescriptor) -> Option<Self> {
        let default = descriptor.functions.default_fn().filter(|_| descriptor.storage().is_some())?;
        let mut values = Self::with_room_for_one(descriptor);
        // SAFETY: the function is that of the descriptor's type, and the memory has room for a value. If it panics, the memory
        // goes without one.
        unsafe { default(values.data.as_ptr()) };
        values.len = 1;
        Some(values)
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

    /// The values that constructors make one after the other, each so many. If one panics, those so far are dropped.
    ///
    /// # Errors
    ///
    /// If there is no memory. No constructor has been called.
    ///
    /// # Safety
    ///
    /// - The constructors are those for values of this component.
    pub(crate) unsafe fn made(
        descriptor: &'static ComponentDescriptor,
        constructors: &[(Constructor, usize)],
    ) -> Result<Self, AllocError> {
        let count = constructors.iter().try_fold(0_usize, |sum, (_, count)| sum.checked_add(*count));
        let mut values = Self::with_room_for(descriptor, count.ok_or(AllocError::TOO_LARGE)?)?;
        for (constructor, count) in constructors {
            // SAFETY: the constructor is one for this type (the caller's promise). The memory has room for the values of all
            // constructors, and none is past the first `len`.
            unsafe { constructor.fill(values.end(), *count) };
            values.len += count;
        }
        Ok(values)
    }

    /// Where the value after the last one goes.
    fn end(&self) -> *mut u8 {
        self.data.as_ptr().wrapping_add(self.len * self.descriptor.layout.size())
    }

    /// A clone of a value; `None` if values of this component cannot be cloned.
    pub(crate) fn clone_of(value: ErasedRef<'_>) -> Option<Self> {
        let (descriptor, clone) = (value.descriptor(), value.descriptor().functions.clone_fn()?);
        Some(ValueClone { descriptor, clone }.call(value).0)
    }

    /// The same, also of a component whose values are cloned only together with those of other entities.
    pub(crate) fn clone_with_others(value: ErasedRef<'_>) -> Option<Self> {
        let (descriptor, clone) = (value.descriptor(), value.descriptor().functions.clone?);
        Some(ValueClone { descriptor, clone }.call(value).0)
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
        // SAFETY: there are `count` values here; the address is valid for them, and it is other memory.
        unsafe { ptr::copy_nonoverlapping(self.data.as_ptr(), to.as_ptr(), count * self.descriptor.layout.size()) }
    }

    /// Values that lie one behind the other, divided into so many parts: `parts` says of each to which it goes. In a part they stay in
    /// their order.
    ///
    /// # Panics
    ///
    /// If there are not so many parts, or if there is no memory. Then the values are not dropped.
    ///
    /// # Safety
    ///
    /// - `from` holds as many values of the component as `parts` is long, which are moved out.
    pub(crate) unsafe fn divided(
        descriptor: &'static ComponentDescriptor,
        from: NonNull<u8>,
        parts: &[u32],
        count: usize,
    ) -> Vec<Self> {
        let mut lens = alloc::vec![0; count];
        parts.iter().for_each(|part| lens[*part as usize] += 1);
        let room = |len| Self::with_room_for(descriptor, len).unwrap_or_else(|error| error.raise());
        let mut divided: Vec<Self> = lens.into_iter().map(room).collect();
        let size = descriptor.layout.size();
        for (at, part) in parts.iter().enumerate() {
            let (to, value) = (&mut divided[*part as usize], from.as_ptr().wrapping_add(at * size));
            // SAFETY: a value is at the address, and each is moved once (the caller's promise). Room was made for all that go to this
            // part, and the memory is its own.
            unsafe { ptr::copy_nonoverlapping(value, to.end(), size) }
            to.len += 1;
        }
        divided
    }

    /// The values, to change them.
    pub(crate) fn as_slice_mut(&mut self) -> ErasedSliceMut<'_> {
        // SAFETY: there are so many values of the descriptor's component, and `self` is borrowed mutably.
        unsafe { ErasedSliceMut::new(self.descriptor, self.data, self.len) }
    }

    /// Where the values are.
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// Forgets the values, which have been moved out.
    pub(crate) fn forget(&mut self) {
        self.len = 0;
    }

    /// The values.
    pub(crate) fn as_slice(&self) -> ErasedSlice<'_> {
        // SAFETY: there are so many values of the descriptor's component, and `self` is borrowed.
        unsafe { ErasedSlice::new(self.descriptor, self.data, self.len) }
    }

    /// The values, if they are of this type, to change them.
    pub(crate) fn as_mut_slice<T: 'static>(&mut self) -> Option<&mut [T]> {
        self.as_slice_mut().downcast()
    }

    /// The first value, if it is of this type.
    pub(crate) fn first<T: 'static>(&self) -> Option<&T> {
        self.first_erased()?.downcast_ref()
    }

    /// The only value, if it is of this type.
    pub(crate) fn into_one<T: 'static>(mut self) -> Result<T, Self> {
        if self.len != 1 || !self.descriptor.describes::<T>() {
            return Err(self);
        }
        self.len = 0;
        // SAFETY: there was a value of `T`, and nothing shows it any more.
        Ok(unsafe { self.data.cast::<T>().read() })
    }

    /// The first value, if there is one.
    pub(crate) fn first_erased(&self) -> Option<ErasedRef<'_>> {
        self.as_slice().get(0)
    }

    /// The first value, if there is one, to change it.
    pub(crate) fn first_erased_mut(&mut self) -> Option<ErasedRefMut<'_>> {
        self.as_slice_mut().into_iter().next()
    }
}

/// A function that clones values of one component or resource.
#[derive(Clone, Copy)]
pub(crate) struct ValueClone {
    pub(super) descriptor: &'static ComponentDescriptor,
    /// For values of the type of the descriptor: modules of this folder write nothing else here.
    pub(super) clone: CloneFn,
}

impl ValueClone {
    /// A clone of a value.
    ///
    /// # Panics
    ///
    /// If the value is of another component or resource.
    pub(crate) fn call(self, value: ErasedRef<'_>) -> ErasedValue {
        assert!(self.descriptor.is_same(value.descriptor()), "a function that clones values of another component");
        let mut values = ErasedVec::with_room_for_one(self.descriptor);
        // SAFETY: the value is one of the function's type, and is borrowed; the memory has room for one. If the function panics, the
        // memory goes without a value.
        unsafe { (self.clone)(value.as_ptr().as_ptr(), values.data.as_ptr()) };
        values.len = 1;
        ErasedValue(values)
    }
}

/// One value of a component outside of any world, without its type.
///
/// It knows the descriptor of its component, so it goes into worlds and into an [`EntityBuilder`](crate::store::EntityBuilder),
/// and comes back as its type to code that names it.
///
/// ```
/// use strata_ecs::component::ErasedValue;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Clone, Debug, PartialEq)]
/// struct Health(u32);
///
/// let value = ErasedValue::of(Health(3));
/// let copy = value.as_ref().try_clone().unwrap();
/// let mut world = World::new();
/// let entity = world.spawn_empty().insert_erased(value).unwrap().id();
/// assert_eq!(world.get(entity), Some(&Health(3)));
/// assert_eq!(copy.downcast::<Health>().unwrap(), Health(3));
/// ```
#[doc(alias("OwningPtr"))]
pub struct ErasedValue(
    /// Exactly one.
    pub(super) ErasedVec,
);

impl ErasedValue {
    /// The value at an address, which is moved out, as that of a component.
    ///
    /// # Safety
    ///
    /// - The descriptor is one of a component, and not of a resource.
    /// - The address holds a value of this component, which may lie at an unaligned address. It is not used again, nor dropped.
    ///
    /// ```
    /// use std::alloc::Layout;
    /// use std::ptr::NonNull;
    /// use strata_ecs::component::{ComponentDescriptor, ErasedValue, LayoutDescription};
    ///
    /// // SAFETY: no function is added, and values are 8 bytes of any kind.
    /// let description = unsafe { LayoutDescription::new(Layout::new::<u64>()) };
    /// let handle = ComponentDescriptor::builder_of_layout("script:handle", description).build();
    /// let mut bytes = 7_u64;
    /// // SAFETY: the value is one of 8 bytes.
    /// let value = unsafe { ErasedValue::from_raw(handle, NonNull::from(&mut bytes).cast()) };
    /// assert_eq!(value.descriptor().name(), "script:handle");
    /// ```
    #[must_use]
    pub unsafe fn from_raw(descriptor: &'static ComponentDescriptor, value: NonNull<u8>) -> Self {
        let mut values = ErasedVec::with_room_for_one(descriptor);
        // SAFETY: there is room for a value; the rest is the caller's promise. Copying bytes needs no alignment.
        unsafe { values.fill(value.as_ptr()) };
        Self(values)
    }

    /// Exchanges this value with one of the same component. False, and nothing happens, if the components differ.
    pub(crate) fn exchange(&mut self, with: &mut ErasedRefMut<'_>) -> bool {
        let is_same = self.0.descriptor.is_same(with.descriptor());
        if is_same {
            let size = self.0.descriptor.layout.size();
            // SAFETY: there is one value here, and one of the same component there, which is borrowed mutably; this one's
            // memory is its own.
            unsafe { ptr::swap_nonoverlapping(self.0.data.as_ptr(), with.as_ptr().as_ptr(), size) }
        }
        is_same
    }
}

/// The values of one component for many new entities.
pub enum NewColumn<'c> {
    /// They are there.
    Values(ErasedVec),
    /// They are made where they go.
    Made(MadeColumn<'c>),
}

/// Values of one component that are made where they go.
pub struct MadeColumn<'c> {
    descriptor: &'static ComponentDescriptor,
    count: usize,
    /// Writes so many values of the descriptor's type from an address on, where there is room and no value. If user code panics there are
    /// none afterwards.
    fill: Box<dyn FnOnce(*mut u8) + 'c>,
}

impl<'c> NewColumn<'c> {
    /// The values of an iterator.
    pub(crate) fn of<C: Component>(values: impl ExactSizeIterator<Item = C> + 'c) -> Self {
        let count = values.len();
        // SAFETY: `MadeColumn::make_at` alone calls the function: its caller promises room for so many values of the component.
        let fill = Box::new(move |to: *mut u8| unsafe { fill_from(to.cast::<C>(), count, values) });
        Self::Made(MadeColumn { descriptor: ComponentDescriptor::of::<C>(), count, fill })
    }

    /// What is known of the type of the values.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        match self {
            Self::Values(values) => values.descriptor,
            Self::Made(made) => made.descriptor,
        }
    }

    /// How many values there are, or will be.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len,
            Self::Made(made) => made.count,
        }
    }

    /// The values, in memory of their own.
    pub(crate) fn into_values(self) -> ErasedVec {
        match self {
            Self::Values(values) => values,
            Self::Made(made) => {
                let (descriptor, count) = (made.descriptor, made.count);
                let mut values = ErasedVec::with_room_for(descriptor, count).unwrap_or_else(|error| error.raise());
                // SAFETY: there is room for so many values, and none so far. If user code panics there are none.
                unsafe { made.make_at(values.data) };
                values.len = count;
                values
            }
        }
    }
}

impl MadeColumn<'_> {
    /// Makes the values. If user code panics there are none.
    ///
    /// # Safety
    ///
    /// - `to` is valid for so many values of the component, and holds none.
    pub(crate) unsafe fn make_at(self, to: NonNull<u8>) {
        (self.fill)(to.as_ptr());
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
            // SAFETY: there are `len` values of the type whose glue this is, which are not used afterwards.
            unsafe { drop(self.data.as_ptr(), self.len) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::{ComponentKey, Mutable, StorageType};

    #[derive(Debug, PartialEq)]
    struct Text(alloc::string::String);

    impl Component for Text {
        type Mutability = Mutable;
        const STORAGE_TYPE: StorageType = StorageType::Table;
        const KEY: ComponentKey = ComponentKey::new(None, None, "values", "Text", 1, 1);
    }

    #[test]
    fn values_go_in_and_come_out() {
        let one = ErasedVec::of_box(ComponentDescriptor::of::<Text>(), Box::new(Text("a".into())));
        assert_eq!(one.first::<Text>(), Some(&Text("a".into())));
        assert_eq!(one.into_one::<Text>().unwrap(), Text("a".into()));
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
