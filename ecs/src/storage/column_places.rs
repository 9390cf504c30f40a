//! Finds the column of a type in a table. All tables of a world share one map, so that a lookup reads one cell.
//!
//! The key is the table id and the address of the type's slot. Both are known without a memory access. The component id is not part of the
//! key: the compiler would load it each time, since another thread may assign it. The map uses linear probing. The number of its cells is a
//! power of two, and at most a quarter of them are used. Single keys are never removed. Most types are in one table only. A second, smaller
//! map, the *front*, finds this table and the column by the type alone.
//!
//! Tests: tests/storage/lookup.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::component::SlotAddress;
use crate::entity::TableId;
use crate::storage::column::ColumnAddress;
use crate::util::alloc_error::{AllocError, or_raise, try_reserve_exact};

/// Minimum number of cells per column.
const LOAD: usize = 4;

/// Maximum number of cells in the front.
const LARGEST_FRONT: usize = 1024;

#[derive(Clone, Copy)]
struct LookupCell {
    /// The address of the column, which stores the address of the slot of its type. In an unused cell this is the address of a column that
    /// belongs to no table.
    column: ColumnAddress,
    /// The table of the column; [`TableId::UNUSED`] in an unused cell.
    table: TableId,
}

impl LookupCell {
    const UNUSED: Self = Self { column: ColumnAddress::OF_NO_TABLE, table: TableId::UNUSED };
}

/// The cells of a map. Their number is a power of two, so there is at least one cell.
struct LookupCells {
    cells: Box<[LookupCell]>,
    /// The distance in bytes from the first cell to the last cell.
    mask: u32,
}

impl LookupCells {
    /// Allocates unused cells.
    fn new(count: usize) -> Result<Self, AllocError> {
        const { assert!(size_of::<LookupCell>().is_power_of_two()) };
        assert!(count.is_power_of_two() && count <= 1 << 27, "a world has too many columns");
        let mut cells = Vec::new();
        try_reserve_exact(&mut cells, count)?;
        cells.resize(count, LookupCell::UNUSED);
        Ok(Self { cells: cells.into_boxed_slice(), mask: ((count - 1) * size_of::<LookupCell>()) as u32 })
    }

    /// Returns the cell for a hash. Only the bits of the mask are used.
    #[inline(always)]
    fn at(&self, hash: u32) -> LookupCell {
        let distance = (hash & self.mask) as usize;
        // SAFETY: distance <= mask, so it is within the cells; since the size and number of cells are powers of two, it is the
        // offset of the beginning of a cell.
        unsafe { *self.cells.as_ptr().byte_add(distance) }
    }

    /// Returns the cell for a hash, borrowed mutably.
    fn at_mut(&mut self, hash: u32) -> &mut LookupCell {
        &mut self.cells[(hash & self.mask) as usize / size_of::<LookupCell>()]
    }
}

/// Returns the hash of the first cell in which a column may be.
#[inline]
fn first(table: TableId, slot: SlotAddress) -> u32 {
    table.0.wrapping_mul(0x9E37_79B1).wrapping_add(slot.lower()).wrapping_mul(0x85EB_CA77)
}

/// Returns the hash of the next cell.
#[inline]
fn next(hash: u32) -> u32 {
    hash.wrapping_add(size_of::<LookupCell>() as u32)
}

/// Returns the hash of the cell of a type in the front.
#[inline]
fn in_front(slot: SlotAddress) -> u32 {
    slot.lower().wrapping_mul(0x85EB_CA77)
}

/// The result of comparing one cell with a key.
enum CellContent {
    Column(ColumnAddress),
    /// An unused cell, which ends the search.
    Nothing,
    /// The cell of another column.
    Other,
}

/// A map to the columns of all tables. The key is the table and the slot of the type. Types without a slot are not in the map.
pub(crate) struct ColumnLookup {
    /// The cells of the map. At least one cell is unused.
    cells: LookupCells,
    len: usize,
    /// Leads from a type to a table with the type. If the hashes of several types are equal, one of the types uses the cell. If several
    /// tables have the type, the table in the cell is [`TableId::UNUSED`], and the column is a column of the type.
    front: LookupCells,
}

impl_default!([] ColumnLookup => or_raise(Self::with_cells(1)));

/// Proof that the tables of all columns of a map exist and are not being changed.
#[derive(Clone, Copy)]
struct LivingColumns<'a>(&'a ColumnLookup);

impl LivingColumns<'_> {
    /// Returns whether a column belongs to the type with this slot.
    #[inline(always)]
    fn has_slot(self, column: ColumnAddress, slot: SlotAddress) -> bool {
        // SAFETY: the column belongs to a table, or is the static column that belongs to no table.
        unsafe { column.column() }.slot() == Some(slot)
    }

    /// Compares the cell for a hash with a table and slot.
    #[inline(always)]
    fn column_at(self, hash: u32, table: TableId, slot: SlotAddress) -> CellContent {
        let cell = self.0.cells.at(hash);
        match cell.table {
            _ if cell.table == table && self.has_slot(cell.column, slot) => CellContent::Column(cell.column),
            TableId::UNUSED => CellContent::Nothing,
            _ => CellContent::Other,
        }
    }

    /// Searches for the column of a type in a table. The search starts after the cell for `hash`, which another column uses. The function
    /// is inlined into the caller, so that the compiler sees that it writes nothing, and hoists the loads of the map out of loops over
    /// entities.
    #[cold]
    #[inline]
    fn find_past(self, mut hash: u32, table: TableId, slot: SlotAddress) -> Option<ColumnAddress> {
        loop {
            hash = next(hash);
            match self.column_at(hash, table, slot) {
                CellContent::Column(column) => return Some(column),
                CellContent::Nothing => return None,
                CellContent::Other => {}
            }
        }
    }
}

impl ColumnLookup {
    fn with_cells(count: usize) -> Result<Self, AllocError> {
        Ok(Self { cells: LookupCells::new(count)?, len: 0, front: LookupCells::new(count.min(LARGEST_FRONT))? })
    }

    /// # Safety
    ///
    /// - The tables of the columns exist and are not being changed while the result is used.
    #[inline(always)]
    unsafe fn living(&self) -> LivingColumns<'_> {
        LivingColumns(self)
    }

    /// Returns a table with a column of a type, and this column. Usually it is the only such table. The lookup does not need the location
    /// of an entity, so it does not wait until the location is loaded. If several tables have the type, returns [`TableId::UNUSED`], which
    /// is the table of no entity. May return `None` even if a table has the type.
    ///
    /// # Safety
    ///
    /// - The tables of the columns exist and are not being changed.
    #[inline(always)]
    pub(crate) unsafe fn hint(&self, slot: SlotAddress) -> Option<(TableId, ColumnAddress)> {
        let LookupCell { column, table } = self.front.at(in_front(slot));
        // SAFETY: forwarded: the tables exist and are not being changed.
        unsafe { self.living() }.has_slot(column, slot).then_some((table, column))
    }

    /// Returns the address of the column of a type in a table; `None` if the table has no such column or does not exist.
    ///
    /// # Safety
    ///
    /// - The tables of the columns exist and are not being changed.
    #[inline]
    pub(crate) unsafe fn get(&self, table: TableId, slot: SlotAddress) -> Option<ColumnAddress> {
        let hash = first(table, slot);
        // SAFETY: forwarded: the tables exist and are not being changed.
        let living = unsafe { self.living() };
        match living.column_at(hash, table, slot) {
            CellContent::Column(column) => Some(column),
            CellContent::Nothing => None,
            CellContent::Other => living.find_past(hash, table, slot),
        }
    }

    /// Makes room for more columns.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ColumnLookup::get`].
    pub(crate) unsafe fn reserve(&mut self, additional: usize) {
        let needed = (self.len + additional) * LOAD;
        if needed > self.cells.cells.len() {
            let larger = Self::with_cells(needed.next_power_of_two()).unwrap_or_else(|error| error.raise());
            // SAFETY: forwarded: the tables exist and are not being changed.
            unsafe { self.move_to(larger) };
        }
    }

    /// Releases unused memory. If the allocation of the smaller map fails, the map is unchanged.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ColumnLookup::get`].
    pub(crate) unsafe fn shrink_to_fit(&mut self) {
        let needed = (self.len * LOAD).next_power_of_two();
        if needed < self.cells.cells.len()
            && let Ok(smaller) = Self::with_cells(needed)
        {
            // SAFETY: forwarded: the tables exist and are not being changed.
            unsafe { self.move_to(smaller) };
        }
    }

    /// Moves all entries to `other`, an empty map, and replaces this map by it.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ColumnLookup::get`].
    unsafe fn move_to(&mut self, mut other: Self) {
        for cell in self.cells.cells.iter().filter(|cell| cell.table != TableId::UNUSED) {
            // SAFETY: forwarded: the tables exist and are not being changed.
            let column = unsafe { cell.column.column() };
            if let Some(slot) = column.slot() {
                // SAFETY: forwarded: the tables exist and are not being changed.
                unsafe { other.insert(cell.table, slot, cell.column) };
            }
        }
        *self = other;
    }

    /// Adds a column that is not in the map yet. There must be room for it.
    ///
    /// # Safety
    ///
    /// - The conditions of [`ColumnLookup::get`].
    pub(crate) unsafe fn insert(&mut self, table: TableId, slot: SlotAddress, column: ColumnAddress) {
        debug_assert!(table != TableId::UNUSED && (self.len + 1) * LOAD <= self.cells.cells.len());
        let mut hash = first(table, slot);
        while self.cells.at(hash).table != TableId::UNUSED {
            hash = next(hash);
        }
        *self.cells.at_mut(hash) = LookupCell { column, table };
        self.len += 1;
        let known = self.front.at(in_front(slot)).column;
        // SAFETY: forwarded: the tables exist and are not being changed.
        let is_same = unsafe { self.living() }.has_slot(known, slot);
        let front = self.front.at_mut(in_front(slot));
        match front.table {
            _ if is_same => front.table = TableId::UNUSED,
            TableId::UNUSED => *front = LookupCell { column, table },
            _ => {}
        }
    }

    /// Removes all columns and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.cells.cells.fill(LookupCell::UNUSED);
        self.front.cells.fill(LookupCell::UNUSED);
        self.len = 0;
    }

    /// Returns the number of bytes that the map has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        size_of_val(&*self.cells.cells) + size_of_val(&*self.front.cells)
    }
}
