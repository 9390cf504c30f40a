//! Moving the components of a bundle into storage and out of it.
//!
//! A bundle that is not made of nested tuples of components is split into its components first. Each component becomes a [`BundleField`].
//! If something panics before the field is written, it is dropped like any other value.
//!
//! Tests: tests/storage/bundles.rs, tests/hazards/ignored_fields.rs

use alloc::vec::Vec;
use core::any::{TypeId, type_name};
use core::mem::{MaybeUninit, needs_drop, offset_of};
use core::ptr::{self, NonNull};
use core::slice;

use super::row_writer::{BundleTargets, RowWriter};
use crate::access::term::{ConstTerm, Group, Usage};
use crate::component::{Component, ComponentDescriptor, ComponentId, Components, ErasedVec, StorageType};
use crate::entity::Entity;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::structure::graph::{ComponentSource, ComponentTarget};
use crate::util::flags::flag_set;

/// A token that cannot be named outside of this crate.
#[derive(Clone, Copy)]
pub struct Token(());

impl Token {
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

/// The row, and the sparse storages, from which the components of one bundle are read.
pub struct RowReader<'a> {
    pub(crate) table: &'a Table,
    pub(crate) row: usize,
    pub(crate) entity: Entity,
    pub(crate) sources: slice::Iter<'a, ComponentSource>,
    pub(crate) sparse: &'a mut [SparseStorage],
}

flag_set! {
    /// How the components of a bundle are stored, and what else adding them requires.
    #[doc(hidden)]
    pub struct PartKinds(u8) {
        /// Some components are in tables.
        TABLE = 1;
        /// Some components are in sparse storages.
        SPARSE = 1 << 1;
        /// Some sparse components have values that need drop.
        SPARSE_DROPS = 1 << 2;
        /// Some sparse components name the target of a relationship.
        LINKS = 1 << 3;
        /// Some components require others.
        REQUIRES = 1 << 4;
    }
}

impl PartKinds {
    /// Returns the kinds of one component.
    const fn of<C: Component>() -> Self {
        let requires = Self::REQUIRES.only_if(C::REQUIRES);
        if matches!(C::STORAGE_TYPE, StorageType::Table) {
            return Self::TABLE.union(requires);
        }
        let drops = Self::SPARSE_DROPS.only_if(needs_drop::<C>());
        Self::SPARSE.union(drops).union(Self::LINKS.only_if(C::DESCRIPTION.names_target())).union(requires)
    }
}

/// The components of a bundle, in a fixed order: one [`BundleField`], which is called a leaf, or a tuple of such types.
///
/// # Safety
///
/// - `register` adds one id per leaf, in the order in which `write_row`, `read`, `bases` and `leaves` visit the leaves.
/// - `KINDS` has the kinds of all leaves. `NEEDS_DROP` is true if the value of a leaf needs drop.
#[doc(hidden)]
pub unsafe trait BundleParts: Sized {
    /// The addresses of the columns.
    type Bases: Copy;

    /// All components, as a query term that accesses nothing.
    const COMPONENTS: ConstTerm;

    /// How the components are stored, and what else adding them requires.
    const KINDS: PartKinds;

    /// Whether parts that hold values need drop.
    const NEEDS_DROP: bool;

    /// Whether a component is active once it is added: see [`Component::ACTS`].
    const ACTS: bool = false;

    /// Returns how many of the components have the type `component`.
    fn count(component: TypeId) -> usize;

    /// Returns the name of one of these components that occurs more than once in `All`, if there is one.
    fn repeated<All: BundleParts>() -> Option<&'static str>;

    /// Calls `each` with the layout of every leaf, in order. `base` is the offset of the parts, which is added to the offsets in the
    /// layouts.
    fn leaves(base: usize, each: &mut dyn FnMut(FieldLayout));

    /// Whether there is exactly one component, and it has sparse storage.
    const SOLE_SPARSE: bool = false;

    /// Returns the number of the sparse storage of the only component, if the component is registered and does not require others. `None`
    /// unless `SOLE_SPARSE` is true.
    fn sole_storage(_: &Components) -> Option<usize> {
        None
    }

    /// Returns whether the sparse storages of the next targets have room for values of the entity with this index.
    fn has_room(targets: &mut BundleTargets<'_>, sparse: &[SparseStorage], index: u32) -> bool;

    /// Removes the value of an entity, if it has one, from the sparse storage of the only component. To be called only if `SOLE_SPARSE` is
    /// true and values need no drop.
    ///
    /// # Safety
    ///
    /// - The storage belongs to the component.
    unsafe fn remove_sole(_: &mut SparseStorage, _: Entity) {}

    /// Moves the only value to position `nth` of an array, where there is no value yet. To be called only if `SOLE_SPARSE` is true.
    ///
    /// # Safety
    ///
    /// - The array has values of the component, and memory for a value at this position. The parts are full.
    unsafe fn write_sole(&mut self, _: NonNull<u8>, nth: usize) {
        let _ = nth;
    }

    /// Registers the components and adds their ids to `ids`, in order.
    fn register(components: &mut Components, ids: &mut Vec<ComponentId>);

    /// Moves the values to the next targets of the writer. The parts are empty afterwards.
    ///
    /// # Safety
    ///
    /// - The parts are full, and the next targets belong to their components.
    /// - Unless `IF_NEW`, the plan of the writer is the plan of an insertion that writes every value.
    unsafe fn write_row<const IF_NEW: bool>(&mut self, writer: &mut RowWriter<'_>);

    /// Marks the values as moved away. The token cannot be named outside of this crate, because all other code relies on parts being full.
    fn forget(&mut self, _: Token);

    /// Moves the values to the heap and adds them to `values` as type-erased values.
    fn erase(&mut self, values: &mut Vec<ErasedVec>, _: Token);

    /// Moves the values of a row out of storage, to `this`.
    ///
    /// # Safety
    ///
    /// - The sources belong, in order, to a plan for this bundle and the table with the flag `COMPLETE`; the row holds values.
    /// - The entity has every sparse component of the bundle. `read` retires the values of these components, that is, moves them past the
    ///   end of their storages; the caller makes the storages forget them.
    /// - The caller treats the values in the table as moved out.
    /// - `this` is valid for writes.
    unsafe fn read(this: *mut Self, reader: &mut RowReader<'_>);

    /// Returns the addresses of the columns that the components go to. To be called only if no component is sparse.
    ///
    /// # Safety
    ///
    /// - The targets belong to a plan for this bundle and the table, in order.
    unsafe fn bases(table: &Table, targets: &mut BundleTargets<'_>) -> Self::Bases;

    /// Writes the values to a row that holds no values of these components.
    ///
    /// # Safety
    ///
    /// - The addresses came from `bases`, and the columns have not grown since.
    /// - The row is within their capacity and holds no values.
    unsafe fn write(&mut self, bases: Self::Bases, row: usize);
}

/// A leaf of [`BundleParts`]: one component of a bundle. It is full if it holds a value, otherwise empty.
#[doc(hidden)]
pub struct BundleField<C> {
    value: MaybeUninit<C>,
    full: bool,
}

impl<C> BundleField<C> {
    #[inline]
    pub(crate) fn new(value: C) -> Self {
        Self { value: MaybeUninit::new(value), full: true }
    }

    /// Returns the value.
    ///
    /// # Panics
    ///
    /// If the leaf is empty.
    #[inline]
    pub(crate) fn into_inner(mut self) -> C {
        assert!(self.full, "the value of this part has been put into storage");
        self.full = false;
        // SAFETY: a full leaf holds a value; the leaf is marked as empty, so the value is not dropped twice.
        unsafe { self.value.assume_init_read() }
    }

    /// Makes a full leaf from the value at an address.
    ///
    /// # Safety
    ///
    /// - `value` is valid for reads and holds a value, which is moved out; `this` is valid for writes.
    #[inline]
    pub(crate) unsafe fn fill(this: *mut Self, value: *const C) {
        // SAFETY: forwarded: `value` is valid for reads and `this` for writes; both fields are written.
        unsafe {
            ptr::copy_nonoverlapping(value, (&raw mut (*this).value).cast::<C>(), 1);
            (&raw mut (*this).full).write(true);
        }
    }

    /// Moves the value of a full leaf to an address.
    ///
    /// # Safety
    ///
    /// - `this` is a full leaf; `value` is valid for writes.
    #[inline]
    pub(crate) unsafe fn empty(this: *mut Self, value: *mut C) {
        // SAFETY: forwarded: the leaf is full and `value` is valid for writes; the leaf is marked as empty, so its value is moved once.
        unsafe {
            debug_assert!((*this).full);
            (*this).full = false;
            ptr::copy_nonoverlapping((&raw const (*this).value).cast::<C>(), value, 1);
        }
    }
}

impl<C> Drop for BundleField<C> {
    #[inline]
    fn drop(&mut self) {
        if self.full {
            // SAFETY: a full leaf holds a value.
            unsafe { self.value.assume_init_drop() }
        }
    }
}

/// The layout of a leaf within the parts of a bundle, for type-erased code.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct FieldLayout {
    /// The offset of the value.
    pub(crate) value: usize,
    /// The offset of the `bool` that is true if the leaf is full.
    pub(crate) full: usize,
    /// The size of the value.
    pub(crate) size: usize,
    pub(crate) needs_drop: bool,
}

/// Moves the values of full leaves to the next targets of a writer, as [`BundleParts::write_row`] does. The types of the leaves are not
/// known. Leaves without drop glue may stay marked as full.
///
/// # Safety
///
/// - The leaves are at these offsets from `start`, and the next targets of the writer belong to them, in order.
#[inline]
pub(crate) unsafe fn write_leaves(start: NonNull<u8>, leaves: &[FieldLayout], writer: &mut RowWriter<'_>) {
    for leaf in leaves {
        let target = writer.next_target();
        // SAFETY: the leaf holds a value of the component of the target. A value that needs drop is marked as gone when it is moved out.
        unsafe {
            let moved = writer.write_erased(target, start.add(leaf.value), leaf.size, leaf.needs_drop);
            if moved && leaf.needs_drop {
                start.add(leaf.full).cast::<bool>().write(false);
            }
        }
    }
}

// SAFETY: a leaf has one id and uses one target.
unsafe impl<C: Component> BundleParts for BundleField<C> {
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
    fn has_room(targets: &mut BundleTargets<'_>, sparse: &[SparseStorage], index: u32) -> bool {
        match (C::STORAGE_TYPE, targets.0.next()) {
            (StorageType::Table, target) => target.is_some(),
            (StorageType::Sparse, Some(&ComponentTarget::Sparse(number))) => {
                sparse[number as usize].has_room::<C>(index)
            }
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
        // SAFETY: forwarded: there is memory for a value of `C` at this place, and the leaf is full.
        unsafe { Self::empty(self, first.cast::<C>().as_ptr().add(nth)) }
    }

    fn leaves(base: usize, each: &mut dyn FnMut(FieldLayout)) {
        each(FieldLayout {
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
        // SAFETY: the leaf holds a value, which it forgets; the next target is for `C`, and `IF_NEW` is forwarded.
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
    unsafe fn read(this: *mut Self, reader: &mut RowReader<'_>) {
        let address = match reader.sources.next() {
            Some(&ComponentSource::Column(index)) => {
                // SAFETY: the plan belongs to this table, so the index is one of its columns; the row is one of the table.
                unsafe { reader.table.column_unchecked(index as usize).get(reader.row) }
            }
            Some(&ComponentSource::Sparse(number)) => match reader.sparse[number as usize].retire(reader.entity) {
                Some(address) => address,
                None => unreachable!("the caller has checked that the component is there"),
            },
            _ => unreachable!("a complete plan has a source for each component of its bundle"),
        };
        // SAFETY: the address holds a `C`, which the caller treats as moved out.
        unsafe { Self::fill(this, address.cast::<C>().as_ptr()) }
    }

    #[inline]
    unsafe fn bases(table: &Table, targets: &mut BundleTargets<'_>) -> NonNull<C> {
        match targets.0.next() {
            // SAFETY: the plan belongs to this table, so the index is one of its columns.
            Some(&ComponentTarget::Column { index, .. }) => unsafe {
                table.column_unchecked(index as usize).data().cast()
            },
            _ => unreachable!("a plan has a column for each table-stored component of its bundle"),
        }
    }

    #[inline]
    unsafe fn write(&mut self, base: NonNull<C>, row: usize) {
        // SAFETY: the row is within the column, which holds values of `C`, but none in this row; the leaf is full, as its value has not
        // been moved.
        unsafe { Self::empty(self, base.as_ptr().add(row)) }
    }
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        #[allow(unused_variables, unused_unsafe, clippy::unused_unit, reason = "the empty tuple has no members to visit")]
        // SAFETY: every method visits the members in the same order, from first to last.
        unsafe impl<$($T: BundleParts),*> BundleParts for ($($T,)*) {
            type Bases = ($($T::Bases,)*);

            const COMPONENTS: ConstTerm = ConstTerm::Group(Group::All, &[$($T::COMPONENTS),*]);
            const KINDS: PartKinds = PartKinds::NONE$(.union($T::KINDS))*;
            const ACTS: bool = false $(|| $T::ACTS)*;
            const NEEDS_DROP: bool = false $(|| $T::NEEDS_DROP)*;

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

            fn leaves(base: usize, each: &mut dyn FnMut(FieldLayout)) {
                $($T::leaves(base + offset_of!(Self, $at), each);)*
            }

            fn register(components: &mut Components, ids: &mut Vec<ComponentId>) {
                $($T::register(components, ids);)*
            }

            #[inline]
            unsafe fn write_row<const IF_NEW: bool>(&mut self, writer: &mut RowWriter<'_>) {
                // SAFETY: forwarded to each member: it is full, the next targets belong to it, and `IF_NEW` is the same.
                unsafe { $(self.$at.write_row::<IF_NEW>(writer);)* }
            }

            #[inline(always)]
            fn has_room(targets: &mut BundleTargets<'_>, sparse: &[SparseStorage], index: u32) -> bool {
                true $(&& $T::has_room(targets, sparse, index))*
            }

            #[inline]
            fn forget(&mut self, token: Token) {
                $(self.$at.forget(token);)*
            }

            fn erase(&mut self, values: &mut Vec<ErasedVec>, token: Token) {
                $(self.$at.erase(values, token);)*
            }

            #[inline]
            unsafe fn read(this: *mut Self, reader: &mut RowReader<'_>) {
                // SAFETY: forwarded to each member: the next sources belong to it, and its address is valid for writes.
                unsafe { $($T::read(&raw mut (*this).$at, reader);)* }
            }

            #[inline]
            unsafe fn bases(table: &Table, targets: &mut BundleTargets<'_>) -> Self::Bases {
                // SAFETY: forwarded to each member: the next targets belong to it.
                unsafe { ($($T::bases(table, targets),)*) }
            }

            #[inline]
            unsafe fn write(&mut self, bases: Self::Bases, row: usize) {
                // SAFETY: forwarded to each member: its addresses came from `bases`, and the row holds no values.
                unsafe { $(self.$at.write(bases.$at, row);)* }
            }
        }
    };
}

tuples!();
all_tuples!(tuples);
