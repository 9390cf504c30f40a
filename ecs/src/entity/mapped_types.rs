//! Implements `MapEntities` for types of the standard library, hashbrown and this module.
//!
//! Tests: tests/storage/descriptors/entities.rs

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap, LinkedList, VecDeque};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;
use core::mem;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use core::num::NonZero;
use core::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo};
use core::time::Duration;
#[cfg(feature = "std")]
use std::collections::{HashMap, HashSet};
#[cfg(feature = "std")]
use std::ffi::OsString;
#[cfg(feature = "std")]
use std::path::PathBuf;
#[cfg(feature = "std")]
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
#[cfg(feature = "std")]
use std::time::{Instant, SystemTime};

use super::mapper::{EntityMapper, MapEntities};
use super::{Entity, EntityHashMap, EntityHashSet, UniqueEntityVec};

/// Implements the trait for types without entities.
macro_rules! without_entities {
    ($($Type:ty)*) => { $(
        impl MapEntities for $Type {
            const HOLDS_ENTITIES: bool = false;

            fn map_entities<M: EntityMapper>(&mut self, _: &mut M) {}
        }
    )* };
}

without_entities! {
    () bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64
    NonZero<u8> NonZero<u16> NonZero<u32> NonZero<u64> NonZero<u128> NonZero<usize>
    NonZero<i8> NonZero<i16> NonZero<i32> NonZero<i64> NonZero<i128> NonZero<isize>
    str String &'static str Duration core::any::TypeId
    IpAddr Ipv4Addr Ipv6Addr SocketAddr SocketAddrV4 SocketAddrV6
}

#[cfg(feature = "std")]
without_entities! { Instant SystemTime PathBuf OsString }

impl<T: ?Sized> MapEntities for PhantomData<T> {
    const HOLDS_ENTITIES: bool = false;

    fn map_entities<M: EntityMapper>(&mut self, _: &mut M) {}
}

/// Implements the trait for types whose values are mapped in place. The body of the implementation uses `self` and the mapper.
macro_rules! map_in_place {
    ($([$($generics:tt)*] $Type:ty, [$($Inner:ty)*], |$this:ident, $mapper:ident| $map:expr;)*) => { $(
        impl<$($generics)*> MapEntities for $Type {
            const HOLDS_ENTITIES: bool = false $(|| <$Inner>::HOLDS_ENTITIES)*;

            fn map_entities<M: EntityMapper>(&mut self, $mapper: &mut M) {
                if Self::HOLDS_ENTITIES {
                    let $this = self;
                    $map
                }
            }
        }
    )* };
}

map_in_place! {
    [T: MapEntities + ?Sized] Box<T>, [T], |this, mapper| (**this).map_entities(mapper);
    [T: MapEntities] Option<T>, [T], |this, mapper| this.iter_mut().for_each(|item| item.map_entities(mapper));
    [T: MapEntities] [T], [T], |this, mapper| this.iter_mut().for_each(|item| item.map_entities(mapper));
    [T: MapEntities, const N: usize] [T; N], [T], |this, mapper| this.as_mut_slice().map_entities(mapper);
    [T: MapEntities] Vec<T>, [T], |this, mapper| this.as_mut_slice().map_entities(mapper);
    [T: MapEntities] VecDeque<T>, [T], |this, mapper| this.iter_mut().for_each(|item| item.map_entities(mapper));
    [T: MapEntities] LinkedList<T>, [T], |this, mapper| this.iter_mut().for_each(|item| item.map_entities(mapper));
    [T: MapEntities, E: MapEntities] Result<T, E>, [T E], |this, mapper| match this {
        Ok(value) => value.map_entities(mapper),
        Err(error) => error.map_entities(mapper),
    };
    [T: MapEntities] Reverse<T>, [T], |this, mapper| this.0.map_entities(mapper);
    [T: MapEntities] Range<T>, [T], |this, mapper| (&mut this.start, &mut this.end).map_entities(mapper);
    [T: MapEntities] RangeFrom<T>, [T], |this, mapper| this.start.map_entities(mapper);
    [T: MapEntities] RangeTo<T>, [T], |this, mapper| this.end.map_entities(mapper);
    [T: MapEntities + Clone] RangeInclusive<T>, [T], |this, mapper| {
        let (start, end) = (this.start().clone(), this.end().clone());
        *this = mapped(start, mapper)..=mapped(end, mapper);
    };
    [T: MapEntities] Bound<T>, [T], |this, mapper| match this {
        Bound::Included(value) | Bound::Excluded(value) => value.map_entities(mapper),
        Bound::Unbounded => {}
    };
    // `make_mut` clones a shared value, so that its other owners keep their entities.
    [T: MapEntities + Clone] Arc<T>, [T], |this, mapper| Arc::make_mut(this).map_entities(mapper);
    [T: MapEntities + Clone] Arc<[T]>, [T], |this, mapper| Arc::make_mut(this).map_entities(mapper);
    [T: MapEntities + ToOwned<Owned: MapEntities> + ?Sized] Cow<'_, T>, [T], |this, mapper| {
        this.to_mut().map_entities(mapper);
    };
    [T: MapEntities] &mut T, [T], |this, mapper| (**this).map_entities(mapper);
    [T: MapEntities + Ord] BinaryHeap<T>, [T], |this, mapper| rebuild(this, mapper);
    [T: MapEntities + Ord] BTreeSet<T>, [T], |this, mapper| rebuild(this, mapper);
    [K: MapEntities + Ord, V: MapEntities] BTreeMap<K, V>, [K V], |this, mapper| match K::HOLDS_ENTITIES {
        true => rebuild(this, mapper),
        false => this.values_mut().for_each(|value| value.map_entities(mapper)),
    };
    [T: MapEntities + Eq + Hash, S: BuildHasher + Default] hashbrown::HashSet<T, S>, [T], |this, mapper| rebuild(this, mapper);
    [K: MapEntities + Eq + Hash, V: MapEntities, S: BuildHasher + Default] hashbrown::HashMap<K, V, S>, [K V],
    |this, mapper| match K::HOLDS_ENTITIES {
        true => rebuild(this, mapper),
        false => this.values_mut().for_each(|value| value.map_entities(mapper)),
    };
    [V: MapEntities] EntityHashMap<V>, [Entity], |this, mapper| rebuild(this, mapper);
    [] EntityHashSet, [Entity], |this, mapper| rebuild(this, mapper);
    // Two of the entities may be mapped to the same entity, which is kept once.
    [] UniqueEntityVec, [Entity], |this, mapper| {
        let (mut all, mut seen) = (mem::take(this).into_inner(), EntityHashSet::new());
        all.map_entities(mapper);
        all.retain(|entity| seen.insert(*entity));
        match UniqueEntityVec::try_new(all) {
            Ok(unique) => *this = unique,
            Err(twice) => unreachable!("each is kept once: {twice}"),
        }
    };
}

#[cfg(feature = "std")]
map_in_place! {
    [T: MapEntities + Eq + Hash, S: BuildHasher + Default] HashSet<T, S>, [T], |this, mapper| rebuild(this, mapper);
    [K: MapEntities + Eq + Hash, V: MapEntities, S: BuildHasher + Default] HashMap<K, V, S>, [K V],
    |this, mapper| match K::HOLDS_ENTITIES {
        true => rebuild(this, mapper),
        false => this.values_mut().for_each(|value| value.map_entities(mapper)),
    };
    [T: MapEntities] Mutex<T>, [T], |this, mapper| {
        this.get_mut().unwrap_or_else(PoisonError::into_inner).map_entities(mapper);
    };
    [T: MapEntities] RwLock<T>, [T], |this, mapper| {
        this.get_mut().unwrap_or_else(PoisonError::into_inner).map_entities(mapper);
    };
    [T: MapEntities] OnceLock<T>, [T], |this, mapper| {
        this.get_mut().into_iter().for_each(|value| value.map_entities(mapper));
    };
}

macro_rules! map_tuple {
    ($($T:ident $at:tt)+) => {
        impl<$($T: MapEntities),+> MapEntities for ($($T,)+) {
            const HOLDS_ENTITIES: bool = $($T::HOLDS_ENTITIES)||+;

            fn map_entities<Mapper: EntityMapper>(&mut self, mapper: &mut Mapper) {
                $(self.$at.map_entities(mapper);)+
            }
        }
    };
}

all_tuples!(map_tuple);

/// Maps the entities inside a value and returns it.
fn mapped<T: MapEntities, M: EntityMapper>(mut value: T, mapper: &mut M) -> T {
    value.map_entities(mapper);
    value
}

/// Maps the items of a collection and rebuilds it, because the order of its items depends on the entities in them.
fn rebuild<C: Default + IntoIterator<Item: MapEntities> + FromIterator<C::Item>, M: EntityMapper>(
    all: &mut C,
    mapper: &mut M,
) {
    *all = mem::take(all).into_iter().map(|item| mapped(item, mapper)).collect();
}
