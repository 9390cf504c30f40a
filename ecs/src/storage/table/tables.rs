//! The tables of a world.
//!
//! Tests: tests/storage/shrink.rs, tests/storage/lookup.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::slice;

use hashbrown::HashMap;

use super::{Table, disabling_columns};
use crate::component::transition::ListenerMask;
use crate::component::{ComponentId, Components, SlotAddress};
use crate::entity::TableId;
use crate::storage::column::ColumnAddress;
use crate::storage::column_places::ColumnLookup;

/// All tables of a world.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// world.spawn_empty();
/// world.spawn_batch([Health(3), Health(4)]);
/// let rows: Vec<usize> = world.tables().iter().map(|table| table.len()).collect();
/// assert_eq!(rows, [1, 2]);
/// ```
#[doc(alias("Archetypes"))]
pub struct Tables {
    pub(super) tables: Vec<Table>,
    pub(super) by_components: HashMap<Box<[ComponentId]>, TableId>,
    /// For each component, the tables with this component, in ascending order.
    pub(super) with_component: Vec<Vec<TableId>>,
    pub(super) places: ColumnLookup,
    pub(super) generation: u64,
    pub(super) epoch: u64,
    /// The listeners that apply to all tables.
    pub(super) in_all: ListenerMask,
}

impl Tables {
    pub(crate) fn new(components: &Components) -> Self {
        let mut tables = Self {
            tables: Vec::new(),
            by_components: HashMap::new(),
            with_component: Vec::new(),
            places: ColumnLookup::default(),
            generation: 0,
            epoch: 0,
            in_all: ListenerMask::NONE,
        };
        tables.find_or_create(&[], components);
        tables
    }

    /// Returns the version of the set of tables. It grows when a table is added, when a component becomes
    /// [disabling](crate::entity_disabling), and when tables are removed or renumbered: by
    /// [`World::shrink_to_fit`](crate::world::World::shrink_to_fit), or by restoring a world from a copy.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let before = world.tables().generation();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// assert_eq!(world.tables().generation(), before + 1);
    ///
    /// world.clear_entities();
    /// world.shrink_to_fit();
    /// assert_eq!(world.tables().generation(), before + 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Records that another component has become disabling. When a query is next used, it checks all tables again.
    pub(crate) fn note_disabling(&mut self, components: &Components) {
        self.tables.iter_mut().for_each(|table| table.disabling = disabling_columns(&table.components, components));
        self.generation += 1;
    }

    /// Returns the number of times that tables were removed or renumbered. Table ids stay valid while this number is unchanged.
    #[inline]
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the table with this number.
    ///
    /// ```
    /// use strata_ecs::entity::TableId;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.spawn_empty();
    /// assert_eq!(world.tables().get(TableId::EMPTY).unwrap().len(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, id: TableId) -> Option<&Table> {
        self.tables.get(id.index())
    }

    /// Returns the table with this number.
    ///
    /// # Safety
    ///
    /// - This set of tables returned the id in the current epoch.
    #[inline]
    pub(crate) unsafe fn get_unchecked(&self, id: TableId) -> &Table {
        debug_assert!(id.index() < self.tables.len());
        // SAFETY: forwarded: the id was returned in this epoch, and within an epoch tables are only added.
        unsafe { self.tables.get_unchecked(id.index()) }
    }

    /// Returns the address of the column of a type in a table; `None` if the table does not exist or does not have the type. `O(1)`:
    /// usually reads one cell of a map.
    #[inline]
    pub(crate) fn column_of_slot(&self, id: TableId, slot: SlotAddress) -> Option<ColumnAddress> {
        // SAFETY: the map has columns of these tables only, which exist and are borrowed.
        unsafe { self.places.get(id, slot) }
    }

    /// Returns a table with a column of the type with this slot, and this column: see [`ColumnLookup::hint`].
    #[inline(always)]
    pub(crate) fn likely_column(&self, slot: SlotAddress) -> Option<(TableId, ColumnAddress)> {
        // SAFETY: the map has columns of these tables only, which exist and are borrowed.
        unsafe { self.places.hint(slot) }
    }

    /// Returns a table, if it exists.
    #[inline]
    pub(crate) fn find_mut(&mut self, id: TableId) -> Option<&mut Table> {
        self.tables.get_mut(id.index())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: TableId) -> &mut Table {
        &mut self.tables[id.index()]
    }

    /// Returns all tables, by number.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the table with this number.
    ///
    /// # Safety
    ///
    /// - This set of tables returned the id in the current epoch.
    #[inline]
    pub(crate) unsafe fn get_unchecked_mut(&mut self, id: TableId) -> &mut Table {
        debug_assert!(id.index() < self.tables.len());
        // SAFETY: forwarded: the id was returned in this epoch, and within an epoch tables are only added.
        unsafe { self.tables.get_unchecked_mut(id.index()) }
    }

    /// Two different tables.
    ///
    /// # Safety
    ///
    /// - This set of tables returned both ids in the current epoch, and the ids differ.
    #[inline]
    pub(crate) unsafe fn get_two_mut(&mut self, a: TableId, b: TableId) -> (&mut Table, &mut Table) {
        debug_assert!(a != b && a.index().max(b.index()) < self.tables.len());
        // SAFETY: forwarded: the ids were returned in this epoch and differ, and within an epoch tables are only added.
        let [a, b] = unsafe { self.tables.get_disjoint_unchecked_mut([a.index(), b.index()]) };
        (a, b)
    }

    /// Returns all tables, in the order of their ids.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert_eq!(world.tables().iter().map(|table| table.len()).sum::<usize>(), 1);
    /// ```
    pub fn iter(&self) -> slice::Iter<'_, Table> {
        self.tables.iter()
    }

    /// Returns the tables with a component, in ascending order. Tables with an id below `from` are left out. `O(log tables)`.
    pub(crate) fn with(&self, component: ComponentId, from: usize) -> &[TableId] {
        let with = self.with_component.get(component.index()).map_or(&[][..], Vec::as_slice);
        &with[with.partition_point(|table| table.index() < from)..]
    }

    pub(crate) fn iter_mut(&mut self) -> slice::IterMut<'_, Table> {
        self.tables.iter_mut()
    }

    /// Returns the table for a set of components, and creates it if necessary. The components must be in ascending order and without
    /// duplicates.
    pub(crate) fn find_or_create(&mut self, ids: &[ComponentId], components: &Components) -> TableId {
        debug_assert!(ids.is_sorted_by(|a, b| a < b));
        if let Some(&id) = self.by_components.get(ids) {
            return id;
        }
        let count = u32::try_from(self.tables.len()).unwrap_or(u32::MAX);
        assert!(count < TableId::LIMIT, "a world cannot have more than {} tables", TableId::LIMIT);
        let id = TableId(count);
        let ids: Box<[ComponentId]> = ids.into();
        let table = Table::new(id, ids.clone(), components, self.in_all);
        if let Some(last) = ids.last().filter(|last| self.with_component.len() <= last.index()) {
            self.with_component.resize_with(last.index() + 1, Vec::new);
        }
        ids.iter().for_each(|component| self.with_component[component.index()].reserve(1));
        self.by_components.reserve(1);
        // SAFETY: the map has columns of these tables only, which exist and are borrowed.
        unsafe { self.places.reserve(ids.len()) };
        // `push` comes first: if its allocation fails and it panics, the table is not listed anywhere.
        self.tables.push(table);
        ids.iter().for_each(|component| self.with_component[component.index()].push(id));
        // SAFETY: the map has columns of these tables only, which exist and are borrowed.
        unsafe { self.tables[id.index()].enter_places(&mut self.places) };
        self.by_components.insert(ids, id);
        self.generation += 1;
        id
    }
}

impl_into_iter!(['a] &'a Tables => &'a [Table], |this| &*this.tables);
