//! A number per type that costs one load to read, so that finding a type in a world needs no hash.
//!
//! The derive macros give each type without parameters a static [`TypeSlot`]. Its number is handed out once per process;
//! a world keeps a [`SlotMap`] from these numbers to its own. A `TypeSlot<T>` can serve `T` only, so a number never leads
//! to another type. Types with parameters have no slot and are found by `TypeId`.

use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;
use core::hash::{BuildHasherDefault, Hasher};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashMap;

/// The number of one type in this process.
///
/// ```
/// use strata_ecs::component::TypeSlot;
///
/// static SLOT: TypeSlot<u8> = TypeSlot::new();
/// assert_eq!(format!("{SLOT:?}"), "TypeSlot(0)");
/// ```
pub struct TypeSlot<T: ?Sized> {
    number: AtomicU32,
    /// Neither a subtype's nor a supertype's slot will do.
    marker: PhantomData<fn(&T) -> &T>,
}

/// 0 means that a type has no number yet.
static NEXT: AtomicU32 = AtomicU32::new(1);

impl<T: ?Sized> TypeSlot<T> {
    /// A slot without a number so far.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "slots are statics that macros write; a default would mean nothing")]
    pub const fn new() -> Self {
        Self { number: AtomicU32::new(0), marker: PhantomData }
    }

    /// The number, 0 if there is none yet.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        self.number.load(Ordering::Relaxed)
    }

    /// The number, made now if there is none yet.
    pub(crate) fn number_or_assign(&self) -> u32 {
        if self.number() == 0 {
            let fresh = NEXT.fetch_add(1, Ordering::Relaxed);
            let _ = self.number.compare_exchange(0, fresh, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.number()
    }
}

impl<T: ?Sized> fmt::Debug for TypeSlot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypeSlot").field(&self.number).finish()
    }
}

/// `TypeId`s are hashes already.
#[derive(Clone, Copy, Default)]
pub(crate) struct TypeIdHasher(u64);

impl Hasher for TypeIdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0.rotate_left(8) ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// In a [`SlotMap`]: the world has not met this type.
const UNKNOWN: u32 = u32::MAX;

/// A map from types to small numbers.
#[derive(Default)]
pub struct SlotMap {
    by_slot: Vec<u32>,
    by_type: HashMap<TypeId, u32, BuildHasherDefault<TypeIdHasher>>,
}

impl SlotMap {
    /// The number of `T`, given the slot of `T`.
    #[inline]
    pub(crate) fn get<T: 'static>(&self, slot: Option<&'static TypeSlot<T>>) -> Option<u32> {
        match slot {
            Some(slot) => self.by_slot.get(slot.number() as usize).copied().filter(|&number| number != UNKNOWN),
            None => self.get_by_type(TypeId::of::<T>()),
        }
    }

    /// The number of the type with this id.
    #[inline(never)]
    pub(crate) fn get_by_type(&self, type_id: TypeId) -> Option<u32> {
        self.by_type.get(&type_id).copied()
    }

    /// The number of the type with this number in the process, if the map has met it under that one.
    pub(crate) fn get_by_slot(&self, slot: u32) -> Option<u32> {
        self.by_slot.get(slot as usize).copied().filter(|&number| number != UNKNOWN)
    }

    /// Gives `T` a number, unless it has one: `T` may have several slots, if a library is linked twice.
    pub(crate) fn insert<T: 'static>(&mut self, slot: Option<&'static TypeSlot<T>>, number: u32) -> u32 {
        self.insert_by_type(TypeId::of::<T>(), slot.map(TypeSlot::number_or_assign), number)
    }

    /// Gives a type a number, unless it has one. The slot's number must be that of a slot of the type.
    pub(crate) fn insert_by_type(&mut self, type_id: TypeId, slot: Option<u32>, number: u32) -> u32 {
        let number = *self.by_type.entry(type_id).or_insert(number);
        if let Some(at) = slot.map(|slot| slot as usize) {
            if self.by_slot.len() <= at {
                self.by_slot.resize(at + 1, UNKNOWN);
            }
            self.by_slot[at] = number;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_with_and_without_a_slot() {
        static BYTE: TypeSlot<u8> = TypeSlot::new();
        static BYTE_AGAIN: TypeSlot<u8> = TypeSlot::new();
        let mut map = SlotMap::default();
        assert_eq!((map.get(Some(&BYTE)), map.get::<u16>(None)), (None, None));
        assert_eq!(map.insert(Some(&BYTE), 3), 3);
        assert_eq!(map.insert::<u16>(None, 4), 4);
        assert_eq!((map.get(Some(&BYTE)), map.get::<u16>(None)), (Some(3), Some(4)));
        assert_eq!((map.get(Some(&BYTE_AGAIN)), map.get::<u8>(None)), (None, Some(3)));
        assert_eq!(map.insert(Some(&BYTE_AGAIN), 9), 3);
        assert_eq!(map.get(Some(&BYTE_AGAIN)), Some(3));
    }
}
