//! Copies of columns: values that the copy owns, with their ticks.
//!
//! Values of `Copy` types are copied as bytes, others by their `Clone`, which is user code. Therefore a copy is restored into its
//! column in two steps: [`ColumnCopy::clones`] makes clones, which may panic, and [`ColumnCopy::put`] swaps them with the values of
//! the column, which cannot fail. The old values of the column are dropped together with the clones' storage.
//!
//! Values never change while two copies share them. A column *is as* a copy says if nothing has been written to it since the copy
//! was taken or restored. The caller knows this from stamps, and only for values of `Copy` types, which cannot be changed without a
//! stamp.
//!
//! Tests: tests/snapshots/histories.rs, tests/snapshots/layouts.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::replace;
use core::ptr::{self, NonNull};

use super::Column;
use crate::component::{
    ChangeTracking, CloneFn, ComponentDescriptor, CopyMethod, ErasedSlice, ErasedSliceMut, ErasedVec,
};
use crate::storage::tick::{ComponentTicks, Tick};
use crate::storage::tracking::Tracking;
use crate::util::alloc_error::AllocError;

/// Values of a component, owned by this.
///
/// The first `len` rows of `column` have values. The column has no ticks.
pub(crate) struct CopiedValues {
    /// The component for which `column` was made.
    descriptor: &'static ComponentDescriptor,
    column: Column,
    len: usize,
    /// `None` if values cannot be copied; `len` is 0 then.
    copying: Option<CopyMethod>,
}

/// The clones that are needed to restore a column from its copy; `None` if the values are copied as bytes.
pub(crate) type ColumnClones = Option<CopiedValues>;

/// Ticks for a column that is tracked, if its copy has no ticks.
pub(crate) type BegunTicks = Option<Box<Tracking>>;

/// The values of a column and their ticks.
pub(crate) struct ColumnCopy {
    values: Arc<CopiedValues>,
    /// Whether values only change together with a stamp.
    stamped: bool,
    visited: Tick,
    tracking: Option<Box<Tracking>>,
    /// Number of rows with ticks.
    ticks: usize,
}

/// The parts of a column copy that was not taken from a column.
pub(crate) struct ColumnParts {
    pub(crate) values: NewValues,
    pub(crate) visited: Tick,
    /// The ticks of each value, if they are known.
    pub(crate) ticks: Option<Vec<ComponentTicks>>,
    /// Clones a value, for a type whose definition does not prove that it is `Clone`.
    pub(crate) clone: Option<CloneFn>,
    /// Whether constructors made the values; then they need not be `Clone`.
    pub(crate) constructed: bool,
}

impl ColumnParts {
    /// Values whose type is `Clone` according to its definition.
    pub(crate) fn new(values: NewValues, visited: Tick) -> Self {
        Self { values, visited, ticks: None, clone: None, constructed: false }
    }

    /// Whether the values can be cloned.
    pub(crate) fn can_be_cloned(&self) -> bool {
        self.clone.is_some() || self.values.descriptor().functions().copying().is_some()
    }
}

/// Values of a component that were not taken from a column.
pub(crate) enum NewValues {
    Vec(ErasedVec),
    /// Values that are already in a column.
    Column(CopiedValues),
}

impl NewValues {
    /// The values with these bytes, for a component for which any bytes are a valid value. `None` for another component, and if
    /// `bytes` is not a whole number of values.
    ///
    /// # Errors
    ///
    /// If the allocation fails.
    pub(crate) fn of_bytes(descriptor: &'static ComponentDescriptor, bytes: &[u8]) -> Result<Option<Self>, AllocError> {
        let size = descriptor.layout().size();
        if !descriptor.functions().take_any_bytes() || size == 0 || !bytes.len().is_multiple_of(size) {
            return Ok(None);
        }
        let (len, mut values) = (bytes.len() / size, CopiedValues::of(descriptor));
        values.column.grow_to(len)?;
        // SAFETY: there is room for `len` values, which take `bytes.len()` bytes, in memory that was just allocated. Any bytes are
        // valid values of this component, as its derive has checked for its fields and its author has declared.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), values.column.data().as_ptr(), bytes.len()) };
        values.len = len;
        Ok(Some(Self::Column(values)))
    }

    /// The descriptor of the type of the values.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.as_slice().descriptor()
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// The address of the first value; the others follow it.
    pub(crate) fn data(&self) -> NonNull<u8> {
        match self {
            Self::Vec(values) => values.data(),
            Self::Column(values) => values.column.data(),
        }
    }

    /// Removes the values without dropping them, after they have been moved out.
    pub(crate) fn forget(&mut self) {
        match self {
            Self::Vec(values) => values.forget(),
            Self::Column(values) => values.len = 0,
        }
    }

    /// Each value in a vector of its own.
    pub(crate) fn into_each(self) -> Vec<ErasedVec> {
        let each: Vec<u32> = (0..self.len() as u32).collect();
        self.divided(&each, each.len())
    }

    /// The values divided into `count` vectors: `parts` has the index of the vector for each value.
    ///
    /// # Panics
    ///
    /// If `parts` has a different length than the values or an index that is not less than `count`, or if the allocation fails.
    pub(crate) fn divided(mut self, parts: &[u32], count: usize) -> Vec<ErasedVec> {
        assert_eq!(parts.len(), self.len(), "each value has a part");
        let (descriptor, data) = (self.descriptor(), self.data());
        self.forget();
        // SAFETY: there were `parts.len()` values of this component, which `self` does not own any more; their memory lives as long
        // as `self`.
        unsafe { ErasedVec::divided(descriptor, data, parts, count) }
    }

    /// The values, for writing.
    pub(crate) fn as_slice_mut(&mut self) -> ErasedSliceMut<'_> {
        match self {
            Self::Vec(values) => values.as_slice_mut(),
            // SAFETY: the first `len` rows of the column have values of this component, and `self` is borrowed mutably.
            Self::Column(values) => unsafe { ErasedSliceMut::new(values.descriptor, values.column.data(), values.len) },
        }
    }

    /// The values.
    pub(crate) fn as_slice(&self) -> ErasedSlice<'_> {
        match self {
            Self::Vec(values) => values.as_slice(),
            Self::Column(values) => values.as_slice(),
        }
    }
}

impl ColumnCopy {
    /// A copy without values.
    pub(crate) fn new(descriptor: &'static ComponentDescriptor) -> Self {
        let values = Arc::new(CopiedValues::of(descriptor));
        let stamped =
            matches!(values.copying, Some(CopyMethod::Bytes)) && descriptor.tracking() != ChangeTracking::Never;
        Self { values, stamped, visited: Tick::default(), tracking: None, ticks: 0 }
    }

    /// A copy with values that were not taken from a column, and with `rows` rows of ticks; `row` returns the row of a value's
    /// ticks. No tick is newer than `now`. A copy of values that cannot be cloned can only be [moved](Self::take_clones) into a
    /// column.
    ///
    /// # Errors
    ///
    /// If the allocation fails.
    pub(crate) fn of(
        parts: ColumnParts,
        rows: usize,
        row: impl Fn(usize) -> usize,
        now: Tick,
    ) -> Result<Self, AllocError> {
        let ColumnParts { values, visited, ticks, clone, constructed } = parts;
        let mut copy = Self::new(values.descriptor());
        let copying = copy.values.copying.or(clone.map(CopyMethod::Clone));
        assert!(constructed || copying.is_some() || values.len() == 0, "the values cannot be copied");
        let mut values = match values {
            NewValues::Vec(mut values) => {
                let (len, mut own) = (values.len(), copy.values.without_values());
                own.column.grow_to(len)?;
                // SAFETY: the column was just made for values of the descriptor's type, which is the type of the vector's values.
                // It is empty and has room for all of them.
                unsafe { values.move_to(own.column.data()) };
                own.len = len;
                own
            }
            NewValues::Column(values) => values,
        };
        values.copying = copying;
        copy.values = Arc::new(values);
        (copy.visited, copy.ticks) = (visited, rows);
        if let Some(ticks) = ticks {
            // The new `Tracking` has no logs, so consumers scan all ticks.
            let tracking = Tracking::new(rows, rows, now)?;
            ticks.into_iter().enumerate().for_each(|(at, ticks)| tracking.set(row(at), ticks));
            copy.tracking = Some(Box::new(tracking));
        }
        Ok(copy)
    }

    /// The values.
    pub(crate) fn values(&self) -> ErasedSlice<'_> {
        self.values.as_slice()
    }

    /// Tick of the last mutable access to values.
    pub(crate) fn visited(&self) -> Tick {
        self.visited
    }

    /// The ticks, if there are any, and the number of rows that have them.
    pub(crate) fn tracking(&self) -> Option<(&Tracking, usize)> {
        self.tracking.as_deref().map(|tracking| (tracking, self.ticks))
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len
    }

    /// The clone function, if the values are not copied as bytes.
    pub(crate) fn clone_fn(&self) -> Option<CloneFn> {
        if let Some(CopyMethod::Clone(clone)) = self.values.copying { Some(clone) } else { None }
    }

    /// Whether values cannot be copied.
    pub(crate) fn refuses(&self) -> bool {
        self.values.copying.is_none()
    }

    /// Whether a column with `rows` rows has the values of this copy, assuming that the rows have the same entities. The world's
    /// tick must have advanced since the copy was taken or restored.
    pub(crate) fn is_as(&self, column: &Column, rows: usize) -> bool {
        self.stamped && self.values.len == rows && column.visited.get() == self.visited
    }

    /// Whether both copies share their values.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }

    /// Becomes a copy of a column that [is as](Self::is_as) `other`, and shares the values of `other`. Copies the ticks of `ticks`
    /// rows.
    ///
    /// # Errors
    ///
    /// If the allocation fails. The copy must not be used then.
    pub(crate) fn share(&mut self, other: &Self, from: &Column, ticks: usize) -> Result<(), AllocError> {
        self.values = Arc::clone(&other.values);
        self.take_ticks(from, ticks)
    }

    /// Becomes a copy of `len` values of a column, from row `first` on, and of the ticks of `ticks` rows.
    ///
    /// # Errors
    ///
    /// If the allocation fails. The copy must not be used then, nor after a panic of `Clone`.
    ///
    /// # Panics
    ///
    /// If there are values that cannot be copied, or if `Clone` panics.
    ///
    /// # Safety
    ///
    /// - The column has values of the type for which this was made, in these rows.
    pub(crate) unsafe fn take(
        &mut self,
        from: &Column,
        [first, len]: [usize; 2],
        ticks: usize,
    ) -> Result<(), AllocError> {
        if Arc::get_mut(&mut self.values).is_none() {
            self.values = Arc::new(self.values.without_values());
        }
        if let Some(values) = Arc::get_mut(&mut self.values) {
            // SAFETY: forwarded: the column has values of this type, in these rows.
            unsafe { values.take(from, first, len)? };
        }
        self.take_ticks(from, ticks)
    }

    fn take_ticks(&mut self, from: &Column, ticks: usize) -> Result<(), AllocError> {
        self.visited = from.visited.get();
        self.ticks = ticks;
        match &from.tracking {
            Some(from) => {
                let own = self.tracking.get_or_insert_with(|| Box::new(Tracking::empty()));
                own.grow_as(from)?;
                own.copy_from(from, ticks);
            }
            None => self.tracking = None,
        }
        Ok(())
    }

    /// Clones of the values, if they are needed to restore a column.
    ///
    /// # Errors
    ///
    /// If the allocation fails.
    pub(crate) fn clones(&self) -> Result<ColumnClones, AllocError> {
        if let Some(CopyMethod::Bytes) = self.values.copying {
            return Ok(None);
        }
        self.clones_from(0).map(Some)
    }

    /// Clones of the values from `first` on, as parts of another copy.
    ///
    /// # Errors
    ///
    /// If the allocation fails.
    pub(crate) fn new_values(&self, first: usize) -> Result<NewValues, AllocError> {
        self.clones_from(first).map(NewValues::Column)
    }

    fn clones_from(&self, first: usize) -> Result<CopiedValues, AllocError> {
        let (mut clones, len) = (self.values.without_values(), self.values.len - first);
        // SAFETY: `column` has `self.values.len` values, so it has `len` from row `first` on, and both are of one component.
        unsafe { clones.take(&self.values.column, first, len)? };
        Ok(clones)
    }

    /// As [`clones`](Self::clones), but moves the values out if no other copy shares them. They go to a column together with their
    /// memory, so no room has to be made there.
    ///
    /// # Errors
    ///
    /// If the allocation fails.
    pub(crate) fn take_clones(&mut self) -> Result<ColumnClones, AllocError> {
        match Arc::get_mut(&mut self.values) {
            Some(values) => {
                let none = values.without_values();
                Ok(Some(replace(values, none)))
            }
            None => self.clones(),
        }
    }

    /// Makes room in a column for the values and ticks.
    ///
    /// # Errors
    ///
    /// If the allocation fails. Values and ticks are unchanged.
    pub(crate) fn make_room(&self, to: &mut Column) -> Result<(), AllocError> {
        if let Some(CopyMethod::Bytes) = self.values.copying {
            to.grow_to(self.values.len)?;
        }
        match (&mut to.tracking, &self.tracking) {
            (Some(to), Some(own)) => to.grow_as(own),
            _ => Ok(()),
        }
    }

    /// Ticks for the rows of a copy without ticks, if the column is tracked now. Changes before the copy was taken count as made at
    /// the last mutable access or at `latest`, whichever is later.
    ///
    /// # Errors
    ///
    /// If the allocation fails.
    pub(crate) fn begun_ticks(&self, to: &Column, latest: Option<Tick>, now: Tick) -> Result<BegunTicks, AllocError> {
        let (Some(there), None) = (&to.tracking, &self.tracking) else { return Ok(None) };
        let latest = latest.filter(|latest| latest.age(now) <= self.visited.age(now));
        let tick = latest.unwrap_or(self.visited);
        Ok(Some(Box::new(Tracking::new(self.ticks, there.capacity().max(self.ticks), tick)?)))
    }

    /// Replaces the values and ticks of a column by a copy of those in `self`. `before` is the number of values in the column.
    /// Afterwards `clones` holds these old values.
    ///
    /// # Safety
    ///
    /// - The column is for values of the type for which this was made. [Room has been made](Self::make_room) in it, and its first
    ///   `before` rows have values.
    /// - `clones` was returned by [`clones`](Self::clones) or [`take_clones`](Self::take_clones) of `self`, and `begun` by
    ///   [`begun_ticks`](Self::begun_ticks) for the column. Neither has been changed since.
    pub(crate) unsafe fn put(
        &self,
        to: &mut Column,
        before: usize,
        clones: Option<&mut CopiedValues>,
        begun: BegunTicks,
    ) {
        let values = &*self.values;
        match clones {
            Some(clones) => {
                debug_assert!(clones.len == values.len || values.len == 0);
                to.swap_memory(&mut clones.column);
                // The memory may be swapped: both columns have the same item layout, and the layout of the memory depends only on it and
                // the capacity.
                clones.len = before;
            }
            None => {
                let size = values.len * values.column.item_size();
                // SAFETY: values without clones are `Copy`; there is room for them, in memory that only the column uses. The
                // overwritten values are `Copy` too and need no drop.
                unsafe { ptr::copy_nonoverlapping(values.column.data().as_ptr(), to.data().as_ptr(), size) };
            }
        }
        self.put_ticks(to, begun);
    }

    /// Copies the ticks to a column that has the values. Room has been made in it, and `begun` was returned by
    /// [`begun_ticks`](Self::begun_ticks) for it.
    pub(crate) fn put_ticks(&self, to: &mut Column, begun: BegunTicks) {
        to.visited.set(self.visited);
        match (&mut to.tracking, &self.tracking, begun) {
            (Some(to), Some(own), _) => to.copy_from(own, self.ticks),
            (Some(to), None, Some(begun)) => *to = begun,
            _ => {}
        }
    }

    /// Number of bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.values.column.allocated_bytes() + self.tracking.as_ref().map_or(0, |tracking| tracking.allocated_bytes())
    }
}

impl CopiedValues {
    /// Empty storage for values of a component.
    fn of(descriptor: &'static ComponentDescriptor) -> Self {
        let functions = descriptor.functions();
        let column = Column::with_item(descriptor.layout(), functions.drop_fn());
        Self { descriptor, column, len: 0, copying: functions.copying() }
    }

    /// The values.
    fn as_slice(&self) -> ErasedSlice<'_> {
        // SAFETY: the column was made for the type of the descriptor, and its first `len` rows have values. `self` owns them, and
        // only code with exclusive access to `self` changes them.
        unsafe { ErasedSlice::new(self.descriptor, self.column.data(), self.len) }
    }

    /// Empty storage for values of the same type that are copied in the same way.
    fn without_values(&self) -> Self {
        let mut none = Self::of(self.descriptor);
        none.copying = self.copying;
        none
    }

    /// Becomes a copy of `len` values of a column, from row `first` on.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnCopy::take`].
    unsafe fn take(&mut self, from: &Column, first: usize, len: usize) -> Result<(), AllocError> {
        match self.copying {
            Some(CopyMethod::Bytes) => {
                self.column.grow_to(len)?;
                let size = len * self.column.item_size();
                // SAFETY: the column has values in these rows, and there is room for as many in `self.column`, whose memory is
                // separate.
                unsafe { ptr::copy_nonoverlapping(from.get(first).as_ptr(), self.column.data().as_ptr(), size) };
                // The values are `Copy`, so their bytes are valid values.
                self.len = len;
            }
            None => {
                assert_eq!(len, 0, "the values cannot be copied");
                self.clear();
            }
            Some(CopyMethod::Clone(clone)) => {
                self.clear();
                self.column.grow_to(len)?;
                for row in 0..len {
                    // SAFETY: the column has a value in the row, and there is room for it in `self.column`; the function clones
                    // values of this type. If it panics, `len` covers only the values before.
                    unsafe { clone(from.get(first + row).as_ptr(), self.column.get(row).as_ptr()) };
                    self.len = row + 1;
                }
            }
        }
        Ok(())
    }

    /// Drops the values.
    fn clear(&mut self) {
        let len = core::mem::take(&mut self.len);
        // SAFETY: there were `len` values, and `self.len` is 0 now.
        unsafe { self.column.drop_rows(0, len) }
    }
}

impl Drop for CopiedValues {
    fn drop(&mut self) {
        self.clear();
    }
}
