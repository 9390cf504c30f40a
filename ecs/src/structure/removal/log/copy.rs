//! Copies of removal logs, with the positions of their readers.
//!
//! Tests: tests/snapshots/parts.rs

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use super::{LIMIT, ReaderPosition, RemovalLog};
use crate::component::{ComponentDescriptor, ComponentInfo};
use crate::entity::Entity;
use crate::storage::column::{ColumnClones, ColumnCopy};
use crate::util::alloc_error::{AllocError, try_reserve, try_reserve_exact};

/// The entries of a log, with cloned values, and the readers that it was kept for.
pub(crate) struct LogCopy {
    entities: Vec<Entity>,
    values: Option<ColumnCopy>,
    first: u64,
    limit: usize,
    readers: Vec<(Weak<ReaderPosition>, u64)>,
}

impl LogCopy {
    /// Creates an empty copy of a log of a component, with values or without.
    pub(in crate::structure::removal) fn new(info: &ComponentInfo, with_values: bool) -> Self {
        let values = with_values.then(|| ColumnCopy::new(info.descriptor()));
        Self { entities: Vec::new(), values, first: 0, limit: LIMIT, readers: Vec::new() }
    }

    /// Returns whether the log has values that cannot be cloned.
    pub(in crate::structure::removal) fn refuses(&self, from: &RemovalLog) -> bool {
        from.len() != 0 && self.values.as_ref().is_some_and(ColumnCopy::refuses)
    }

    /// Copies a log into this. If that panics, or there is no memory, the contents are incomplete. Panics if there are values that cannot
    /// be cloned.
    ///
    /// # Safety
    ///
    /// - The log belongs to the component that this was made for, and has values if this has.
    pub(in crate::structure::removal) unsafe fn take(&mut self, from: &RemovalLog) -> Result<(), AllocError> {
        self.entities.clear();
        try_reserve(&mut self.entities, from.len())?;
        self.entities.extend_from_slice(&from.entities[from.head..]);
        (self.first, self.limit) = (from.first, from.limit);
        self.readers.clear();
        try_reserve(&mut self.readers, from.readers.len())?;
        self.readers.extend(from.readers.iter().map(|reader| (Arc::downgrade(reader), reader.get())));
        match (&mut self.values, &from.values) {
            // SAFETY: the entries from `head` on have values, of the type that this was made for.
            (Some(own), Some(values)) => unsafe { own.take(values, [from.head, from.len()], 0) },
            _ => Ok(()),
        }
    }

    /// The maximum number of entries that are kept by default.
    pub(crate) const LIMIT: usize = LIMIT;

    /// Creates a copy that was not taken from a log. `first` is the number of the first entry. `values` has a value for each entry, or is
    /// `None` for a log of entities. At most `limit` entries are kept.
    pub(crate) fn of(entities: Vec<Entity>, values: Option<ColumnCopy>, first: u64, limit: usize) -> Self {
        debug_assert!(values.as_ref().is_none_or(|values| values.len() == entities.len()));
        Self { entities, values, first, limit, readers: Vec::new() }
    }

    /// Returns the descriptor of the component, for a log with values.
    pub(crate) fn descriptor(&self) -> Option<&'static ComponentDescriptor> {
        self.values.as_ref().map(|values| values.values().descriptor())
    }

    /// Returns the entities that have lost the component, in order.
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Returns the values of all entries, for a log with values.
    pub(crate) fn values(&self) -> Option<&ColumnCopy> {
        self.values.as_ref()
    }

    /// Returns the number of the first entry, the number of the next entry, and the maximum number of entries.
    pub(crate) fn numbers(&self) -> (u64, u64, usize) {
        (self.first, self.first + self.entities.len() as u64, self.limit)
    }

    /// Returns how many readers that still exist had not read all entries.
    pub(crate) fn unread(&self) -> usize {
        let (_, end, _) = self.numbers();
        self.readers.iter().filter(|(reader, position)| reader.strong_count() != 0 && *position < end).count()
    }

    /// Clones the values that are needed to restore a log from this.
    pub(in crate::structure::removal) fn clones(&self) -> Result<ColumnClones, AllocError> {
        self.values.as_ref().map_or(Ok(None), ColumnCopy::clones)
    }
}

impl RemovalLog {
    /// Makes room for the contents of a copy.
    ///
    /// # Errors
    ///
    /// If there is no memory. The entries are unchanged.
    pub(in crate::structure::removal) fn make_room_for(&mut self, copy: &LogCopy) -> Result<(), AllocError> {
        self.close_gap();
        let missing = copy.entities.len().saturating_sub(self.entities.len());
        try_reserve_exact(&mut self.entities, missing)?;
        match (&mut self.values, &copy.values) {
            (Some(values), Some(copy)) => copy.make_room(values),
            _ => Ok(()),
        }
    }

    /// Restores the log from a copy. Afterwards the clones hold its old values, unless these need no drop. Readers that the copy does not
    /// contain start at its end.
    ///
    /// # Safety
    ///
    /// - The copy belongs to a log of this component, with values if this has some; the clones belong to the copy, and room has been made
    ///   for it here since the last operation.
    pub(in crate::structure::removal) unsafe fn restore_from(&mut self, copy: &LogCopy, clones: &mut ColumnClones) {
        debug_assert_eq!(self.tail, 0);
        // The number of values in the log, including those of expired entries, which have not been dropped yet.
        let before = self.entities.len();
        self.entities.clear();
        // `make_room_for` has reserved room.
        self.entities.extend_from_slice(&copy.entities);
        (self.tail, self.head, self.first, self.limit) = (0, 0, copy.first, copy.limit);
        if let (Some(values), Some(copy)) = (&mut self.values, &copy.values) {
            // SAFETY: since there is no gap, all entries had values; the other conditions are forwarded.
            unsafe { copy.put(values, before, clones.as_mut(), None) };
        }
        let end = self.end();
        for reader in &self.readers {
            let known = copy.readers.iter().find(|(known, _)| known.as_ptr() == Arc::as_ptr(reader));
            reader.set(known.map_or(end, |(_, position)| *position));
        }
    }

    /// Removes all entries, as if all readers had read them. The values are dropped later.
    pub(in crate::structure::removal) fn forget_all(&mut self) {
        let count = self.len();
        self.forget(count);
        let end = self.end();
        self.readers.iter().for_each(|reader| reader.set(end));
    }
}
