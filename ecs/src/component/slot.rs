//! A number for each type that is read with one load, so that a type is found in a world without hashing.
//!
//! The derive macros give each type without parameters a static [`TypeSlot`]. The number of a slot is assigned once per process. A world
//! has a [`SlotMap`] from these numbers to its own ids. A `TypeSlot<T>` can be used for `T` only, so its number never leads to another
//! type. Types with parameters have no slot and are found by `TypeId`.

use alloc::vec;
use alloc::vec::Vec;
use core::any::TypeId;
use core::hash::{BuildHasherDefault, Hash, Hasher};
use core::marker::PhantomData;
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashMap;

/// Stores the number of one type in this process.
///
/// ```
/// use strata_ecs::component::TypeSlot;
///
/// static SLOT: TypeSlot<u8> = TypeSlot::new();
/// assert_eq!(format!("{SLOT:?}"), "TypeSlot(0)");
/// ```
pub struct TypeSlot<T: ?Sized> {
    number: AtomicU32,
    /// Invariant in `T`: the slot of a subtype or supertype is not accepted.
    marker: PhantomData<fn(&T) -> &T>,
}

/// The next number. It starts at 1, because 0 means that a type has no number yet.
static NEXT: AtomicU32 = AtomicU32::new(1);

impl<T: ?Sized> TypeSlot<T> {
    /// Returns a slot without a number.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "slots are statics that macros write; a default would mean nothing")]
    pub const fn new() -> Self {
        Self { number: AtomicU32::new(0), marker: PhantomData }
    }

    /// Returns the number; 0 if it is not assigned yet.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        self.number.load(Ordering::Relaxed)
    }

    /// Returns the address of the slot. The address is constant, so code that compares it reads no memory.
    #[inline]
    pub(crate) fn address(&'static self) -> SlotAddress {
        SlotAddress(NonNull::from_ref(self).addr())
    }

    /// Returns the number, and assigns it if necessary.
    pub(crate) fn number_or_assign(&self) -> u32 {
        if self.number() == 0 {
            let _ = self.number.compare_exchange(0, take_next(&NEXT), Ordering::Relaxed, Ordering::Relaxed);
        }
        self.number()
    }
}

/// The address of the slot of one type, which is unique to the type. A multiple of 4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotAddress(NonZeroUsize);

impl SlotAddress {
    /// Returns the lower bits of the address.
    #[inline]
    pub(crate) fn lower(self) -> u32 {
        self.0.get() as u32
    }
}

/// Returns a number that no slot of a type has, for other keys of a [`SlotMap`].
pub(super) fn next_number() -> u32 {
    take_next(&NEXT)
}

/// Returns a number that no other slot has. Never returns the highest number, because maps use it for unused entries.
fn take_next(next: &AtomicU32) -> u32 {
    let taken = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| next.checked_add(1));
    taken.unwrap_or_else(|_| panic!("more slots of types are in use than there are numbers"))
}

impl_debug!([T: ?Sized] TypeSlot<T> => |this, f| f.debug_tuple("TypeSlot").field(&this.number).finish());

/// Uses a `TypeId`, which is already a hash, without hashing it again.
#[derive(Clone, Copy, Default)]
pub(crate) struct TypeIdHasher(u64);

impl Hasher for TypeIdHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0.rotate_left(8) ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// Marks a type in a [`SlotMap`] that is not registered.
const UNKNOWN: u32 = u32::MAX;

/// A map from types to small numbers.
#[derive(Default)]
#[doc(hidden)]
pub struct SlotMap {
    by_slot: Vec<u32>,
    by_type: HashMap<TypeId, u32, BuildHasherDefault<TypeIdHasher>>,
    /// A direct-mapped cache, indexed by some bits of the `TypeId`. An entry contains one of the types with these bits. Each spawn looks up
    /// its bundle, and the cache takes a third of the time of `by_type`. The length is 0 or a power of two.
    front: Vec<(TypeId, u32)>,
}

/// The type in unused entries of the cache.
enum UnusedEntry {}

/// Returns the index of a type in a cache of this length.
#[inline]
fn place_in_front(type_id: TypeId, length: usize) -> usize {
    type_bits(type_id) as usize & length.wrapping_sub(1)
}

/// Returns evenly distributed bits of the id of a type. They are a compile-time constant if the type is known.
#[inline]
pub(crate) fn type_bits(type_id: TypeId) -> u64 {
    let mut hasher = TypeIdHasher::default();
    type_id.hash(&mut hasher);
    hasher.finish()
}

impl SlotMap {
    /// Returns the number of `T`; `None` if `T` is not in the map. `slot` must be the slot of `T`.
    #[inline]
    pub(crate) fn get<T: 'static>(&self, slot: Option<&'static TypeSlot<T>>) -> Option<u32> {
        match slot {
            // The methods of `Option` are avoided, because they build an intermediate value and test it again.
            Some(slot) => match self.by_slot.get(slot.number() as usize) {
                Some(&number) if number != UNKNOWN => Some(number),
                _ => None,
            },
            None => self.get_by_type(TypeId::of::<T>()),
        }
    }

    /// Like [`SlotMap::get`], but returns [`UNKNOWN`] for a type that is not in the map. As an index, this number is past the end of any
    /// list.
    #[inline]
    pub(crate) fn place<T: 'static>(&self, slot: Option<&'static TypeSlot<T>>) -> u32 {
        match slot {
            Some(slot) => self.by_slot.get(slot.number() as usize).copied().unwrap_or(UNKNOWN),
            None => self.get_by_type(TypeId::of::<T>()).unwrap_or(UNKNOWN),
        }
    }

    /// Returns the number of a type, by the id of the type.
    #[inline]
    pub(crate) fn get_by_type(&self, type_id: TypeId) -> Option<u32> {
        match self.front.get(place_in_front(type_id, self.front.len())) {
            Some(&(front, number)) if front == type_id => Some(number),
            _ => self.get_uncached(type_id),
        }
    }

    /// Does the same as [`SlotMap::get_by_type`], for a type that is not in the cache.
    #[inline(never)]
    fn get_uncached(&self, type_id: TypeId) -> Option<u32> {
        self.by_type.get(&type_id).copied()
    }

    /// Enlarges the cache if the capacity of the map has grown, so that few types collide.
    fn bring_to_front(&mut self) {
        let length = (4 * self.by_type.capacity()).next_power_of_two();
        if self.front.len() < length {
            self.front = vec![(TypeId::of::<UnusedEntry>(), UNKNOWN); length];
            for (&type_id, &number) in &self.by_type {
                self.front[place_in_front(type_id, length)] = (type_id, number);
            }
        }
    }

    /// Returns the number of the type with this slot number; `None` if no type was registered with this slot number.
    pub(crate) fn get_by_slot(&self, slot: u32) -> Option<u32> {
        self.by_slot.get(slot as usize).copied().filter(|&number| number != UNKNOWN)
    }

    /// Returns the index of the item of `T` in `list`. If `T` is not registered, `item` makes the item, and it is appended. If a library is
    /// linked twice, `T` has several slots.
    ///
    /// A type is in the map only if its item is in the list, even if an allocation fails or `item` panics.
    pub(crate) fn register<T: 'static, I>(
        &mut self,
        slot: Option<&'static TypeSlot<T>>,
        list: &mut Vec<I>,
        item: impl FnOnce(u32) -> I,
    ) -> u32 {
        let (type_id, slot) = (TypeId::of::<T>(), slot.map(TypeSlot::number_or_assign));
        if let Some(number) = self.find_or_reserve(type_id, slot) {
            return number;
        }
        let number = list.len() as u32;
        let item = item(number);
        // `push` comes first: if its allocation fails and unwinds, nothing has been entered yet.
        list.push(item);
        self.enter(type_id, slot, number);
        number
    }

    /// Returns the number of a type, and assigns it to the slot, too. If the type is not in the map, returns `None` and reserves memory for
    /// it.
    fn find_or_reserve(&mut self, type_id: TypeId, slot: Option<u32>) -> Option<u32> {
        self.reserve(1, slot);
        let number = self.get_by_type(type_id)?;
        self.enter(type_id, slot, number);
        Some(number)
    }

    /// Reserves memory for `additional` more types, and for a slot with this number.
    pub(crate) fn reserve(&mut self, additional: usize, slot: Option<u32>) {
        self.by_type.reserve(additional);
        self.bring_to_front();
        if let Some(at) = slot.map(|slot| slot as usize)
            && self.by_slot.len() <= at
        {
            self.by_slot.resize(at + 1, UNKNOWN);
        }
    }

    /// Assigns a number to a type and to a slot of this type. Does not allocate after [`SlotMap::reserve`].
    pub(crate) fn enter(&mut self, type_id: impl Into<Option<TypeId>>, slot: Option<u32>, number: u32) {
        self.reserve(1, slot);
        if let Some(type_id) = type_id.into() {
            self.by_type.insert(type_id, number);
            let place = place_in_front(type_id, self.front.len());
            self.front[place] = (type_id, number);
        }
        if let Some(slot) = slot {
            self.by_slot[slot as usize] = number;
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_have_run_out_do_not_begin_again() {
        let next = AtomicU32::new(u32::MAX - 1);
        assert_eq!(take_next(&next), u32::MAX - 1);
        for _ in 0..3 {
            let taken = std::panic::catch_unwind(|| take_next(&next));
            assert!(taken.is_err());
        }
    }

    #[test]
    fn types_are_found_with_and_without_a_slot() {
        static BYTE: TypeSlot<u8> = TypeSlot::new();
        static BYTE_AGAIN: TypeSlot<u8> = TypeSlot::new();
        let (mut map, mut list) = (SlotMap::default(), alloc::vec!["a", "b", "c"]);
        assert_eq!((map.get(Some(&BYTE)), map.get::<u16>(None)), (None, None));
        assert_eq!(map.register(Some(&BYTE), &mut list, |_| "u8"), 3);
        assert_eq!(map.register::<u16, _>(None, &mut list, |_| "u16"), 4);
        assert_eq!((map.get(Some(&BYTE)), map.get::<u16>(None)), (Some(3), Some(4)));
        assert_eq!((map.get(Some(&BYTE_AGAIN)), map.get::<u8>(None)), (None, Some(3)));
        assert_eq!(map.register(Some(&BYTE_AGAIN), &mut list, |_| "u8 again"), 3);
        assert_eq!((map.get(Some(&BYTE_AGAIN)), list.len()), (Some(3), 5));
    }

    #[test]
    #[cfg(feature = "std")]
    fn a_type_whose_item_cannot_be_made_is_not_entered() {
        let (mut map, mut list) = (SlotMap::default(), Vec::<u32>::new());
        let failing = || map.register::<u16, _>(None, &mut list, |_| panic!("no item"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(failing)).is_err());
        assert_eq!(map.get::<u16>(None), None);
        assert_eq!(map.register::<u32, _>(None, &mut list, |number| number), 0);
        assert_eq!(map.register::<u16, _>(None, &mut list, |number| number), 1);
    }
}
