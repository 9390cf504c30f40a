//! Writing the values of one entity.
//!
//! There are two row writers, both methods of [`RowWriter`]: one for values of known types and one for type-erased values. They write to
//! memory that holds no value. If a value is replaced, or is not wanted, and it needs drop, it is first moved past the end of its column.
//! It is dropped at the end of the operation.
//!
//! Tests: tests/storage/bundles.rs, tests/storage/replaced.rs

use core::mem::needs_drop;
use core::ptr::{self, NonNull};
use core::slice;

use crate::component::{Component, ErasedVec, StorageType};
use crate::entity::Entity;
use crate::storage::column::{Column, copy_item};
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::storage::tick::WriteStamp;
use crate::structure::graph::{ComponentTarget, MovePlan};

/// The targets of the parts of one bundle, in order.
pub struct BundleTargets<'a>(pub(super) slice::Iter<'a, ComponentTarget>);

impl<'a> BundleTargets<'a> {
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
    /// The first row after all rows of the table and after the row of the entity. Replaced and unwanted values that need drop are moved
    /// there.
    past_end: usize,
    entity: Entity,
    targets: BundleTargets<'a>,
    sparse: &'a mut [SparseStorage],
    now: WriteStamp,
}

impl<'a> RowWriter<'a> {
    /// Creates a writer for the row of an entity in a table, with the targets of a plan.
    ///
    /// # Safety
    ///
    /// - The plan leads to this table, and the row is within its capacity. If the table does not have the row yet, the caller commits it
    ///   once it holds a value in each column.
    /// - Where a target of the plan has `replace`, the row holds a value. If the plan replaces values that need drop, there is room for the
    ///   row past the end, and the caller drops the values there ([`Table::drop_past_end`]).
    /// - Room has been reserved in the sparse storages that the plan adds values to, and the caller drops the values that are moved past
    ///   the end there.
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
        Self { columns: table.columns(), row, past_end, entity, targets: BundleTargets::of(plan), sparse, now }
    }

    /// Creates a writer for the sparse components of an entity.
    ///
    /// # Safety
    ///
    /// - No target of the plan is a column.
    /// - Room has been reserved in the sparse storages that the plan adds values to, and the caller drops the values that are moved past
    ///   the end there.
    #[inline(always)]
    pub(crate) unsafe fn outside_of_tables(
        plan: &'a MovePlan,
        entity: Entity,
        sparse: &'a mut [SparseStorage],
        now: WriteStamp,
    ) -> Self {
        Self { columns: &[], row: 0, past_end: 1, entity, targets: BundleTargets::of(plan), sparse, now }
    }
}

impl RowWriter<'_> {
    /// Moves a value to the next target. If the target has an old value that needs drop, the old value is moved to the row past the end, or
    /// past the end of the sparse storage. A new value that needs drop and is not wanted is moved there instead.
    ///
    /// # Safety
    ///
    /// - The next target is for `C`. The address is valid for reads and holds a value, which is moved out.
    /// - Unless `IF_NEW`, the plan of the writer is the plan of an insertion that writes every value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn write<C: Component, const IF_NEW: bool>(&mut self, value: *const C) {
        // SAFETY: the targets of a plan are columns of its table with values of type `C`, or the sparse storage of `C`. The row and the row
        // past the end are within the capacity, and the row holds a value if one is replaced: the caller of `new` guarantees both. Each
        // value is moved to a place that holds no value, or whose value has been moved or needs no drop.
        unsafe {
            match (C::STORAGE_TYPE, self.targets.0.next()) {
                (StorageType::Table, Some(&ComponentTarget::Column { index, replace })) => {
                    let values = self.column(index).data().cast::<C>();
                    let place = values.add(self.row);
                    if const { needs_drop::<C>() } && replace {
                        place.copy_to_nonoverlapping(values.add(self.past_end), 1);
                    }
                    ptr::copy_nonoverlapping(value, place.as_ptr(), 1);
                }
                (StorageType::Table, Some(&ComponentTarget::Kept(index))) if IF_NEW => {
                    if const { needs_drop::<C>() } {
                        let values = self.column(index).data().cast::<C>();
                        ptr::copy_nonoverlapping(value, values.add(self.past_end).as_ptr(), 1);
                    }
                }
                (StorageType::Sparse, Some(&ComponentTarget::Sparse(number))) => {
                    let place = self.place_sparse::<C>(number);
                    ptr::copy_nonoverlapping(value, place.as_ptr(), 1);
                }
                (StorageType::Sparse, Some(&ComponentTarget::SparseIfNew(number))) if IF_NEW => {
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

    /// Moves a type-erased value to a target. Returns false if the value is not wanted and stays at its address; then the caller drops it
    /// if it needs drop.
    ///
    /// # Safety
    ///
    /// - The address holds a value of this size, of the component of the target, and the target belongs to the writer's plan. If this
    ///   returns true, nothing uses the value any more. `needs_drop` is true if such values need drop.
    #[inline]
    pub(crate) unsafe fn write_erased(
        &mut self,
        target: ComponentTarget,
        value: NonNull<u8>,
        size: usize,
        needs_drop: bool,
    ) -> bool {
        // SAFETY: the target is a column of the table of the plan, or a sparse storage, of the component of the value, and `size` is the
        // size of its values (the caller promises both). The row and the row past the end are within the capacity, and the row holds a
        // value if one is replaced: the caller of `new` guarantees both. Each value is moved to a place that holds no value, or whose
        // value has been moved or needs no drop.
        unsafe {
            let place = match target {
                ComponentTarget::Column { index, replace } => {
                    let column = self.column(index);
                    let place = column.get(self.row);
                    if replace && needs_drop {
                        copy_item(place.as_ptr(), column.get(self.past_end).as_ptr(), size);
                    }
                    place
                }
                ComponentTarget::Kept(index) if needs_drop => self.column(index).get(self.past_end),
                ComponentTarget::Sparse(number) => {
                    place_erased(&mut self.sparse[number as usize], self.entity, self.now, needs_drop)
                }
                ComponentTarget::SparseIfNew(number) => match self.place_sparse_if_new(number, needs_drop) {
                    Some(place) => place,
                    None => return false,
                },
                ComponentTarget::Kept(_) | ComponentTarget::Nowhere => return false,
            };
            copy_item(value.as_ptr(), place.as_ptr(), size);
        }
        true
    }

    /// Moves the only value of a vector to a target, as [`RowWriter::write_erased`] does. If the value is not wanted, it stays in the
    /// vector.
    ///
    /// # Safety
    ///
    /// - There is one value, of the component of the target, and the target belongs to the writer's plan.
    pub(crate) unsafe fn write_value(&mut self, target: ComponentTarget, value: &mut ErasedVec) {
        let (size, needs_drop) =
            (value.descriptor().layout().size(), value.descriptor().functions().drop_fn().is_some());
        // SAFETY: forwarded: the value belongs to the component of the target; the value is marked as gone if it has been moved out.
        unsafe {
            if self.write_erased(target, value.data(), size, needs_drop) {
                value.forget();
            }
        }
    }

    /// Returns the column with the index that a target contains.
    ///
    /// # Safety
    ///
    /// - The target belongs to a plan for the table of the columns.
    #[inline]
    unsafe fn column(&self, index: u32) -> &Column {
        debug_assert!((index as usize) < self.columns.len());
        // SAFETY: forwarded: a plan for this table names columns that the table has, and their number never changes.
        unsafe { self.columns.get_unchecked(index as usize) }
    }

    /// Returns the target of the next component.
    #[inline]
    pub(crate) fn next_target(&mut self) -> ComponentTarget {
        match self.targets.0.next() {
            Some(&target) => target,
            None => unreachable!("a plan has a target for each component of its bundle"),
        }
    }

    /// Returns the address for the value of the entity in the sparse storage of `C`. The caller writes the value at once.
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

    /// Returns the address for the new value of the entity in a sparse storage. The caller writes the value at once. If the entity already
    /// has a value, the address is past the end of the storage; then a new value that needs no drop gets no address.
    ///
    /// # Safety
    ///
    /// - The target belongs to the writer's plan.
    unsafe fn place_sparse_if_new(&mut self, number: u32, needs_drop: bool) -> Option<NonNull<u8>> {
        let storage = &mut self.sparse[number as usize];
        // SAFETY: room has been reserved, also past the end; the caller writes the value at once.
        unsafe {
            match storage.contains(self.entity.index()) {
                false => Some(storage.place(self.entity, self.now).0),
                true if needs_drop => Some(storage.retire_place()),
                true => None,
            }
        }
    }
}

/// Returns the address for the value of an entity in a sparse storage. The caller writes the value at once. An old value that needs drop is
/// retired: moved past the end of the storage.
///
/// # Safety
///
/// - Room has been reserved, also for a value past the end.
#[inline(never)]
unsafe fn place_erased(storage: &mut SparseStorage, entity: Entity, now: WriteStamp, needs_drop: bool) -> NonNull<u8> {
    // SAFETY: forwarded: room has been reserved, also past the end; the caller writes the value at once.
    unsafe {
        let (place, replaces) = storage.place(entity, now);
        if replaces && needs_drop {
            storage.retire_copy(place);
        }
        place
    }
}
