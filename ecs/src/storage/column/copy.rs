//! Copies of columns. A copy owns values and their ticks.
//!
//! Values of `Copy` types are copied as bytes, others by their `Clone`, which is user code. Therefore a copy is restored into its column in
//! two steps: [`ColumnCopy::clones`] makes clones, which may panic; [`ColumnCopy::put`] swaps the clones with the values of the column,
//! which cannot fail. Afterwards the storage of the clones contains the old values of the column, and they are dropped with it.
//!
//! Values never change while two copies share them. A column is *unchanged* relative to a copy if there was no mutable access to its values
//! since the copy was taken or restored, and if the values have no cells. The values are not compared: each mutable access sets the tick
//! `visited` of the column, including accesses that bypass change detection, because these begin as a mutable access, too.
//!
//! The ticks of rows change only if `visited` of the column or of its [`Tracking`] changes. The tick of the last read of a consumer is an
//! exception, so each copy stores this tick separately.
//!
//! Tests: tests/snapshots/histories.rs, tests/snapshots/layouts.rs, tests/snapshots/shared.rs

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::replace;
use core::ptr::{self, NonNull};

use super::Column;
use crate::component::{CloneFn, ComponentDescriptor, CopyMethod, ErasedSlice, ErasedSliceMut, ErasedVec};
use crate::storage::tick::{ComponentTicks, Tick};
use crate::storage::tracking::Tracking;
use crate::util::alloc_error::AllocError;

/// Owned values of a component.
///
/// The first `len` rows of `column` have values. The column has no ticks.
pub(crate) struct CopiedValues {
    /// The component for which `column` was made.
    descriptor: &'static ComponentDescriptor,
    column: Column,
    len: usize,
    /// The method by which values are copied; `None` if they cannot be copied.
    copying: Option<CopyMethod>,
}

/// The clones that are needed to restore a column from its copy; `None` if the values are copied as bytes.
pub(crate) type ColumnClones = Option<CopiedValues>;

/// New ticks for a tracked column whose copy has no ticks; `None` if they are not needed.
pub(crate) type BegunTicks = Option<Box<Tracking>>;

/// The values of a column and their ticks.
pub(crate) struct ColumnCopy {
    values: Arc<CopiedValues>,
    /// Whether values change only by mutable access, because they contain no cells.
    stamped: bool,
    visited: Tick,
    /// The ticks, if the column was tracked. Their own tick of the last read is not used: see `seen`.
    tracking: Option<Arc<Tracking>>,
    /// Tick of the last read of a consumer.
    seen: Tick,
    /// Number of rows with ticks.
    ticks: usize,
}

/// The parts of a column copy that was not taken from a column.
pub(crate) struct ColumnParts {
    pub(crate) values: NewValues,
    pub(crate) visited: Tick,
    /// The ticks of each value, if they are known.
    pub(crate) ticks: Option<Vec<ComponentTicks>>,
    /// The clone function, for a type whose definition does not prove that it is `Clone`.
    pub(crate) clone: Option<CloneFn>,
    /// Whether constructors made the values. Such values need not be `Clone`.
    pub(crate) constructed: bool,
}

impl ColumnParts {
    /// Returns parts without ticks, for values whose type is `Clone` according to its definition.
    pub(crate) fn new(values: NewValues, visited: Tick) -> Self {
        Self { values, visited, ticks: None, clone: None, constructed: false }
    }

    /// Returns whether the values can be cloned.
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
    /// Returns the values with these bytes, for a component for which any bytes are a valid value. `None` for other components, and if the
    /// length of `bytes` is not a multiple of the size of a value.
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

    /// Returns the descriptor of the type of the values.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.as_slice().descriptor()
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Returns the address of the first value. The values are adjacent.
    pub(crate) fn data(&self) -> NonNull<u8> {
        match self {
            Self::Vec(values) => values.data(),
            Self::Column(values) => values.column.data(),
        }
    }

    /// Sets the number of values to 0 without dropping them, for a caller that has moved them out.
    pub(crate) fn forget(&mut self) {
        match self {
            Self::Vec(values) => values.forget(),
            Self::Column(values) => values.len = 0,
        }
    }

    /// Returns a vector for each value.
    pub(crate) fn into_each(self) -> Vec<ErasedVec> {
        let each: Vec<u32> = (0..self.len() as u32).collect();
        self.divided(&each, each.len())
    }

    /// Divides the values into `count` vectors. `parts` contains, for each value, the index of its vector.
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

    /// Borrows the values mutably.
    pub(crate) fn as_slice_mut(&mut self) -> ErasedSliceMut<'_> {
        match self {
            Self::Vec(values) => values.as_slice_mut(),
            // SAFETY: the first `len` rows of the column have values of this component, and `self` is borrowed mutably.
            Self::Column(values) => unsafe { ErasedSliceMut::new(values.descriptor, values.column.data(), values.len) },
        }
    }

    /// Returns the values.
    pub(crate) fn as_slice(&self) -> ErasedSlice<'_> {
        match self {
            Self::Vec(values) => values.as_slice(),
            Self::Column(values) => values.as_slice(),
        }
    }
}

impl ColumnCopy {
    /// Returns a copy without values.
    pub(crate) fn new(descriptor: &'static ComponentDescriptor) -> Self {
        let values = Arc::new(CopiedValues::of(descriptor));
        let stamped = descriptor.possible_cell().is_none();
        Self { values, stamped, visited: Tick::default(), tracking: None, seen: Tick::default(), ticks: 0 }
    }

    /// Makes a copy from values that were not taken from a column. If `parts` has ticks, the copy has `rows` rows of ticks, and `row`
    /// returns the row for the ticks of a value. No tick may be newer than `now`. If the values cannot be cloned, the copy can only be
    /// [moved](Self::take_clones) into a column.
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
            (copy.seen, copy.tracking) = (tracking.seen(), Some(Arc::new(tracking)));
        }
        Ok(copy)
    }

    /// Returns the values.
    pub(crate) fn values(&self) -> ErasedSlice<'_> {
        self.values.as_slice()
    }

    /// Returns the tick of the last mutable access to values.
    pub(crate) fn visited(&self) -> Tick {
        self.visited
    }

    /// Returns the ticks and the number of rows with ticks; `None` if the copy has no ticks.
    pub(crate) fn tracking(&self) -> Option<(&Tracking, usize)> {
        self.tracking.as_deref().map(|tracking| (tracking, self.ticks))
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len
    }

    /// Returns the clone function; `None` if the values are copied as bytes, or cannot be copied.
    pub(crate) fn clone_fn(&self) -> Option<CloneFn> {
        if let Some(CopyMethod::Clone(clone)) = self.values.copying { Some(clone) } else { None }
    }

    /// Returns whether values cannot be copied.
    pub(crate) fn refuses(&self) -> bool {
        self.values.copying.is_none()
    }

    /// Returns whether there was no mutable access to the values of a column since this copy was taken from it or restored into it. The
    /// world's tick must have advanced since then.
    pub(crate) fn is_unvisited(&self, column: &Column) -> bool {
        column.visited.get() == self.visited
    }

    /// Returns whether a column with `rows` rows is unchanged relative to this copy. The rows must have the same entities as when the copy
    /// was taken or restored, and the world's tick must have advanced since then.
    pub(crate) fn is_as(&self, column: &Column, rows: usize) -> bool {
        self.has_fixed(rows) && self.is_unvisited(column)
    }

    /// Returns whether the copy has this number of values, and its values change only by mutable access.
    pub(crate) fn has_fixed(&self, rows: usize) -> bool {
        self.stamped && self.values.len == rows
    }

    /// Returns whether both copies share their values.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }

    /// Makes this a copy of the `len` values of a column from row `first` on, and of the ticks of `ticks` rows. `known` may be an earlier
    /// copy of the same rows with the same entities: its values and ticks are shared if they are unchanged.
    ///
    /// # Errors
    ///
    /// If the allocation fails. After an error, or a panic of `Clone`, the copy must not be used.
    ///
    /// # Panics
    ///
    /// If there are values that cannot be copied, or if `Clone` panics.
    ///
    /// # Safety
    ///
    /// - The column has values in these rows, of the type for which this copy was made.
    pub(crate) unsafe fn take(
        &mut self,
        from: &Column,
        [first, len]: [usize; 2],
        ticks: usize,
        known: Option<&Self>,
    ) -> Result<(), AllocError> {
        let known = known.filter(|known| known.is_unvisited(from));
        self.take_ticks(from, ticks, known)?;
        if let Some(known) = known.filter(|known| known.has_fixed(len)) {
            self.values = Arc::clone(&known.values);
            return Ok(());
        }
        if Arc::get_mut(&mut self.values).is_none() {
            self.values = Arc::new(self.values.without_values());
        }
        if let Some(values) = Arc::get_mut(&mut self.values) {
            // SAFETY: forwarded: the column has values of this type, in these rows.
            unsafe { values.take(from, first, len)? };
        }
        Ok(())
    }

    /// Copies the ticks of `ticks` rows, or shares the ticks of `known` if they are unchanged. `known` must be an earlier copy of the
    /// column, with no mutable access to the column since then.
    fn take_ticks(&mut self, from: &Column, ticks: usize, known: Option<&Self>) -> Result<(), AllocError> {
        self.visited = from.visited.get();
        self.ticks = ticks;
        let Some(from) = &from.tracking else {
            self.tracking = None;
            return Ok(());
        };
        self.seen = from.seen();
        let known = known.filter(|known| known.ticks == ticks).and_then(|known| known.tracking.as_ref());
        if let Some(known) = known.filter(|known| known.is_unmarked_since(from)) {
            self.tracking = Some(Arc::clone(known));
            return Ok(());
        }
        let own = self.tracking.get_or_insert_with(|| Arc::new(Tracking::empty()));
        if Arc::get_mut(own).is_none() {
            *own = Arc::new(Tracking::empty());
        }
        if let Some(own) = Arc::get_mut(own) {
            own.grow_as(from)?;
            own.copy_from(from, ticks);
        }
        Ok(())
    }

    /// Clones the values if clones are needed to restore a column; `None` if the values are copied as bytes.
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

    /// Clones the values from `first` on, for another copy.
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

    /// Like [`clones`](Self::clones), but moves the values out if no other copy shares them. They are moved into a column together with
    /// their memory, so the column needs no room for them.
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

    /// Returns new ticks for the rows if the column is tracked but this copy has no ticks; otherwise `None`. Changes before the copy was
    /// taken count as made at the later of two ticks: `latest` and the tick of the last mutable access.
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

    /// Replaces the values and ticks of a column by the values and ticks of this copy. `before` is the number of values in the column.
    /// Afterwards `clones` holds the old values of the column.
    ///
    /// # Safety
    ///
    /// - The column is for values of the type for which this copy was made. [`make_room`](Self::make_room) has been called for the column,
    ///   and its first `before` rows have values.
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

    /// Copies the ticks to a column that already has the values. [`make_room`](Self::make_room) must have been called for the column, and
    /// [`begun_ticks`](Self::begun_ticks) must have returned `begun` for it.
    pub(crate) fn put_ticks(&self, to: &mut Column, begun: BegunTicks) {
        to.visited.set(self.visited);
        match (&mut to.tracking, &self.tracking, begun) {
            (Some(to), Some(own), _) => {
                to.copy_from(own, self.ticks);
                to.set_seen(self.seen);
            }
            (Some(to), None, Some(begun)) => *to = begun,
            _ => {}
        }
    }

    /// Returns the number of bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.values.column.allocated_bytes() + self.tracking.as_ref().map_or(0, |tracking| tracking.allocated_bytes())
    }
}

impl CopiedValues {
    /// Returns an empty storage for values of a component.
    fn of(descriptor: &'static ComponentDescriptor) -> Self {
        let functions = descriptor.functions();
        let column = Column::with_item(descriptor.layout(), functions.drop_fn());
        Self { descriptor, column, len: 0, copying: functions.copying() }
    }

    /// Returns the values.
    fn as_slice(&self) -> ErasedSlice<'_> {
        // SAFETY: the column was made for the type of the descriptor, and its first `len` rows have values. `self` owns them, and
        // only code with exclusive access to `self` changes them.
        unsafe { ErasedSlice::new(self.descriptor, self.column.data(), self.len) }
    }

    /// Returns an empty storage for values of the same type, with the same copy method.
    fn without_values(&self) -> Self {
        let mut none = Self::of(self.descriptor);
        none.copying = self.copying;
        none
    }

    /// Makes this a copy of the `len` values of a column from row `first` on.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ColumnCopy::take`].
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
