//! Copies of columns: values that belong to the copy, with what is known of their changes.
//!
//! Values of types that are `Copy` are copied as bytes, others by their `Clone`, which is user code. So a copy that goes back
//! into its column does that in two steps: [`ColumnCopy::clones`] makes clones, which may panic, and [`ColumnCopy::put`]
//! exchanges them for the values of the column, which cannot fail. What the column held is then what the clones were, and is
//! dropped with that.
//!
//! Values never change while two copies share them. A column *is as* a copy says if nothing has been written to it since that was
//! taken, or put there: its caller knows that from stamps, and only of values of types that are `Copy`, which cannot be changed
//! without one.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::replace;
use core::ptr::{self, NonNull};

use super::Column;
use crate::alloc_error::AllocError;
use crate::component::{ChangeTracking, CloneFn, ComponentDescriptor, Copying, ErasedSlice, ErasedSliceMut, ErasedVec};
use crate::tick::{ComponentTicks, Tick};
use crate::tracking::Tracking;

/// Values like those of a column, which belong to this.
///
/// The first `len` rows of `column` hold values, and no ticks are kept there.
pub(crate) struct CopiedValues {
    /// Of the component that `column` was made for.
    descriptor: &'static ComponentDescriptor,
    column: Column,
    len: usize,
    /// None if values cannot be copied: then there are none.
    copying: Option<Copying>,
}

/// What a column needs to become what its copy is: clones, unless bytes are copied.
pub(crate) type ColumnClones = Option<CopiedValues>;

/// Ticks for a column that keeps some, if its copy has none.
pub(crate) type BegunTicks = Option<Box<Tracking>>;

/// What a column held, with what was known of its changes.
pub(crate) struct ColumnCopy {
    values: Arc<CopiedValues>,
    /// Whether values only change with a stamp.
    stamped: bool,
    visited: Tick,
    tracking: Option<Box<Tracking>>,
    /// How many rows have ticks.
    ticks: usize,
}

/// What a copy of a column is made of that was not taken from one.
pub(crate) struct ColumnParts {
    pub(crate) values: NewValues,
    pub(crate) visited: Tick,
    /// Of each value, if they are known.
    pub(crate) ticks: Option<Vec<ComponentTicks>>,
    /// Clones a value, of a type of which the definition does not prove that it is `Clone`.
    pub(crate) clone: Option<CloneFn>,
    /// Whether constructors made the values, which then need not be `Clone`.
    pub(crate) constructed: bool,
}

impl ColumnParts {
    /// Values that are `Clone` by the definition of their type.
    pub(crate) fn new(values: NewValues, visited: Tick) -> Self {
        Self { values, visited, ticks: None, clone: None, constructed: false }
    }

    /// Whether its values can be cloned.
    pub(crate) fn can_be_cloned(&self) -> bool {
        self.clone.is_some() || self.values.descriptor().functions().copying().is_some()
    }
}

/// Values of a component that were not taken from a column.
pub(crate) enum NewValues {
    Vec(ErasedVec),
    /// They lie as in a column already.
    Column(CopiedValues),
}

impl NewValues {
    /// The values with these bytes, of a component of which any bytes are a value; `None` of another one, and if the bytes are not those
    /// of whole values.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn of_bytes(descriptor: &'static ComponentDescriptor, bytes: &[u8]) -> Result<Option<Self>, AllocError> {
        let size = descriptor.layout().size();
        if !descriptor.functions().take_any_bytes() || size == 0 || !bytes.len().is_multiple_of(size) {
            return Ok(None);
        }
        let (len, mut values) = (bytes.len() / size, CopiedValues::of(descriptor));
        values.column.grow_to(len)?;
        // SAFETY: there is room for `len` values, which are so many bytes, in memory that was just made. Any bytes are values of this
        // component, as its derive has proved of its fields, and its author has said.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), values.column.data().as_ptr(), bytes.len()) };
        values.len = len;
        Ok(Some(Self::Column(values)))
    }

    /// What is known of the type of the values.
    pub(crate) fn descriptor(&self) -> &'static ComponentDescriptor {
        self.as_slice().descriptor()
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Where the values are, one behind the other.
    pub(crate) fn data(&self) -> NonNull<u8> {
        match self {
            Self::Vec(values) => values.data(),
            Self::Column(values) => values.column.data(),
        }
    }

    /// Forgets the values, which have been moved out.
    pub(crate) fn forget(&mut self) {
        match self {
            Self::Vec(values) => values.forget(),
            Self::Column(values) => values.len = 0,
        }
    }

    /// The values, each by itself.
    pub(crate) fn into_each(self) -> Vec<ErasedVec> {
        let each: Vec<u32> = (0..self.len() as u32).collect();
        self.divided(&each, each.len())
    }

    /// The values in so many parts: `parts` says of each to which it goes.
    ///
    /// # Panics
    ///
    /// If there are not so many parts, or another number of values, or if there is no memory.
    pub(crate) fn divided(mut self, parts: &[u32], count: usize) -> Vec<ErasedVec> {
        assert_eq!(parts.len(), self.len(), "each value has a part");
        let (descriptor, data) = (self.descriptor(), self.data());
        self.forget();
        // SAFETY: there were so many values of this component, which do not count any more; their memory stays until `self` goes.
        unsafe { ErasedVec::divided(descriptor, data, parts, count) }
    }

    /// The values, to change them.
    pub(crate) fn as_slice_mut(&mut self) -> ErasedSliceMut<'_> {
        match self {
            Self::Vec(values) => values.as_slice_mut(),
            // SAFETY: `len` rows of the column, from the first one on, hold values of this component, and `self` is borrowed mutably.
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
    /// No values of a component.
    pub(crate) fn new(descriptor: &'static ComponentDescriptor) -> Self {
        let values = Arc::new(CopiedValues::of(descriptor));
        let stamped = matches!(values.copying, Some(Copying::Bytes)) && descriptor.tracking() != ChangeTracking::Never;
        Self { values, stamped, visited: Tick::default(), tracking: None, ticks: 0 }
    }

    /// A copy with values that were not taken from a column, which has so many rows with ticks: `row` says where those of a value are.
    /// No tick is newer than `now`. A copy of values that cannot be cloned can only be [moved](Self::take_clones) into a column.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn of(
        parts: ColumnParts,
        rows: usize,
        row: impl Fn(usize) -> usize,
        now: Tick,
    ) -> Result<Self, AllocError> {
        let ColumnParts { values, visited, ticks, clone, constructed } = parts;
        let mut copy = Self::new(values.descriptor());
        let copying = copy.values.copying.or(clone.map(Copying::Clone));
        assert!(constructed || copying.is_some() || values.len() == 0, "the values cannot be copied");
        let mut values = match values {
            NewValues::Vec(mut values) => {
                let (len, mut own) = (values.len(), copy.values.without_values());
                own.column.grow_to(len)?;
                // SAFETY: the column was just made for values of the descriptor's type, which those of the vector have. It holds none,
                // and has room for as many.
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
            // Consumers look at all ticks, as if nothing were known of when it was looked at last.
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

    /// When a caller last had mutable access to values.
    pub(crate) fn visited(&self) -> Tick {
        self.visited
    }

    /// The ticks, if they were kept, and of how many rows.
    pub(crate) fn tracking(&self) -> Option<(&Tracking, usize)> {
        self.tracking.as_deref().map(|tracking| (tracking, self.ticks))
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len
    }

    /// How the values are cloned, if they are not copied as bytes.
    pub(crate) fn clone_fn(&self) -> Option<CloneFn> {
        if let Some(Copying::Clone(clone)) = self.values.copying { Some(clone) } else { None }
    }

    /// Whether values cannot be copied.
    pub(crate) fn refuses(&self) -> bool {
        self.values.copying.is_none()
    }

    /// Whether a column with so many rows is as this says, if they are those that there were. Its tick has gone on since this was taken, or put
    /// there.
    pub(crate) fn is_as(&self, column: &Column, rows: usize) -> bool {
        self.stamped && self.values.len == rows && column.visited.get() == self.visited
    }

    /// Whether both share their values.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.values, &other.values)
    }

    /// Becomes a copy of a column with so many ticks that [is as](Self::is_as) another copy of it says, and shares its values.
    ///
    /// # Errors
    ///
    /// If there is no memory. What is here then is worth nothing.
    pub(crate) fn share(&mut self, other: &Self, from: &Column, ticks: usize) -> Result<(), AllocError> {
        self.values = Arc::clone(&other.values);
        self.take_ticks(from, ticks)
    }

    /// Becomes a copy of `len` values from row `first` of a column on, and of the ticks of so many rows of it.
    ///
    /// # Errors
    ///
    /// If there is no memory. What is here then is worth nothing, as after a panic of a `Clone`.
    ///
    /// # Panics
    ///
    /// If the values cannot be copied, and there are some; or if `Clone` does.
    ///
    /// # Safety
    ///
    /// - The column is one for values of the type that this was made for, and holds some in these rows.
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
            // SAFETY: the caller's promise.
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

    /// Clones of the values, if they are needed to put them into a column.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn clones(&self) -> Result<ColumnClones, AllocError> {
        if let Some(Copying::Bytes) = self.values.copying {
            return Ok(None);
        }
        self.clones_from(0).map(Some)
    }

    /// Clones of the values from one on, for parts of another copy.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn new_values(&self, first: usize) -> Result<NewValues, AllocError> {
        self.clones_from(first).map(NewValues::Column)
    }

    fn clones_from(&self, first: usize) -> Result<CopiedValues, AllocError> {
        let (mut clones, len) = (self.values.without_values(), self.values.len - first);
        // SAFETY: `column` holds `self.values.len` values, so it holds `len` from row `first` on, and both are of one component.
        unsafe { clones.take(&self.values.column, first, len)? };
        Ok(clones)
    }

    /// As [`clones`](Self::clones), but the values themselves, where no other copy shares them: none are left here, and no room is made
    /// for them in a column, which gets their memory.
    ///
    /// # Errors
    ///
    /// If there is no memory.
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
    /// If there is no memory. Values and ticks stay.
    pub(crate) fn make_room(&self, to: &mut Column) -> Result<(), AllocError> {
        if let Some(Copying::Bytes) = self.values.copying {
            to.grow_to(self.values.len)?;
        }
        match (&mut to.tracking, &self.tracking) {
            (Some(to), Some(own)) => to.grow_as(own),
            _ => Ok(()),
        }
    }

    /// Ticks for rows that had none when this was taken, in a column that keeps some now. What had changed then had done so when a
    /// caller last had mutable access, or at `latest` if that was later.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn begun_ticks(&self, to: &Column, latest: Option<Tick>, now: Tick) -> Result<BegunTicks, AllocError> {
        let (Some(there), None) = (&to.tracking, &self.tracking) else { return Ok(None) };
        let latest = latest.filter(|latest| latest.age(now) <= self.visited.age(now));
        let tick = latest.unwrap_or(self.visited);
        Ok(Some(Box::new(Tracking::new(self.ticks, there.capacity().max(self.ticks), tick)?)))
    }

    /// Puts a copy of the values and ticks into a column in place of the first rows, `before` of which hold values. Those are what
    /// the clones are afterwards.
    ///
    /// # Safety
    ///
    /// - The column is one for values of the type that this was made for. [Room has been made](Self::make_room) there; the caller says
    ///   how many rows hold values now.
    /// - The clones are [those of this](Self::clones), or [were taken](Self::take_clones) out of it, and the ticks
    ///   [those that were begun](Self::begun_ticks) for the column. Neither has been changed since.
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
                // Both columns have items of one layout, on which, with the capacity, that of the memory depends.
                clones.len = before;
            }
            None => {
                let size = values.len * values.column.item_size();
                // SAFETY: values without clones are `Copy`; there is room for them, in memory of the column's own. What they overwrite is
                // `Copy`, too, and has no drop.
                unsafe { ptr::copy_nonoverlapping(values.column.data().as_ptr(), to.data().as_ptr(), size) };
            }
        }
        self.put_ticks(to, begun);
    }

    /// Puts a copy of the ticks into a column that has the values. Room has been made there, and the ticks are
    /// [those that were begun](Self::begun_ticks) for it.
    pub(crate) fn put_ticks(&self, to: &mut Column, begun: BegunTicks) {
        to.visited.set(self.visited);
        match (&mut to.tracking, &self.tracking, begun) {
            (Some(to), Some(own), _) => to.copy_from(own, self.ticks),
            (Some(to), None, Some(begun)) => *to = begun,
            _ => {}
        }
    }

    /// The bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.values.column.allocated_bytes() + self.tracking.as_ref().map_or(0, |tracking| tracking.allocated_bytes())
    }
}

impl CopiedValues {
    /// No values of a component.
    fn of(descriptor: &'static ComponentDescriptor) -> Self {
        let functions = descriptor.functions();
        let column = Column::with_item(descriptor.layout(), functions.drop_fn());
        Self { descriptor, column, len: 0, copying: functions.copying() }
    }

    /// The values.
    fn as_slice(&self) -> ErasedSlice<'_> {
        // SAFETY: the column was made for the type of the descriptor, and so many rows of it hold values. They belong to this, and only
        // code that has it for itself changes them.
        unsafe { ErasedSlice::new(self.descriptor, self.column.data(), self.len) }
    }

    /// No values of the same type, which are copied in the same way.
    fn without_values(&self) -> Self {
        let mut none = Self::of(self.descriptor);
        none.copying = self.copying;
        none
    }

    /// Becomes a copy of `len` values from row `first` of a column on.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnCopy::take`].
    unsafe fn take(&mut self, from: &Column, first: usize, len: usize) -> Result<(), AllocError> {
        match self.copying {
            Some(Copying::Bytes) => {
                self.column.grow_to(len)?;
                let size = len * self.column.item_size();
                // SAFETY: the column holds values in these rows, and here is room for as many, in memory of its own.
                unsafe { ptr::copy_nonoverlapping(from.get(first).as_ptr(), self.column.data().as_ptr(), size) };
                // They are `Copy`, so that the bytes are values.
                self.len = len;
            }
            None => {
                assert_eq!(len, 0, "the values cannot be copied");
                self.clear();
            }
            Some(Copying::Clone(clone)) => {
                self.clear();
                self.column.grow_to(len)?;
                for row in 0..len {
                    // SAFETY: the column holds a value in the row, and here is room for one; the function is that of their type. If it
                    // panics, only those before are values.
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
        // SAFETY: so many values were here, and nothing shows them any more.
        unsafe { self.column.drop_rows(0, len) }
    }
}

impl Drop for CopiedValues {
    fn drop(&mut self) {
        self.clear();
    }
}
