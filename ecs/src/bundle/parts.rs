//! How the components of a bundle get into storage and out of it.
//!
//! Each component of a bundle becomes a [`Leaf`]. Putting a leaf moves its value into storage; where there was a value
//! already the two change places, so that the old value ends up in the leaf, and a value that is not wanted stays there.
//! These are therefore dropped when the parts go out of scope, after the whole operation is done; and if something panics
//! before a leaf has been put, its value is dropped like any other.

use alloc::vec::Vec;
use core::any::{TypeId, type_name};
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{self, NonNull};
use core::slice;

use crate::column::{Column, copy_item};
use crate::component::{Component, ComponentDescriptor, ComponentId, Components, ErasedVec, StorageType};
use crate::entity::Entity;
use crate::graph::{MovePlan, Source, Target};
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::term::{ConstTerm, Group, Usage};
use crate::tick::{Tick, WriteStamp};

/// Has no name outside of this crate.
#[derive(Clone, Copy)]
pub struct Token(());

impl Token {
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

/// Where each part of one bundle goes, in order.
pub struct Targets<'a>(slice::Iter<'a, Target>);

impl<'a> Targets<'a> {
    #[inline]
    pub(crate) fn of(plan: &'a MovePlan) -> Self {
        Self(plan.targets.iter())
    }

    /// Those with which these begin.
    #[inline]
    pub(crate) fn that_begin(targets: &'a [Target]) -> Self {
        Self(targets.iter())
    }
}

/// Where the parts of one bundle go.
pub struct Sink<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) row: usize,
    pub(crate) entity: Entity,
    pub(crate) targets: Targets<'a>,
    pub(crate) sparse: &'a mut [SparseStorage],
    pub(crate) now: WriteStamp,
}

/// Where the parts of one bundle come from.
pub struct Reader<'a> {
    pub(crate) table: &'a Table,
    pub(crate) row: usize,
    pub(crate) entity: Entity,
    pub(crate) sources: slice::Iter<'a, Source>,
    pub(crate) sparse: &'a mut [SparseStorage],
}

/// The components of a bundle, in a fixed order.
///
/// # Safety
///
/// - `register` adds one id per leaf, in the order in which `put`, `read`, `bases` and `leaves` visit the leaves.
/// - `HAS_SPARSE` is true if any leaf has sparse storage, `NEEDS_DROP` if dropping the value of one does anything.
#[doc(hidden)]
pub unsafe trait BundleParts: Sized {
    /// The addresses of the columns.
    type Bases: Copy;

    /// Names each component, and borrows none.
    const COMPONENTS: ConstTerm;

    /// Whether any component is stored outside the tables.
    const HAS_SPARSE: bool;

    /// Whether dropping parts that hold values does anything.
    const NEEDS_DROP: bool;

    /// Whether a component does something once it is there: see [`Component::ACTS`].
    const ACTS: bool = false;

    /// How many of the components are this one.
    fn count(component: TypeId) -> usize;

    /// A component of these that is more than once among all.
    fn repeated<All: BundleParts>() -> Option<&'static str>;

    /// Calls `each` with every leaf in order; `base` is where the parts begin.
    fn leaves(base: usize, each: &mut dyn FnMut(LeafAt));

    /// Whether the only component has sparse storage.
    const SOLE_SPARSE: bool = false;

    /// The number of the sparse storage of the only component, if the world has met it and it does not require others. Only
    /// if `SOLE_SPARSE`.
    fn sole_storage(_: &Components) -> Option<usize> {
        None
    }

    /// Moves the only value into its sparse storage, and the old one out of it. Only if `SOLE_SPARSE`.
    ///
    /// # Safety
    ///
    /// - The storage is the component's; room has been reserved.
    unsafe fn put_sole(&mut self, _: &mut SparseStorage, _: Entity, _: WriteStamp) {}

    /// [`SparseStorage::place_lightly`] for the only value. Only if `SOLE_SPARSE`.
    ///
    /// # Safety
    ///
    /// - The storage is the component's. The caller moves the value there before anything else happens to the storage.
    unsafe fn place_sole_lightly(_: &mut SparseStorage, _: Entity, _: Tick) -> Option<NonNull<u8>> {
        None
    }

    /// Removes the only value from its sparse storage, if that takes nothing but [`SparseStorage::remove_lightly`], and says whether
    /// it has. Only if `SOLE_SPARSE`.
    ///
    /// # Safety
    ///
    /// - The storage is the component's.
    unsafe fn remove_sole_lightly(_: &mut SparseStorage, _: Entity) -> bool {
        false
    }

    /// Moves the only value to place `nth` of a row of values, where there is none. Only if `SOLE_SPARSE`.
    ///
    /// # Safety
    ///
    /// - The row of values is of the component, and there is memory at this place. The parts are full.
    unsafe fn write_sole(&mut self, _: NonNull<u8>, nth: usize) {
        let _ = nth;
    }

    /// Adds the components, one after the other.
    fn register(components: &mut Components, ids: &mut Vec<ComponentId>);

    /// Moves the values into storage, and old values out of it.
    ///
    /// # Safety
    ///
    /// - The targets are those of a plan for this bundle and the table, in order.
    /// - The row is within the capacity of the table; it holds a value wherever a target says `replace`.
    /// - Room has been reserved in the sparse storages.
    unsafe fn put(&mut self, sink: &mut Sink<'_>);

    /// Says that the values have been moved away. The token has no name outside of this crate: all other code relies on parts
    /// being full.
    fn forget(&mut self, _: Token);

    /// Moves the values to the heap, where they forget their types.
    fn erase(&mut self, values: &mut Vec<ErasedVec>, _: Token);

    /// Moves the values out of storage.
    ///
    /// # Safety
    ///
    /// - The sources are those of a complete plan for this bundle and the table, in order; the row holds values.
    /// - Every sparse component of the bundle is there. Its value is retired; the caller forgets it.
    /// - The caller treats the values in the table as moved out.
    /// - `this` is writable.
    unsafe fn read(this: *mut Self, reader: &mut Reader<'_>);

    /// The addresses of the columns that the components go to. Only if no component is sparse.
    ///
    /// # Safety
    ///
    /// - The targets are those of a plan for this bundle and the table, in order.
    unsafe fn bases(table: &Table, targets: &mut Targets<'_>) -> Self::Bases;

    /// Writes the values to a row that has none.
    ///
    /// # Safety
    ///
    /// - The addresses came from `bases`, and the columns have not grown since.
    /// - The row is within their capacity and holds no values.
    unsafe fn write(&mut self, bases: Self::Bases, row: usize);
}

/// One component of a bundle: its new value, its old one, or none.
#[doc(hidden)]
pub struct Leaf<C> {
    value: MaybeUninit<C>,
    full: bool,
}

impl<C> Leaf<C> {
    #[inline]
    pub(crate) fn new(value: C) -> Self {
        Self { value: MaybeUninit::new(value), full: true }
    }

    /// The value.
    ///
    /// # Panics
    ///
    /// If it has been put into storage and there was no old one.
    #[inline]
    pub(crate) fn into_inner(mut self) -> C {
        assert!(self.full, "the value of this part has been put into storage");
        self.full = false;
        // SAFETY: a full leaf holds a value; it is marked as empty, so the value is not dropped here as well.
        unsafe { self.value.assume_init_read() }
    }

    /// Makes a full leaf of the value at an address.
    ///
    /// # Safety
    ///
    /// - `value` is a value, which is moved out; `this` is writable.
    #[inline]
    pub(crate) unsafe fn fill(this: *mut Self, value: *const C) {
        // SAFETY: the caller's promise; both fields are written.
        unsafe {
            ptr::copy_nonoverlapping(value, (&raw mut (*this).value).cast::<C>(), 1);
            (&raw mut (*this).full).write(true);
        }
    }

    /// Moves the value of a full leaf to an address.
    ///
    /// # Safety
    ///
    /// - `this` is a full leaf; `value` is writable.
    #[inline]
    pub(crate) unsafe fn empty(this: *mut Self, value: *mut C) {
        // SAFETY: the caller's promise; the leaf is marked as empty.
        unsafe {
            debug_assert!((*this).full);
            (*this).full = false;
            ptr::copy_nonoverlapping((&raw const (*this).value).cast::<C>(), value, 1);
        }
    }

    /// Moves the value to an address, or exchanges it with the value there.
    ///
    /// # Safety
    ///
    /// - The leaf is full; the address is valid for a `C`, and holds one if `replace` is true.
    #[inline]
    unsafe fn move_to(&mut self, address: NonNull<C>, replace: bool) {
        debug_assert!(self.full && address.is_aligned());
        // SAFETY: the leaf holds a value. Exchanging keeps it full; moving out empties it.
        unsafe {
            if replace {
                ptr::swap_nonoverlapping(self.value.as_mut_ptr(), address.as_ptr(), 1);
            } else {
                ptr::copy_nonoverlapping(self.value.as_ptr(), address.as_ptr(), 1);
                self.full = false;
            }
        }
    }
}

impl<C> Drop for Leaf<C> {
    #[inline]
    fn drop(&mut self) {
        if self.full {
            // SAFETY: a full leaf holds a value.
            unsafe { self.value.assume_init_drop() }
        }
    }
}

/// Where a leaf lies in memory that holds parts, for code that does not know its type.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct LeafAt {
    /// The value.
    pub(crate) value: usize,
    /// Whether there is one: a `bool`.
    pub(crate) full: usize,
    /// The size of the value.
    pub(crate) size: usize,
    pub(crate) needs_drop: bool,
}

/// As [`BundleParts::put`], for full leaves of any types. Those that have nothing to drop may stay full.
///
/// # Safety
///
/// - The leaves lie where they say, seen from `start`, and are those that the sink has targets for, in order.
/// - The rest as for [`BundleParts::put`].
#[inline]
pub(crate) unsafe fn put_leaves(start: NonNull<u8>, leaves: &[LeafAt], sink: &mut Sink<'_>) {
    for leaf in leaves {
        let target = sink.next_target();
        // SAFETY: the leaf holds a value of the component that the target is for. Whatever needs to be dropped is marked as gone
        // when it is moved out.
        unsafe {
            let moved = sink.put_erased(target, start.add(leaf.value), leaf.size, leaf.needs_drop);
            if moved && leaf.needs_drop {
                start.add(leaf.full).cast::<bool>().write(false);
            }
        }
    }
}

impl Sink<'_> {
    /// Moves a value whose type is not known to where a target says: the one writer of such values, beside
    /// [`BundleParts::put`]. Where there was a value already the two change places, if they `exchange`; else that is
    /// overwritten. False if there is a value at the address afterwards: the old one, or this one if it is not wanted.
    ///
    /// # Safety
    ///
    /// - The address holds a value of this size, of the component that the target is for, which is one of the sink's plan. If it
    ///   returns true, nothing uses the value any more.
    /// - The rest as for [`BundleParts::put`].
    #[inline]
    pub(crate) unsafe fn put_erased(
        &mut self,
        target: Target,
        value: NonNull<u8>,
        size: usize,
        exchange: bool,
    ) -> bool {
        // SAFETY: the plan has this target; the value is written at once.
        let Some((address, replace)) = (unsafe { self.place(target) }) else { return false };
        // SAFETY: both are valid for a value of the component, which is here, and there if it is to be replaced.
        unsafe {
            if replace && exchange {
                ptr::swap_nonoverlapping(value.as_ptr(), address.as_ptr(), size);
                return false;
            }
            copy_item(value.as_ptr(), address.as_ptr(), size);
        }
        true
    }

    /// [`Sink::put_erased`] of the only one of some values. Where there was a value, that is here afterwards; one that is not
    /// wanted stays.
    ///
    /// # Safety
    ///
    /// - There is one value, of the component that the target is for.
    /// - The rest as for [`Sink::put_erased`].
    pub(crate) unsafe fn put_value(&mut self, target: Target, value: &mut ErasedVec) {
        let size = value.descriptor().layout().size();
        // SAFETY: the caller's promise; the value is marked as gone if it has been moved out.
        unsafe {
            if self.put_erased(target, value.data(), size, true) {
                value.forget();
            }
        }
    }

    /// The column that a target names.
    ///
    /// # Safety
    ///
    /// - The target is one of a plan for the table that has the columns.
    #[inline]
    unsafe fn column(&self, index: u32) -> &Column {
        debug_assert!((index as usize) < self.columns.len());
        // SAFETY: the caller's promise; a plan names columns that its table has, and the number of these never changes.
        unsafe { self.columns.get_unchecked(index as usize) }
    }

    /// Where the next component goes.
    #[inline]
    pub(crate) fn next_target(&mut self) -> Target {
        match self.targets.0.next() {
            Some(&target) => target,
            None => unreachable!("a plan has a target for each component of its bundle"),
        }
    }

    /// Where a component goes, and whether there is a value, to be replaced. None if it goes nowhere.
    ///
    /// # Safety
    ///
    /// - As for [`BundleParts::put`], with a target of the plan; the caller writes the value at once.
    #[inline]
    unsafe fn place(&mut self, target: Target) -> Option<(NonNull<u8>, bool)> {
        match target {
            Target::Column { index, replace } => {
                // SAFETY: the plan belongs to this table, so the index is one of its columns; the row is within them.
                Some((unsafe { self.column(index).get(self.row) }, replace))
            }
            Target::Sparse(number) => Some(self.sparse_place(number)),
            Target::SparseIfNew(number) if !self.sparse[number as usize].contains(self.entity.index()) => {
                Some(self.sparse_place(number))
            }
            Target::SparseIfNew(_) | Target::Nowhere => None,
        }
    }

    /// Moves a component to where the next target says, in an entity that has nothing so far.
    ///
    /// # Safety
    ///
    /// - The next target is that of the component. The address is that of a value, which is moved out.
    /// - The rest as for [`BundleParts::put`]; the plan is one for entities without components.
    #[inline]
    pub(crate) unsafe fn put_new<C: Component>(&mut self, value: *const C) {
        // SAFETY: the next target is the component's, and an entity that has nothing gets it where components of this storage are.
        // The plan belongs to this table, so the index is one of its columns, of type `C`, and the row is within the capacity; or the
        // storage is that of `C`, and room has been reserved. Where nothing was, nothing is replaced.
        unsafe {
            let address = match (C::STORAGE_TYPE, self.targets.0.next()) {
                (StorageType::Table, Some(&Target::Column { index, replace })) => {
                    debug_assert!(!replace, "an entity that has nothing has no value that could be replaced");
                    self.column(index).data().cast::<C>().add(self.row)
                }
                (StorageType::Sparse, Some(&Target::Sparse(number))) => {
                    match self.sparse[number as usize].place_lightly::<C>(self.entity, self.now.tick) {
                        Some(address) => address,
                        None => self.sparse_place(number).0.cast(),
                    }
                }
                (_, target) => {
                    debug_assert!(false, "a new component goes to {target:?}");
                    core::hint::unreachable_unchecked()
                }
            };
            ptr::copy_nonoverlapping(value, address.as_ptr(), 1);
        }
    }

    fn sparse_place(&mut self, number: u32) -> (NonNull<u8>, bool) {
        // SAFETY: room was reserved; the caller of `place` writes the value.
        unsafe { self.sparse[number as usize].place(self.entity, self.now) }
    }
}

// SAFETY: one leaf, one id, one target.
unsafe impl<C: Component> BundleParts for Leaf<C> {
    type Bases = NonNull<C>;

    const COMPONENTS: ConstTerm = ConstTerm::of::<C>(Usage::Except);
    const HAS_SPARSE: bool = matches!(C::STORAGE_TYPE, StorageType::Sparse);
    const ACTS: bool = C::ACTS;
    const NEEDS_DROP: bool = core::mem::needs_drop::<C>();
    const SOLE_SPARSE: bool = Self::HAS_SPARSE;

    #[inline]
    fn count(component: TypeId) -> usize {
        usize::from(component == TypeId::of::<C>())
    }

    #[inline]
    fn repeated<All: BundleParts>() -> Option<&'static str> {
        (All::count(TypeId::of::<C>()) > 1).then(type_name::<C>)
    }

    #[inline]
    fn sole_storage(components: &Components) -> Option<usize> {
        components.sole_storage::<C>()
    }

    #[inline]
    unsafe fn put_sole(&mut self, storage: &mut SparseStorage, entity: Entity, now: WriteStamp) {
        // SAFETY: the storage holds values of `C`. A new entry is filled at once; room for it was reserved.
        unsafe {
            let (address, replace) = storage.place(entity, now);
            self.move_to(address.cast(), replace);
        }
    }

    #[inline(always)]
    unsafe fn place_sole_lightly(storage: &mut SparseStorage, entity: Entity, now: Tick) -> Option<NonNull<u8>> {
        // SAFETY: the storage holds values of `C`; the rest is the caller's promise.
        unsafe { storage.place_lightly::<C>(entity, now).map(NonNull::cast) }
    }

    #[inline(always)]
    unsafe fn remove_sole_lightly(storage: &mut SparseStorage, entity: Entity) -> bool {
        // SAFETY: the storage holds values of `C`, which need no drop.
        !Self::NEEDS_DROP && unsafe { storage.remove_lightly::<C>(entity) }
    }

    #[inline]
    unsafe fn write_sole(&mut self, first: NonNull<u8>, nth: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.move_to(first.cast().add(nth), false) }
    }

    fn leaves(base: usize, each: &mut dyn FnMut(LeafAt)) {
        each(LeafAt {
            value: base + offset_of!(Self, value),
            full: base + offset_of!(Self, full),
            size: size_of::<C>(),
            needs_drop: Self::NEEDS_DROP,
        });
    }

    fn register(components: &mut Components, ids: &mut Vec<ComponentId>) {
        ids.push(components.register::<C>());
    }

    #[inline]
    unsafe fn put(&mut self, sink: &mut Sink<'_>) {
        match sink.targets.0.next() {
            Some(&Target::Column { index, replace }) => {
                // SAFETY: the plan belongs to this table, so the index is one of its columns, of type `C`; the row is
                // within the capacity and holds a value if one is to be replaced.
                unsafe {
                    let column = sink.column(index);
                    self.move_to(column.data().cast::<C>().add(sink.row), replace);
                }
            }
            // The only other target of a component that is stored in tables is nowhere.
            Some(_) if !Self::HAS_SPARSE => {}
            Some(target @ &(Target::Sparse(number) | Target::SparseIfNew(number))) => {
                let storage = &mut sink.sparse[number as usize];
                if matches!(target, Target::SparseIfNew(_)) && storage.contains(sink.entity.index()) {
                    return;
                }
                // SAFETY: the plan belongs to this bundle, so the storage is that of `C`; room has been reserved.
                unsafe { self.put_sole(storage, sink.entity, sink.now) }
            }
            Some(&Target::Nowhere) => {}
            None => unreachable!("a plan has a target for each component of its bundle"),
        }
    }

    #[inline]
    fn forget(&mut self, _: Token) {
        self.full = false;
    }

    fn erase(&mut self, values: &mut Vec<ErasedVec>, _: Token) {
        if self.full {
            let mut value = ErasedVec::with_room_for_one(ComponentDescriptor::of::<C>());
            // SAFETY: there is room for one value of `C`, and the leaf holds one, which it forgets.
            unsafe { value.fill(self.value.as_ptr().cast()) };
            self.full = false;
            values.push(value);
        }
    }

    #[inline]
    unsafe fn read(this: *mut Self, reader: &mut Reader<'_>) {
        let address = match reader.sources.next() {
            Some(&Source::Column(index)) => {
                // SAFETY: the plan belongs to this table, so the index is one of its columns; the row is in use.
                unsafe { reader.table.column_unchecked(index as usize).get(reader.row) }
            }
            Some(&Source::Sparse(number)) => match reader.sparse[number as usize].retire(reader.entity) {
                Some(address) => address,
                None => unreachable!("the caller has checked that the component is there"),
            },
            _ => unreachable!("a complete plan has a source for each component of its bundle"),
        };
        // SAFETY: the address holds a `C`, which the caller treats as moved out.
        unsafe { Self::fill(this, address.cast::<C>().as_ptr()) }
    }

    #[inline]
    unsafe fn bases(table: &Table, targets: &mut Targets<'_>) -> NonNull<C> {
        match targets.0.next() {
            // SAFETY: the plan belongs to this table, so the index is one of its columns.
            Some(&Target::Column { index, .. }) => unsafe { table.column_unchecked(index as usize).data().cast() },
            _ => unreachable!("a plan has a column for each table-stored component of its bundle"),
        }
    }

    #[inline]
    unsafe fn write(&mut self, base: NonNull<C>, row: usize) {
        // SAFETY: the row is within the column, which holds values of `C`, and holds none yet; the leaf is full, as
        // nothing has been put.
        unsafe { self.move_to(base.add(row), false) }
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        // SAFETY: every method visits the members from first to last.
        unsafe impl<$($T: BundleParts),*> BundleParts for ($($T,)*) {
            type Bases = ($($T::Bases,)*);

            const COMPONENTS: ConstTerm = ConstTerm::Group(Group::All, &[$($T::COMPONENTS),*]);
            const HAS_SPARSE: bool = $($T::HAS_SPARSE)||*;
            const ACTS: bool = $($T::ACTS)||*;
            const NEEDS_DROP: bool = $($T::NEEDS_DROP)||*;

            #[inline]
            fn count(component: TypeId) -> usize {
                0 $(+ $T::count(component))*
            }

            #[inline]
            fn repeated<All: BundleParts>() -> Option<&'static str> {
                $(
                    if let twice @ Some(_) = $T::repeated::<All>() {
                        return twice;
                    }
                )*
                None
            }

            fn leaves(base: usize, each: &mut dyn FnMut(LeafAt)) {
                $($T::leaves(base + offset_of!(Self, $at), each);)*
            }

            fn register(components: &mut Components, ids: &mut Vec<ComponentId>) {
                $($T::register(components, ids);)*
            }

            #[inline]
            unsafe fn put(&mut self, sink: &mut Sink<'_>) {
                // SAFETY: the caller's promise, member by member.
                unsafe { $(self.$at.put(sink);)* }
            }

            #[inline]
            fn forget(&mut self, token: Token) {
                $(self.$at.forget(token);)*
            }

            fn erase(&mut self, values: &mut Vec<ErasedVec>, token: Token) {
                $(self.$at.erase(values, token);)*
            }

            #[inline]
            unsafe fn read(this: *mut Self, reader: &mut Reader<'_>) {
                // SAFETY: the caller's promise, member by member.
                unsafe { $($T::read(&raw mut (*this).$at, reader);)* }
            }

            #[inline]
            unsafe fn bases(table: &Table, targets: &mut Targets<'_>) -> Self::Bases {
                // SAFETY: the caller's promise, member by member.
                unsafe { ($($T::bases(table, targets),)*) }
            }

            #[inline]
            unsafe fn write(&mut self, bases: Self::Bases, row: usize) {
                // SAFETY: the caller's promise, member by member.
                unsafe { $(self.$at.write(bases.$at, row);)* }
            }
        }
    };
}

// SAFETY: no members.
unsafe impl BundleParts for () {
    type Bases = ();

    const COMPONENTS: ConstTerm = ConstTerm::Group(Group::All, &[]);
    const HAS_SPARSE: bool = false;
    const NEEDS_DROP: bool = false;

    fn count(_: TypeId) -> usize {
        0
    }

    fn repeated<All: BundleParts>() -> Option<&'static str> {
        None
    }

    fn leaves(_: usize, _: &mut dyn FnMut(LeafAt)) {}

    fn register(_: &mut Components, _: &mut Vec<ComponentId>) {}

    unsafe fn put(&mut self, _: &mut Sink<'_>) {}

    fn forget(&mut self, _: Token) {}

    fn erase(&mut self, _: &mut Vec<ErasedVec>, _: Token) {}

    unsafe fn read(_: *mut Self, _: &mut Reader<'_>) {}

    unsafe fn bases(_: &Table, _: &mut Targets<'_>) {}

    unsafe fn write(&mut self, (): (), _: usize) {}
}

all_tuples!(tuples);
