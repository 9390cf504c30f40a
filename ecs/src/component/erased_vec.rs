//! Type-erased values of one component outside of any world: one value in a builder, many in a batch.
//!
//! Components of an `EntityBuilder`, columns of `spawn_columns` and clones are stored in an [`ErasedVec`]. Inserting them into a world
//! registers the component from the descriptor of the values.

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
use crate::util::alloc_error::AllocError;

/// Adjacent values of one component, in an allocation of their own.
///
/// The component may also be a resource or a relation. The first `len` items are initialized. The allocation has the layout of a `Vec` of
/// values of this type with the same capacity.
#[derive(Debug)]
pub struct ErasedVec {
    descriptor: &'static ComponentDescriptor,
    data: NonNull<u8>,
    len: usize,
    capacity: usize,
}

// SAFETY: the values belong to a component, resource or relation, and these are `Send`.
unsafe impl Send for ErasedVec {}
// SAFETY: shared access gives shared access to values of a component, resource or relation; these are `Sync`.
unsafe impl Sync for ErasedVec {}

impl ErasedVec {
    /// Takes the values of a vector, without moving them.
    pub(crate) fn of_vec<C: Component>(values: Vec<C>) -> Self {
        Self::from_vec(ComponentDescriptor::of::<C>(), values)
    }

    /// Takes the values of a vector, without moving them, as values of the given component. Returns the vector as an error if the values of
    /// the component are not of type `T`.
    pub(crate) fn of_vec_for<T: Send + Sync + 'static>(
        descriptor: &'static ComponentDescriptor,
        values: Vec<T>,
    ) -> Result<Self, Vec<T>> {
        if descriptor.holds::<T>() { Ok(Self::from_vec(descriptor, values)) } else { Err(values) }
    }

    /// Takes the values of a vector. The descriptor must describe values of type `T`.
    fn from_vec<T: 'static>(descriptor: &'static ComponentDescriptor, values: Vec<T>) -> Self {
        debug_assert!(descriptor.describes::<T>());
        let mut values = ManuallyDrop::new(values);
        // The pointer of a vector is never null, so the fallback is not used.
        let data = NonNull::new(values.as_mut_ptr()).unwrap_or(NonNull::dangling()).cast();
        Self { descriptor, data, len: values.len(), capacity: values.capacity() }
    }

    /// Takes the value of a box as a value of the given component or resource. The value is passed in a box because without optimisation
    /// each function that takes it by value has a copy on the stack, and components may be large.
    ///
    /// # Panics
    ///
    /// If the values of the component or resource are of another type.
    pub(crate) fn of_box<T: Send + Sync + 'static>(descriptor: &'static ComponentDescriptor, value: Box<T>) -> Self {
        assert!(descriptor.describes::<T>(), "the values of a component are of its type");
        // The allocation of a box has the same layout as the allocation of a vector with capacity 1.
        Self { descriptor, data: NonNull::from(Box::leak(value)).cast(), len: 1, capacity: 1 }
    }

    /// Makes a list with the default value of a component. `None` if the type is not known to be `Default`, or if the descriptor describes
    /// a resource.
    pub(crate) fn default_of(descriptor: &'static ComponentDescriptor) -> Option<Self> {
        let default = descriptor.functions.default_fn().filter(|_| descriptor.storage().is_some())?;
        let mut values = Self::with_room_for_one(descriptor);
        // SAFETY: the function belongs to the descriptor's type, and the memory is valid for a value and uninitialized. If it panics, `len`
        // is still 0.
        unsafe { default(values.data.as_ptr()) };
        values.len = 1;
        Some(values)
    }

    /// Returns an empty list with capacity for one value.
    pub(crate) fn with_room_for_one(descriptor: &'static ComponentDescriptor) -> Self {
        Self::with_room_for(descriptor, 1).unwrap_or_else(|error| error.raise())
    }

    /// Returns an empty list with the given capacity.
    fn with_room_for(descriptor: &'static ComponentDescriptor, capacity: usize) -> Result<Self, AllocError> {
        let item = descriptor.layout;
        let size = item.size().checked_mul(capacity).ok_or(AllocError::TOO_LARGE)?;
        let data = if size == 0 {
            // Values of size 0 need no memory but an aligned address. The alignment itself is one, and it is not zero.
            NonNull::new(ptr::without_provenance_mut(item.align())).unwrap_or(NonNull::dangling())
        } else {
            let layout = Layout::from_size_align(size, item.align()).map_err(|_| AllocError::TOO_LARGE)?;
            // SAFETY: the size is not zero.
            NonNull::new(unsafe { alloc(layout) }).ok_or(AllocError::of(layout))?
        };
        Ok(Self { descriptor, data, len: 0, capacity })
    }

    /// Makes values with constructors, in order. Each constructor makes the given number of values. If a constructor panics, the values
    /// made so far are dropped.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Then no constructor has been called.
    ///
    /// # Safety
    ///
    /// - The constructors make values of this component.
    pub(crate) unsafe fn made(
        descriptor: &'static ComponentDescriptor,
        constructors: &[(Constructor, usize)],
    ) -> Result<Self, AllocError> {
        let count = constructors.iter().try_fold(0_usize, |sum, (_, count)| sum.checked_add(*count));
        let mut values = Self::with_room_for(descriptor, count.ok_or(AllocError::TOO_LARGE)?)?;
        for (constructor, count) in constructors {
            // SAFETY: the constructor makes values of this type (ensured by the caller). The memory has room for the values of all
            // constructors, and is uninitialized past the first `len`.
            unsafe { constructor.fill(values.end(), *count) };
            values.len += count;
        }
        Ok(values)
    }

    /// Returns the address past the last value.
    fn end(&self) -> *mut u8 {
        self.data.as_ptr().wrapping_add(self.len * self.descriptor.layout.size())
    }

    /// Clones a value; `None` if values of its component cannot be cloned.
    pub(crate) fn clone_of(value: ErasedRef<'_>) -> Option<Self> {
        let (descriptor, clone) = (value.descriptor(), value.descriptor().functions.clone_fn()?);
        Some(ValueClone { descriptor, clone }.call(value).0)
    }

    /// Like [`clone_of`](Self::clone_of), but also clones values of components that are cloned only together with the whole world.
    pub(crate) fn clone_with_others(value: ErasedRef<'_>) -> Option<Self> {
        let (descriptor, clone) = (value.descriptor(), value.descriptor().functions.clone?);
        Some(ValueClone { descriptor, clone }.call(value).0)
    }

    /// Returns the descriptor of the component.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.descriptor
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Moves a value into the empty list.
    ///
    /// # Safety
    ///
    /// - The list is empty and has capacity for one value.
    /// - `from` holds a value of this component, which is moved out.
    pub(crate) unsafe fn fill(&mut self, from: *const u8) {
        debug_assert!(self.len == 0 && self.capacity != 0);
        // SAFETY: `from` holds a value (ensured by the caller); the memory is valid for one, and is an allocation of its own, so they do
        // not overlap.
        unsafe { ptr::copy_nonoverlapping(from, self.data.as_ptr(), self.descriptor.layout.size()) }
        self.len = 1;
    }

    /// Moves all values to an address.
    ///
    /// # Safety
    ///
    /// - `to` is valid for all values, and uninitialized.
    pub(crate) unsafe fn move_to(&mut self, to: NonNull<u8>) {
        let count = core::mem::take(&mut self.len);
        // SAFETY: there are `count` values here; `to` is valid for them (ensured by the caller), and is other memory.
        unsafe { ptr::copy_nonoverlapping(self.data.as_ptr(), to.as_ptr(), count * self.descriptor.layout.size()) }
    }

    /// Divides adjacent values into `count` lists. `parts` contains, for each value, the index of its list. The values of a list keep their
    /// order.
    ///
    /// # Panics
    ///
    /// If an index is out of range, or if an allocation fails. Then the values are not dropped.
    ///
    /// # Safety
    ///
    /// - `from` holds `parts.len()` values of the component, which are moved out.
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
            // SAFETY: `value` is the address of a value, and each value is moved once (ensured by the caller). Capacity was reserved for
            // all values of this part, in an allocation of its own.
            unsafe { ptr::copy_nonoverlapping(value, to.end(), size) }
            to.len += 1;
        }
        divided
    }

    /// Returns the values, borrowed mutably.
    pub(crate) fn as_slice_mut(&mut self) -> ErasedSliceMut<'_> {
        // SAFETY: there are `len` values of the descriptor's component, and `self` is borrowed mutably.
        unsafe { ErasedSliceMut::new(self.descriptor, self.data, self.len) }
    }

    /// Returns the address of the values.
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// Sets the length to 0 without dropping the values, for a caller that has moved them out.
    pub(crate) fn forget(&mut self) {
        self.len = 0;
    }

    /// Returns the values.
    pub(crate) fn as_slice(&self) -> ErasedSlice<'_> {
        // SAFETY: there are `len` values of the descriptor's component, and `self` is borrowed.
        unsafe { ErasedSlice::new(self.descriptor, self.data, self.len) }
    }

    /// Borrows the values mutably; `None` if they are not of type `T`.
    pub(crate) fn as_mut_slice<T: 'static>(&mut self) -> Option<&mut [T]> {
        self.as_slice_mut().downcast()
    }

    /// Returns the first value; `None` if the list is empty or its values are not of type `T`.
    pub(crate) fn first<T: 'static>(&self) -> Option<&T> {
        self.first_erased()?.downcast_ref()
    }

    /// Moves the only value out. Returns the list as an error if its value is not of type `T`.
    pub(crate) fn into_one<T: 'static>(mut self) -> Result<T, Self> {
        if self.len != 1 || !self.descriptor.describes::<T>() {
            return Err(self);
        }
        self.len = 0;
        // SAFETY: there was a value of `T`, and it is no longer part of the list.
        Ok(unsafe { self.data.cast::<T>().read() })
    }

    /// Returns the first value, if there is one.
    pub(crate) fn first_erased(&self) -> Option<ErasedRef<'_>> {
        self.as_slice().get(0)
    }

    /// Returns the first value, borrowed mutably, if there is one.
    pub(crate) fn first_erased_mut(&mut self) -> Option<ErasedRefMut<'_>> {
        self.as_slice_mut().into_iter().next()
    }
}

/// A function that clones values of one component or resource.
#[derive(Clone, Copy)]
pub(crate) struct ValueClone {
    pub(super) descriptor: &'static ComponentDescriptor,
    /// A function for values of the type of the descriptor; the modules of this folder ensure that.
    pub(super) clone: CloneFn,
}

impl ValueClone {
    /// Clones a value.
    ///
    /// # Panics
    ///
    /// If the value is of another component or resource.
    pub(crate) fn call(self, value: ErasedRef<'_>) -> ErasedValue {
        assert!(self.descriptor.is_same(value.descriptor()), "a function that clones values of another component");
        let mut values = ErasedVec::with_room_for_one(self.descriptor);
        // SAFETY: the value is of the function's type (checked above) and is borrowed; the memory is valid for one and uninitialized. If
        // the function panics, `len` is still 0.
        unsafe { (self.clone)(value.as_ptr().as_ptr(), values.data.as_ptr()) };
        values.len = 1;
        ErasedValue(values)
    }
}

/// One value of a component outside of any world, without its type.
///
/// The value contains the descriptor of its component. So it can be inserted into worlds and into an
/// [`EntityBuilder`](crate::store::EntityBuilder), and it can be downcast to its type.
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
    /// Contains exactly one value.
    pub(super) ErasedVec,
);

impl ErasedValue {
    /// Moves a value out of an address, as a value of a component.
    ///
    /// # Safety
    ///
    /// - The descriptor describes a component, and not a resource.
    /// - The address holds a value of this component; the address may be unaligned. The value is not used again, nor dropped.
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
        // SAFETY: the list is empty and has capacity for one; `value` holds a value that is moved out (ensured by the caller). Copying
        // bytes needs no alignment.
        unsafe { values.fill(value.as_ptr()) };
        Self(values)
    }

    /// Swaps this value with another value of the same component. If the components differ, returns false without changes.
    pub(crate) fn exchange(&mut self, with: &mut ErasedRefMut<'_>) -> bool {
        let is_same = self.0.descriptor.is_same(with.descriptor());
        if is_same {
            let size = self.0.descriptor.layout.size();
            // SAFETY: both addresses hold a value of the same component; `with` is borrowed mutably, and the allocation of this one is its
            // own, so they do not overlap.
            unsafe { ptr::swap_nonoverlapping(self.0.data.as_ptr(), with.as_ptr().as_ptr(), size) }
        }
        is_same
    }
}

/// The values of one component for many new entities.
pub enum NewColumn<'c> {
    /// The values exist already.
    Values(ErasedVec),
    /// The values are made in their final memory.
    Made(MadeColumn<'c>),
}

/// Values of one component that are made in their final memory.
pub struct MadeColumn<'c> {
    descriptor: &'static ComponentDescriptor,
    count: usize,
    /// Writes `len` values of the descriptor's type from an address on. The memory must be valid for these values and uninitialized. If
    /// user code panics, the memory is uninitialized afterwards.
    fill: Box<dyn FnOnce(*mut u8) + 'c>,
}

impl<'c> NewColumn<'c> {
    /// Returns a column with the values of an iterator.
    pub(crate) fn of<C: Component>(values: impl ExactSizeIterator<Item = C> + 'c) -> Self {
        let count = values.len();
        // SAFETY: only `MadeColumn::make_at` calls the function: its caller ensures that `to` is valid for `count` values of the component.
        let fill = Box::new(move |to: *mut u8| unsafe { fill_from(to.cast::<C>(), count, values) });
        Self::Made(MadeColumn { descriptor: ComponentDescriptor::of::<C>(), count, fill })
    }

    /// Returns the descriptor of the component.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        match self {
            Self::Values(values) => values.descriptor,
            Self::Made(made) => made.descriptor,
        }
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len,
            Self::Made(made) => made.count,
        }
    }

    /// Returns the values in an allocation of their own.
    pub(crate) fn into_values(self) -> ErasedVec {
        match self {
            Self::Values(values) => values,
            Self::Made(made) => {
                let (descriptor, count) = (made.descriptor, made.count);
                let mut values = ErasedVec::with_room_for(descriptor, count).unwrap_or_else(|error| error.raise());
                // SAFETY: the memory is valid for all values, and uninitialized. If user code panics the list stays empty.
                unsafe { made.make_at(values.data) };
                values.len = count;
                values
            }
        }
    }
}

impl MadeColumn<'_> {
    /// Writes the values to `to`. If user code panics, the memory is uninitialized afterwards.
    ///
    /// # Safety
    ///
    /// - `to` is valid for all values of the column, and uninitialized.
    pub(crate) unsafe fn make_at(self, to: NonNull<u8>) {
        (self.fill)(to.as_ptr());
    }
}

impl Drop for ErasedVec {
    fn drop(&mut self) {
        struct VecMemory(NonNull<u8>, Layout);

        impl Drop for VecMemory {
            fn drop(&mut self) {
                if self.1.size() != 0 {
                    // SAFETY: the memory was allocated with this layout, by a vector or by `with_room_for_one`.
                    unsafe { dealloc(self.0.as_ptr(), self.1) }
                }
            }
        }

        let item = self.descriptor.layout;
        // Values of size 0 have no allocation, whatever the capacity. For other values, the product is the size of the allocation, so it
        // does not overflow.
        let size = if item.size() == 0 { 0 } else { item.size() * self.capacity };
        let layout = Layout::from_size_align(size, item.align());
        // The guard frees the memory even if the destructor of a value panics.
        let _memory = layout.map(|layout| VecMemory(self.data, layout));
        if let Some(drop) = self.descriptor.functions.drop {
            // SAFETY: there are `len` values of the type that `drop` was made for, and they are not used afterwards.
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
        // SAFETY: there is capacity for two, and both values are moved there.
        unsafe {
            many.move_to(NonNull::new(to.as_mut_ptr()).unwrap().cast());
            to.set_len(2);
        }
        assert_eq!(many.len(), 0);
        assert_eq!(to, [Text("b".into()), Text("c".into())]);
    }
}
