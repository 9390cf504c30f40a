//! Type-erased slices of values of one component.
//!
//! Tests: tests/storage/erased/columns.rs

use core::hash::Hasher;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;
use core::slice;

use super::descriptor::ComponentDescriptor;
use super::erased_ref::{ErasedRef, ErasedRefMut};

/// The type-erased values of a component in a table, by row. [`World::column`](crate::world::World::column) returns it.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let health = world.register_component::<Health>();
/// let entity = world.spawn_batch([Health(1), Health(2)]).last().unwrap();
/// let column = world.column(world.entity(entity).location().table, health).unwrap();
/// assert_eq!(column.downcast_ref::<Health>(), Some(&[Health(1), Health(2)][..]));
/// assert_eq!(column.get(1).unwrap().downcast_ref(), Some(&Health(2)));
/// assert_eq!(column.plain_bytes().unwrap().len(), 8);
/// ```
#[derive(Clone, Copy)]
pub struct ErasedSlice<'a> {
    descriptor: &'static ComponentDescriptor,
    values: NonNull<u8>,
    len: usize,
    marker: PhantomData<&'a ()>,
}

// SAFETY: it gives shared access to values of a component; these are `Sync`.
unsafe impl Send for ErasedSlice<'_> {}
// SAFETY: it gives shared access to values of a component; these are `Sync`.
unsafe impl Sync for ErasedSlice<'_> {}

impl<'a> ErasedSlice<'a> {
    /// # Safety
    ///
    /// - The address holds `len` values of this component, which are valid for `'a`, and which no code changes for `'a`.
    pub(crate) unsafe fn new(descriptor: &'static ComponentDescriptor, values: NonNull<u8>, len: usize) -> Self {
        Self { descriptor, values, len, marker: PhantomData }
    }

    /// Borrows the values of a slice as values of the given component, resource, relation or message.
    ///
    /// # Panics
    ///
    /// If the values of the component are of another type.
    pub(crate) fn of<T: Send + Sync + 'static>(descriptor: &'static ComponentDescriptor, values: &'a [T]) -> Self {
        assert!(descriptor.describes::<T>(), "the values are of another type");
        Self { descriptor, values: NonNull::from(values).cast(), len: values.len(), marker: PhantomData }
    }

    /// Returns a slice with one value.
    pub(super) fn of_one(value: ErasedRef<'a>) -> Self {
        Self { descriptor: value.descriptor(), values: value.as_ptr(), len: 1, marker: PhantomData }
    }

    /// Returns the descriptor of the component.
    #[must_use]
    pub fn descriptor(self) -> &'static ComponentDescriptor {
        self.descriptor
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Returns whether the slice is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the value at an index; `None` if the index is out of bounds.
    #[must_use]
    pub fn get(self, at: usize) -> Option<ErasedRef<'a>> {
        (at < self.len).then(|| self.value_at(at))
    }

    /// # Panics
    ///
    /// If the index is out of bounds.
    fn value_at(self, at: usize) -> ErasedRef<'a> {
        assert!(at < self.len, "value {at} of {}", self.len);
        let value = address_of(self.descriptor, self.values, at);
        // SAFETY: at < len (checked above): the address holds a value of this component, which is borrowed for `'a`.
        unsafe { ErasedRef::new(self.descriptor, value) }
    }

    /// Returns the values of a range; `None` if the range is out of bounds.
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> Option<Self> {
        let is_there = range.start <= range.end && range.end <= self.len;
        is_there.then(|| Self { len: range.len(), ..self.behind(range.start) })
    }

    /// Returns the values from an index on; empty if the index is out of bounds.
    #[must_use]
    pub(crate) fn behind(self, first: usize) -> Self {
        let first = first.min(self.len);
        Self { values: address_of(self.descriptor, self.values, first), len: self.len - first, ..self }
    }

    /// Returns the values, one after the other.
    pub fn iter(self) -> impl ExactSizeIterator<Item = ErasedRef<'a>> {
        (0..self.len).map(move |at| self.value_at(at))
    }

    /// Returns the values if their type is `T`: see [`ErasedRef::downcast_ref`].
    #[must_use]
    pub fn downcast_ref<T: 'static>(self) -> Option<&'a [T]> {
        // SAFETY: there are `len` values of this component, whose type is `T` (checked here); they are borrowed for `'a`.
        self.descriptor
            .describes::<T>()
            .then(|| unsafe { slice::from_raw_parts(self.values.cast().as_ptr(), self.len) })
    }

    /// Returns the bytes of the values, in the byte order of this machine. `None` unless the values are
    /// [plain](super::ComponentFunctions::is_plain) or zero-sized.
    #[must_use]
    pub fn plain_bytes(self) -> Option<&'a [u8]> {
        let size = self.descriptor.layout().size();
        let is_plain = self.descriptor.functions.plain || size == 0;
        // SAFETY: there are `len` values, and they are borrowed for `'a`. All bytes of plain values are initialised, and do not change
        // while the value is shared. Values without a size have no bytes.
        is_plain.then(|| unsafe { slice::from_raw_parts(self.values.as_ptr(), self.len * size) })
    }

    /// Adds the values to a hash: as bytes if they are plain, and otherwise by their `Hash`. If they are not plain and their type is not
    /// known to be `Hash`, returns false and adds nothing.
    pub fn hash(self, hasher: &mut dyn Hasher) -> bool {
        if let Some(bytes) = self.plain_bytes() {
            hasher.write(bytes);
            return true;
        }
        let Some(hash) = self.descriptor.functions.hash else { return false };
        for value in self.iter() {
            // SAFETY: the function belongs to the type of the value, which is borrowed.
            unsafe { hash(value.as_ptr().as_ptr(), hasher) };
        }
        true
    }
}

impl<'a> ErasedRef<'a> {
    /// Returns the value if its type is `T`. The type of the value is the type of the component, resource or relation or, for a component
    /// that was made at run time, the type that its builder was given.
    ///
    /// ```
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let value = ErasedValue::of(Health(3));
    /// assert_eq!(value.as_ref().downcast_ref(), Some(&Health(3)));
    /// assert_eq!(value.as_ref().downcast_ref::<u32>(), None);
    /// ```
    #[must_use]
    pub fn downcast_ref<T: 'static>(self) -> Option<&'a T> {
        ErasedSlice::of_one(self).downcast_ref()?.first()
    }

    /// Adds the value to a hash: as bytes if it is [plain](super::ComponentFunctions::is_plain), and otherwise by its `Hash`. If it is not
    /// plain and its type is not known to be `Hash`, returns false and adds nothing.
    ///
    /// ```
    /// use std::hash::{DefaultHasher, Hasher};
    /// use strata_ecs::component::ErasedValue;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32, f32);
    ///
    /// let hashes = [1.0, 1.0, 2.0].map(|x| {
    ///     let mut hasher = DefaultHasher::new();
    ///     assert!(ErasedValue::of(Position(x, 0.0)).as_ref().hash(&mut hasher));
    ///     hasher.finish()
    /// });
    /// assert!(hashes[0] == hashes[1] && hashes[1] != hashes[2]);
    /// ```
    pub fn hash(self, hasher: &mut dyn Hasher) -> bool {
        ErasedSlice::of_one(self).hash(hasher)
    }

    /// Returns the bytes of the value; `None` unless it is [plain](super::ComponentFunctions::is_plain) or zero-sized.
    pub(crate) fn plain_bytes(self) -> Option<&'a [u8]> {
        ErasedSlice::of_one(self).plain_bytes()
    }
}

impl<'a> ErasedRefMut<'a> {
    /// Returns the value, if its type is `T`.
    pub(crate) fn into_mut<T: 'static>(self) -> Option<&'a mut T> {
        ErasedSliceMut::of_one(self).downcast()?.first_mut()
    }
}

/// Returns the address of the value at an index. `values` is the address of the first value of the component.
fn address_of(descriptor: &ComponentDescriptor, values: NonNull<u8>, at: usize) -> NonNull<u8> {
    values.map_addr(|address| address.saturating_add(at * descriptor.layout().size()))
}

/// A mutably borrowed, type-erased slice of values of a component.
pub(crate) struct ErasedSliceMut<'a> {
    values: ErasedSlice<'a>,
    marker: PhantomData<&'a mut ()>,
}

impl<'a> ErasedSliceMut<'a> {
    /// # Safety
    ///
    /// - The address holds `len` values of this component, which are valid for `'a`, and which no other code accesses for `'a`.
    pub(crate) unsafe fn new(descriptor: &'static ComponentDescriptor, values: NonNull<u8>, len: usize) -> Self {
        Self { values: ErasedSlice { descriptor, values, len, marker: PhantomData }, marker: PhantomData }
    }

    /// Returns a slice with one value.
    pub(super) fn of_one(value: ErasedRefMut<'a>) -> Self {
        let (descriptor, values) = (value.descriptor(), value.as_ptr());
        Self { values: ErasedSlice { descriptor, values, len: 1, marker: PhantomData }, marker: PhantomData }
    }

    /// Returns the values, one after the other.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = ErasedRefMut<'a>> {
        let ErasedSlice { descriptor, values, len, .. } = self.values;
        // SAFETY: there are `len` values of this component, which are borrowed mutably for `'a`, and each is returned once.
        (0..len).map(move |at| unsafe { ErasedRefMut::new(descriptor, address_of(descriptor, values, at)) })
    }

    /// Returns the values, if their type is `T`.
    pub(crate) fn downcast<T: 'static>(self) -> Option<&'a mut [T]> {
        let ErasedSlice { descriptor, values, len, .. } = self.values;
        // SAFETY: there are `len` values of this component, whose type is `T` (checked here); they are borrowed mutably for `'a`.
        descriptor.describes::<T>().then(|| unsafe { slice::from_raw_parts_mut(values.cast().as_ptr(), len) })
    }
}

impl_debug!([] ErasedSlice<'_> => |this, f| f.debug_list().entries(this.iter()).finish());
