//! Copies of lists of removals, with how far their readers had come.

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use super::{LIMIT, Log, Seen};
use crate::alloc_error::{AllocError, try_reserve, try_reserve_exact};
use crate::column::{ColumnClones, ColumnCopy};
use crate::component::{ComponentDescriptor, ComponentInfo};
use crate::entity::Entity;

/// The entries of a list, with values of its own, and the readers that it was kept for.
pub(crate) struct LogCopy {
    entities: Vec<Entity>,
    values: Option<ColumnCopy>,
    first: u64,
    limit: usize,
    readers: Vec<(Weak<Seen>, u64)>,
}

impl LogCopy {
    /// No entries of a list of a component, with values or without.
    pub(in crate::removal) fn new(info: &ComponentInfo, with_values: bool) -> Self {
        let values = with_values.then(|| ColumnCopy::new(info.descriptor()));
        Self { entities: Vec::new(), values, first: 0, limit: LIMIT, readers: Vec::new() }
    }

    /// Whether there are values that cannot be copied in a list.
    pub(in crate::removal) fn refuses(&self, from: &Log) -> bool {
        from.len() != 0 && self.values.as_ref().is_some_and(ColumnCopy::refuses)
    }

    /// Becomes a copy of a list. If that panics, or there is no memory, what is here is worth nothing. It panics if there are
    /// values that cannot be copied.
    ///
    /// # Safety
    ///
    /// - The list is one of the component that this was made for, with values if this has some.
    pub(in crate::removal) unsafe fn take(&mut self, from: &Log) -> Result<(), AllocError> {
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

    /// How many entries are kept, unless something else is said.
    pub(crate) const LIMIT: usize = LIMIT;

    /// Entries that no list had, from a number on, of which each has one of the values of a copy; without them, if it is a list of
    /// entities. At most so many are kept.
    pub(crate) fn of(entities: Vec<Entity>, values: Option<ColumnCopy>, first: u64, limit: usize) -> Self {
        debug_assert!(values.as_ref().is_none_or(|values| values.len() == entities.len()));
        Self { entities, values, first, limit, readers: Vec::new() }
    }

    /// What is known of the component, of a list with values.
    pub(crate) fn descriptor(&self) -> Option<&'static ComponentDescriptor> {
        self.values.as_ref().map(|values| values.values().descriptor())
    }

    /// The entities that have lost the component, in order.
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The value of each, in a list with values.
    pub(crate) fn values(&self) -> Option<&ColumnCopy> {
        self.values.as_ref()
    }

    /// The number of the first entry and that of the next one, and how many are kept at most.
    pub(crate) fn numbers(&self) -> (u64, u64, usize) {
        (self.first, self.first + self.entities.len() as u64, self.limit)
    }

    /// How many readers that are still there had not read all of it.
    pub(crate) fn unread(&self) -> usize {
        let (_, end, _) = self.numbers();
        self.readers.iter().filter(|(reader, position)| reader.strong_count() != 0 && *position < end).count()
    }

    /// The clones that are needed to make a list what this is.
    pub(in crate::removal) fn clones(&self) -> Result<ColumnClones, AllocError> {
        self.values.as_ref().map_or(Ok(None), ColumnCopy::clones)
    }
}

impl Log {
    /// Makes room for what its copy holds.
    ///
    /// # Errors
    ///
    /// If there is no memory. The entries stay.
    pub(in crate::removal) fn make_room_for(&mut self, copy: &LogCopy) -> Result<(), AllocError> {
        self.close_gap();
        let missing = copy.entities.len().saturating_sub(self.entities.len());
        try_reserve_exact(&mut self.entities, missing)?;
        match (&mut self.values, &copy.values) {
            (Some(values), Some(copy)) => copy.make_room(values),
            _ => Ok(()),
        }
    }

    /// Becomes what its copy is. Its values are what the clones are afterwards, unless dropping them does nothing. Readers that the
    /// copy does not know begin at its end.
    ///
    /// # Safety
    ///
    /// - The copy is one of a list of this component, with values if this has some; the clones are its own, and room has been made for
    ///   it here since the last operation.
    pub(in crate::removal) unsafe fn become_copy(&mut self, copy: &LogCopy, clones: &mut ColumnClones) {
        debug_assert_eq!(self.tail, 0);
        // Also those that waited to be dropped have values.
        let before = self.entities.len();
        self.entities.clear();
        // There is room.
        self.entities.extend_from_slice(&copy.entities);
        (self.tail, self.head, self.first, self.limit) = (0, 0, copy.first, copy.limit);
        if let (Some(values), Some(copy)) = (&mut self.values, &copy.values) {
            // SAFETY: since there is no gap, all entries have had values; the caller's promise.
            unsafe { copy.put(values, before, clones.as_mut(), None) };
        }
        let end = self.end();
        for reader in &self.readers {
            let known = copy.readers.iter().find(|(known, _)| known.as_ptr() == Arc::as_ptr(reader));
            reader.set(known.map_or(end, |(_, position)| *position));
        }
    }

    /// Forgets all entries, of which its readers then have seen all. Values wait to be dropped.
    pub(in crate::removal) fn forget_all(&mut self) {
        let count = self.len();
        self.forget(count);
        let end = self.end();
        self.readers.iter().for_each(|reader| reader.set(end));
    }
}
