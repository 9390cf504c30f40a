//! Borrowed values of one component that lie one behind the other, without their type.

use core::fmt;
use core::hash::Hasher;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;
use core::slice;

use super::descriptor::ComponentDescriptor;
use super::erased_ref::ErasedRef;

/// The values of a component in a table, by row, without their type: what [`World::column`](crate::world::World::column) returns.
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
// SAFETY: as above.
unsafe impl Sync for ErasedSlice<'_> {}

impl<'a> ErasedSlice<'a> {
    /// # Safety
    ///
    /// - The address is that of so many values of this component, which exist for `'a`, and which nothing changes meanwhile.
    pub(crate) unsafe fn new(descriptor: &'static ComponentDescriptor, values: NonNull<u8>, len: usize) -> Self {
        Self { descriptor, values, len, marker: PhantomData }
    }

    /// What is known of the component.
    #[must_use]
    pub fn descriptor(self) -> &'static ComponentDescriptor {
        self.descriptor
    }

    /// How many values there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// A value; `None` behind the last one.
    #[must_use]
    pub fn get(self, at: usize) -> Option<ErasedRef<'a>> {
        // SAFETY: there are so many values of this component, which are borrowed for `'a`.
        (at < self.len)
            .then(|| unsafe { ErasedRef::new(self.descriptor, self.values.add(at * self.descriptor.layout().size())) })
    }

    /// The values of a range, `None` if there are not so many.
    #[must_use]
    pub fn slice(self, range: Range<usize>) -> Option<Self> {
        if range.start > range.end || range.end > self.len {
            return None;
        }
        // SAFETY: there are so many values of this component, which are borrowed for `'a`.
        let values = unsafe { self.values.add(range.start * self.descriptor.layout().size()) };
        Some(Self { values, len: range.len(), ..self })
    }

    /// The values from one on; none if there are not so many.
    #[must_use]
    pub(crate) fn behind(self, first: usize) -> Self {
        let first = first.min(self.len);
        // SAFETY: there are so many values of this component, so that the address is one of them, or behind the last one.
        let values = unsafe { self.values.add(first * self.descriptor.layout().size()) };
        Self { values, len: self.len - first, ..self }
    }

    /// The values, one after the other.
    pub fn iter(self) -> impl ExactSizeIterator<Item = ErasedRef<'a>> {
        let size = self.descriptor.layout().size();
        // SAFETY: as for `get`: the numbers are below the length.
        (0..self.len).map(move |at| unsafe { ErasedRef::new(self.descriptor, self.values.add(at * size)) })
    }

    /// The values, if their type is `T`: see [`ErasedRef::downcast_ref`].
    #[must_use]
    pub fn downcast_ref<T: 'static>(self) -> Option<&'a [T]> {
        // SAFETY: there are so many values of this component, which is said to be of type `T`; they are borrowed for `'a`.
        self.descriptor
            .holds::<T>()
            .then(|| unsafe { slice::from_raw_parts(self.values.cast::<T>().as_ptr(), self.len) })
    }

    /// The bytes of the values, in the order of this machine, if they are [plain](super::ComponentFunctions::is_plain) or have no size.
    #[must_use]
    pub fn plain_bytes(self) -> Option<&'a [u8]> {
        // SAFETY: the functions belong to the component of these values, which are borrowed for `'a`.
        unsafe { self.descriptor.functions.bytes_of(self.descriptor.layout(), self.values, self.len) }
    }

    /// Adds the values to a hash, as bytes if they are plain, and else by their `Hash`. False if there is no way to; then nothing has
    /// been added.
    pub fn hash(self, hasher: &mut dyn Hasher) -> bool {
        // SAFETY: the functions belong to the component of these values, which are borrowed.
        unsafe { self.descriptor.functions.hash_values(self.descriptor.layout(), self.values, self.len, hasher) }
    }
}

impl fmt::Debug for ErasedSlice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
