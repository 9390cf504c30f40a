//! Copies of columns: values that belong to the copy, with what is known of their changes.
//!
//! Values of types that are `Copy` are copied as bytes, others by their `Clone`, which is user code. So a copy that goes back
//! into its column does that in two steps: [`ColumnCopy::clones`] makes clones, which may panic, and [`ColumnCopy::put`]
//! exchanges them for the values of the column, which cannot fail. What the column held is then what the clones were, and is
//! dropped with that.

use alloc::boxed::Box;
use core::mem::swap;
use core::ptr;

use super::Column;
use crate::alloc_error::AllocError;
use crate::component::Copying;
use crate::tick::Tick;
use crate::tracking::Tracking;

/// Values like those of a column, which belong to this.
///
/// The first `len` rows of `values` hold values, and no ticks are kept there.
pub(crate) struct ColumnCopy {
    values: Column,
    len: usize,
    /// None if values cannot be copied: then there are none.
    copying: Option<Copying>,
    visited: Tick,
    tracking: Option<Box<Tracking>>,
    /// How many rows have ticks.
    ticks: usize,
}

impl ColumnCopy {
    /// No values, of the kind that a column has.
    ///
    /// # Safety
    ///
    /// - `copying` is what the type of the values says.
    pub(crate) unsafe fn new(like: &Column, copying: Option<Copying>) -> Self {
        let values = Column::with_item(like.item, like.drop);
        Self { values, len: 0, copying, visited: Tick::default(), tracking: None, ticks: 0 }
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether values cannot be copied.
    pub(crate) fn refuses(&self) -> bool {
        self.copying.is_none()
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
        // SAFETY: the caller's promise.
        unsafe { self.take_values(from, first, len)? };
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

    /// Becomes a copy of `len` values from row `first` of a column on.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnCopy::take`].
    unsafe fn take_values(&mut self, from: &Column, first: usize, len: usize) -> Result<(), AllocError> {
        match self.copying {
            Some(Copying::Bytes) => {
                self.values.grow_to(len)?;
                let size = len * self.values.item.size();
                // SAFETY: the column holds values in these rows, and here is room for as many, in memory of its own.
                unsafe { ptr::copy_nonoverlapping(from.get(first).as_ptr(), self.values.data.as_ptr(), size) };
                // They are `Copy`, so that the bytes are values.
                self.len = len;
            }
            None => {
                assert_eq!(len, 0, "the values cannot be copied");
                self.clear();
            }
            Some(Copying::Clone(clone)) => {
                self.clear();
                self.values.grow_to(len)?;
                for row in 0..len {
                    // SAFETY: the column holds a value in the row, and here is room for one; the function is that of their type. If it
                    // panics, only those before are values.
                    unsafe { clone(from.get(first + row).as_ptr(), self.values.get(row).as_ptr()) };
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
        unsafe { self.values.drop_rows(0, len) }
    }

    /// Clones of the values, if they are needed to put them into a column.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn clones(&self) -> Result<Option<Self>, AllocError> {
        if let Some(Copying::Bytes) = self.copying {
            return Ok(None);
        }
        // SAFETY: the values are of the type that this was made for.
        let mut clones = unsafe { Self::new(&self.values, self.copying) };
        // SAFETY: so many values are here.
        unsafe { clones.take_values(&self.values, 0, self.len)? };
        Ok(Some(clones))
    }

    /// Makes room in a column for the values and ticks.
    ///
    /// # Errors
    ///
    /// If there is no memory. Values and ticks stay.
    pub(crate) fn make_room(&self, to: &mut Column) -> Result<(), AllocError> {
        if let Some(Copying::Bytes) = self.copying {
            to.grow_to(self.len)?;
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
    pub(crate) fn begun_ticks(
        &self,
        to: &Column,
        latest: Option<Tick>,
        now: Tick,
    ) -> Result<Option<Box<Tracking>>, AllocError> {
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
    /// - The clones are [those of this](Self::clones), and the ticks [those that were begun](Self::begun_ticks) for the column. Neither
    ///   has been changed since.
    pub(crate) unsafe fn put(
        &self,
        to: &mut Column,
        before: usize,
        clones: Option<&mut Self>,
        begun: Option<Box<Tracking>>,
    ) {
        match clones {
            Some(clones) => {
                debug_assert_eq!(clones.len, self.len);
                swap(&mut to.data, &mut clones.values.data);
                swap(&mut to.capacity, &mut clones.values.capacity);
                // Both columns have items of one layout, on which, with the capacity, that of the memory depends.
                clones.len = before;
            }
            None => {
                let size = self.len * self.values.item.size();
                // SAFETY: values without clones are `Copy`; there is room for them, in memory of the column's own. What they overwrite is
                // `Copy`, too, and has no drop.
                unsafe { ptr::copy_nonoverlapping(self.values.data.as_ptr(), to.data.as_ptr(), size) };
            }
        }
        to.visited.set(self.visited);
        match (&mut to.tracking, &self.tracking, begun) {
            (Some(to), Some(own), _) => to.copy_from(own, self.ticks),
            (Some(to), None, Some(begun)) => *to = begun,
            _ => {}
        }
    }

    /// The bytes that the copy has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.values.allocated_bytes() + self.tracking.as_ref().map_or(0, |tracking| tracking.allocated_bytes())
    }
}

impl Drop for ColumnCopy {
    fn drop(&mut self) {
        self.clear();
    }
}
