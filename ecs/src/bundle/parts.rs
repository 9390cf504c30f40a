//! How the components of a bundle get into storage and out of it.
//!
//! There are two row writers, both methods of [`RowWriter`]: one for values of known types and one for values that forgot theirs. They
//! write to places that hold no value. A value that is replaced, or not wanted, goes past the end of its column first if it has to be
//! dropped, and is dropped when the operation is done.
//!
//! A bundle that is not nested tuples of components is taken apart first: each component becomes a [`Leaf`], which is dropped like any
//! other value if something panics before it is written.

use alloc::vec::Vec;
use core::any::{TypeId, type_name};
use core::mem::{MaybeUninit, needs_drop, offset_of};
use core::ptr::{self, NonNull};
use core::slice;

use crate::column::{Column, copy_item};
use crate::component::{Component, ComponentDescriptor, ComponentId, Components, ErasedVec, StorageType};
use crate::entity::Entity;
use crate::flags::flag_set;
use crate::graph::{MovePlan, Source, Target};
use crate::sparse::SparseStorage;
use crate::table::Table;
use crate::term::{ConstTerm, Group, Usage};
use crate::tick::WriteStamp;

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
}

/// Writes the values of one entity: the typed row writer ([`RowWriter::write`]) and the erased one ([`RowWriter::write_erased`]).
pub struct RowWriter<'a> {
    columns: &'a [Column],
    /// The row of the entity.
    row: usize,
    /// The row past the end of the table, counted with the row of the entity. Replaced and unwanted values that have to be dropped go
    /// there.
    past_end: usize,
    entity: Entity,
    targets: Targets<'a>,
    sparse: &'a mut [SparseStorage],
    now: WriteStamp,
}

impl<'a> RowWriter<'a> {
    /// A writer for the row of an entity in a table, with the targets of a plan.
    ///
    /// # Safety
    ///
    /// - The plan leads to this table, and the row is within its capacity. If the row is not one of the table yet, the caller commits it
    ///   once it holds a value in each column.
    /// - Where a target of the plan says `replace`, the row holds a value. If the plan replaces values that have to be dropped, there is
    ///   room for the row past the end, and the caller drops what is there ([`Table::drop_past_end`]).
    /// - Room has been reserved in the sparse storages that the plan adds something to, and the caller drops what retires there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn new(
        plan: &'a MovePlan,
        table: &'a Table,
        row: usize,
        entity: Entity,
        sparse: &'a mut [SparseStorage],
        now: WriteStamp,
    ) -> Self {
        let past_end = table.len().max(row + 1);
        Self { columns: table.columns(), row, past_end, entity, targets: Targets::of(plan), sparse, now }
    }

    /// A writer for the sparse components of an entity.
    ///
    /// # Safety
    ///
    /// - No target of the plan is a column.
    /// - Room has been reserved in the sparse storages that the plan adds something to, and the caller drops what retires there.
    #[inline(always)]
    pub(crate) unsafe fn outside_of_tables(
        plan: &'a MovePlan,
        entity: Entity,
        sparse: &'a mut [SparseStorage],
        now: WriteStamp,
    ) -> Self {
        Self { columns: &[], row: 0, past_end: 1, entity, targets: Targets::of(plan), sparse, now }
    }
}

/// Where the parts of one bundle come from.
pub struct Reader<'a> {
    pub(crate) table: &'a Table,
    pub(crate) row: usize,
    pub(crate) entity: Entity,
    pub(crate) sources: slice::Iter<'a, Source>,
    pub(crate) sparse: &'a mut [SparseStorage],
}

flag_set! {
    /// Where the components of a bundle are stored, and what that takes.
    #[doc(hidden)]
    pub struct PartKinds(u8) {
        /// Some are in tables.
        TABLE = 1;
        /// Some are in sparse storages.
        SPARSE = 1 << 1;
        /// Values of some of these have to be dropped.
        SPARSE_DROPS = 1 << 2;
        /// Some of these name the target of a relationship.
        LINKS = 1 << 3;
        /// Some require others.
        REQUIRES = 1 << 4;
    }
}

impl PartKinds {
    /// The kinds of one component.
    const fn of<C: Component>() -> Self {
        let requires = Self::REQUIRES.only_if(C::REQUIRES);
        if matches!(C::STORAGE_TYPE, StorageType::Table) {
            return Self::TABLE.union(requires);
        }
        let drops = Self::SPARSE_DROPS.only_if(needs_drop::<C>());
        Self::SPARSE.union(drops).union(Self::LINKS.only_if(C::DESCRIPTION.names_target())).union(requires)
    }
}

/// The components of a bundle, in a fixed order.
///
/// # Safety
///
/// - `register` adds one id per leaf, in the order in which `write_row`, `read`, `bases` and `leaves` visit the leaves.
/// - `KINDS` has the kinds of all leaves. `NEEDS_DROP` is true if dropping the value of one does anything.
#[doc(hidden)]
pub unsafe trait BundleParts: Sized {
    /// The addresses of the columns.
    type Bases: Copy;

    /// Names each component, and borrows none.
    const COMPONENTS: ConstTerm;

    /// Where the components are stored, and what that takes.
    const KINDS: PartKinds;

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

    /// Whether there is only one component, which has sparse storage.
    const SOLE_SPARSE: bool = false;

    /// The number of the sparse storage of the only component, if the world has met it and it does not require others. Only
    /// if `SOLE_SPARSE`.
    fn sole_storage(_: &Components) -> Option<usize> {
        None
    }

    /// Whether there is room for the value of an entity in each sparse storage to which the next targets lead.
    fn has_room(targets: &mut Targets<'_>, sparse: &[SparseStorage], index: u32) -> bool;

    /// Removes the value of an entity from the sparse storage of the only component, if there is one. Only if `SOLE_SPARSE`, and if
    /// dropping the value does nothing.
    ///
    /// # Safety
    ///
    /// - The storage is the component's.
    unsafe fn remove_sole(_: &mut SparseStorage, _: Entity) {}

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

    /// Moves the values to where the next targets of the writer say. The parts are empty afterwards.
    ///
    /// # Safety
    ///
    /// - The parts are full, and the next targets are those of their components.
    /// - Unless `IF_NEW`, the plan of the writer is one of an insertion, of which every value is wanted.
    unsafe fn write_row<const IF_NEW: bool>(&mut self, writer: &mut RowWriter<'_>);

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

/// As [`BundleParts::write_row`], for full leaves of any types. Those that have nothing to drop may stay full.
///
/// # Safety
///
/// - The leaves lie where they say, seen from `start`, and are those that the writer has targets for, in order.
#[inline]
pub(crate) unsafe fn write_leaves(start: NonNull<u8>, leaves: &[LeafAt], writer: &mut RowWriter<'_>) {
    for leaf in leaves {
        let target = writer.next_target();
        // SAFETY: the leaf holds a value of the component that the target is for. Whatever needs to be dropped is marked as gone
        // when it is moved out.
        unsafe {
            let moved = writer.write_erased(target, start.add(leaf.value), leaf.size, leaf.needs_drop);
            if moved && leaf.needs_drop {
                start.add(leaf.full).cast::<bool>().write(false);
            }
        }
    }
}

impl RowWriter<'_> {
    /// Moves a value to where the next target says. An old value that has to be dropped goes to the row past the end, or past the end
    /// of the sparse storage, and so does the new value if it is not wanted.
    ///
    /// # Safety
    ///
    /// - The next target is one for `C`. The address holds a value, which is moved out.
    /// - Unless `IF_NEW`, the plan of the writer is one of an insertion, of which every value is wanted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn write<C: Component, const IF_NEW: bool>(&mut self, value: *const C) {
        // SAFETY: a plan names columns of its table for components that are stored there, of type `C`, and the storage of `C` for the
        // others. The row and the row past the end are within the capacity, and the row holds a value if one is replaced, as the maker
        // of the writer promised. Each value is moved to a place that holds none, or whose value has been moved or needs no drop.
        unsafe {
            match (C::STORAGE_TYPE, self.targets.0.next()) {
                (StorageType::Table, Some(&Target::Column { index, replace })) => {
                    let values = self.column(index).data().cast::<C>();
                    let place = values.add(self.row);
                    if const { needs_drop::<C>() } && replace {
                        place.copy_to_nonoverlapping(values.add(self.past_end), 1);
                    }
                    ptr::copy_nonoverlapping(value, place.as_ptr(), 1);
                }
                (StorageType::Table, Some(&Target::Kept(index))) if IF_NEW => {
                    if const { needs_drop::<C>() } {
                        let values = self.column(index).data().cast::<C>();
                        ptr::copy_nonoverlapping(value, values.add(self.past_end).as_ptr(), 1);
                    }
                }
                (StorageType::Sparse, Some(&Target::Sparse(number))) => {
                    let place = self.place_sparse::<C>(number);
                    ptr::copy_nonoverlapping(value, place.as_ptr(), 1);
                }
                (StorageType::Sparse, Some(&Target::SparseIfNew(number))) if IF_NEW => {
                    if let Some(place) = self.place_sparse_if_new(number, const { needs_drop::<C>() }) {
                        ptr::copy_nonoverlapping(value, place.cast().as_ptr(), 1);
                    }
                }
                (_, target) => {
                    debug_assert!(false, "a component of an insertion goes to {target:?}");
                    core::hint::unreachable_unchecked()
                }
            }
        }
    }

    /// Moves a value whose type is not known to where a target says. False if it stays at the address: it is not wanted then, and the
    /// caller drops it if it has to be dropped.
    ///
    /// # Safety
    ///
    /// - The address holds a value of this size, of the component that the target is for, which is one of the writer's plan. If this
    ///   returns true, nothing uses the value any more. `needs_drop` says whether such values have to be dropped.
    #[inline]
    pub(crate) unsafe fn write_erased(
        &mut self,
        target: Target,
        value: NonNull<u8>,
        size: usize,
        needs_drop: bool,
    ) -> bool {
        // SAFETY: as in `write`; the size is that of the values of the column or storage.
        unsafe {
            let place = match target {
                Target::Column { index, replace } => {
                    let column = self.column(index);
                    let place = column.get(self.row);
                    if replace && needs_drop {
                        copy_item(place.as_ptr(), column.get(self.past_end).as_ptr(), size);
                    }
                    place
                }
                Target::Kept(index) if needs_drop => self.column(index).get(self.past_end),
                Target::Sparse(number) => {
                    place_erased(&mut self.sparse[number as usize], self.entity, self.now, needs_drop)
                }
                Target::SparseIfNew(number) => match self.place_sparse_if_new(number, needs_drop) {
                    Some(place) => place,
                    None => return false,
                },
                Target::Kept(_) | Target::Nowhere => return false,
            };
            copy_item(value.as_ptr(), place.as_ptr(), size);
        }
        true
    }

    /// [`RowWriter::write_erased`] of the only one of some values, which stays if it is not wanted.
    ///
    /// # Safety
    ///
    /// - There is one value, of the component that the target is for, which is one of the writer's plan.
    pub(crate) unsafe fn write_value(&mut self, target: Target, value: &mut ErasedVec) {
        let (size, needs_drop) =
            (value.descriptor().layout().size(), value.descriptor().functions().drop_fn().is_some());
        // SAFETY: the caller's promise; the value is marked as gone if it has been moved out.
        unsafe {
            if self.write_erased(target, value.data(), size, needs_drop) {
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

    /// Where the value of the entity in the sparse storage of `C` goes, which the caller writes at once.
    ///
    /// # Safety
    ///
    /// - The target belongs to the writer's plan, and the storage holds values of `C`.
    #[inline(always)]
    unsafe fn place_sparse<C: Component>(&mut self, number: u32) -> NonNull<C> {
        let storage = &mut self.sparse[number as usize];
        // SAFETY: forwarded.
        unsafe {
            match storage.try_add_untracked::<C>(self.entity, self.now.tick) {
                Some(place) => place,
                None => place_erased(storage, self.entity, self.now, const { needs_drop::<C>() }).cast(),
            }
        }
    }

    /// Where the value of the entity in a sparse storage goes, which the caller writes at once: past the end if there is a value and
    /// the new one has to be dropped, nowhere if it need not be.
    ///
    /// # Safety
    ///
    /// - The target is one of the writer's plan.
    unsafe fn place_sparse_if_new(&mut self, number: u32, needs_drop: bool) -> Option<NonNull<u8>> {
        let storage = &mut self.sparse[number as usize];
        // SAFETY: room was reserved, also for a value past the end; the caller writes the value at once.
        unsafe {
            match storage.contains(self.entity.index()) {
                false => Some(storage.place(self.entity, self.now).0),
                true if needs_drop => Some(storage.retire_place()),
                true => None,
            }
        }
    }
}

/// Where the value of an entity in a sparse storage goes, which the caller writes at once. An old value retires if it has to be dropped.
///
/// # Safety
///
/// - Room has been reserved, also for a value past the end.
#[inline(never)]
unsafe fn place_erased(storage: &mut SparseStorage, entity: Entity, now: WriteStamp, needs_drop: bool) -> NonNull<u8> {
    // SAFETY: forwarded; the caller writes the value at once.
    unsafe {
        let (place, replaces) = storage.place(entity, now);
        if replaces && needs_drop {
            storage.retire_copy(place);
        }
        place
    }
}

// SAFETY: one leaf, one id, one target.
unsafe impl<C: Component> BundleParts for Leaf<C> {
    type Bases = NonNull<C>;

    const COMPONENTS: ConstTerm = ConstTerm::of::<C>(Usage::Except);
    const KINDS: PartKinds = PartKinds::of::<C>();
    const ACTS: bool = C::ACTS;
    const NEEDS_DROP: bool = needs_drop::<C>();
    const SOLE_SPARSE: bool = Self::KINDS.intersects(PartKinds::SPARSE);

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

    #[inline(always)]
    fn has_room(targets: &mut Targets<'_>, sparse: &[SparseStorage], index: u32) -> bool {
        match (C::STORAGE_TYPE, targets.0.next()) {
            (StorageType::Table, target) => target.is_some(),
            (StorageType::Sparse, Some(&Target::Sparse(number))) => sparse[number as usize].has_room::<C>(index),
            (StorageType::Sparse, _) => false,
        }
    }

    #[inline(always)]
    unsafe fn remove_sole(storage: &mut SparseStorage, entity: Entity) {
        debug_assert!(!Self::NEEDS_DROP, "a value that has to be dropped retires first");
        // SAFETY: the storage holds values of `C`, which need no drop.
        if unsafe { !storage.try_remove_untracked::<C>(entity) } {
            storage.remove(entity);
        }
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
    unsafe fn write_row<const IF_NEW: bool>(&mut self, writer: &mut RowWriter<'_>) {
        debug_assert!(self.full);
        // SAFETY: the leaf holds a value, which it forgets; the rest is the caller's promise.
        unsafe { writer.write::<C, IF_NEW>(self.value.as_ptr()) }
        self.full = false;
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
            const KINDS: PartKinds = PartKinds::NONE$(.union($T::KINDS))*;
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
            unsafe fn write_row<const IF_NEW: bool>(&mut self, writer: &mut RowWriter<'_>) {
                // SAFETY: the caller's promise, member by member.
                unsafe { $(self.$at.write_row::<IF_NEW>(writer);)* }
            }

            #[inline(always)]
            fn has_room(targets: &mut Targets<'_>, sparse: &[SparseStorage], index: u32) -> bool {
                $($T::has_room(targets, sparse, index))&&*
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
    const KINDS: PartKinds = PartKinds::NONE;
    const NEEDS_DROP: bool = false;

    fn count(_: TypeId) -> usize {
        0
    }

    fn repeated<All: BundleParts>() -> Option<&'static str> {
        None
    }

    fn leaves(_: usize, _: &mut dyn FnMut(LeafAt)) {}

    fn register(_: &mut Components, _: &mut Vec<ComponentId>) {}

    fn has_room(_: &mut Targets<'_>, _: &[SparseStorage], _: u32) -> bool {
        true
    }

    unsafe fn write_row<const IF_NEW: bool>(&mut self, _: &mut RowWriter<'_>) {}

    fn forget(&mut self, _: Token) {}

    fn erase(&mut self, _: &mut Vec<ErasedVec>, _: Token) {}

    unsafe fn read(_: *mut Self, _: &mut Reader<'_>) {}

    unsafe fn bases(_: &Table, _: &mut Targets<'_>) {}

    unsafe fn write(&mut self, (): (), _: usize) {}
}

all_tuples!(tuples);
