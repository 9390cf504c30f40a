//! Where the column of a type is in a table: one map for all tables of a world, so that a look-up reads one cell.
//!
//! A column is found by the number of a table and the address of a type's slot. Both are at hand without reading memory; the number of a
//! type is not, and the compiler reads it anew each time, since another thread may assign it. The map is probed linearly; at most a
//! quarter of its cells, whose number is a power of two, are used. Single keys are never removed. Most types are in one table: a second,
//! smaller map, the front, leads from a type alone to that table and the column.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::alloc_error::{AllocError, or_raise, try_reserve_exact};
use crate::column::ColumnAddress;
use crate::component::SlotAddress;
use crate::entity::TableId;

/// There are at least as many cells for each column.
const LOAD: usize = 4;

/// How many cells the front has at most.
const LARGEST_FRONT: usize = 1024;

#[derive(Clone, Copy)]
struct Cell {
    /// The column, which knows the slot of its type; in an unused cell one that no table has.
    column: ColumnAddress,
    /// [`TableId::UNUSED`] in an unused cell.
    table: TableId,
}

impl Cell {
    const UNUSED: Self = Self { column: ColumnAddress::OF_NO_TABLE, table: TableId::UNUSED };
}

/// Cells whose number is a power of two, so that there is at least one.
struct Cells {
    cells: Box<[Cell]>,
    /// The distance in bytes from the first cell to the last one.
    mask: u32,
}

impl Cells {
    /// Unused cells.
    fn new(count: usize) -> Result<Self, AllocError> {
        const { assert!(size_of::<Cell>().is_power_of_two()) };
        assert!(count.is_power_of_two() && count <= 1 << 27, "a world has too many columns");
        let mut cells = Vec::new();
        try_reserve_exact(&mut cells, count)?;
        cells.resize(count, Cell::UNUSED);
        Ok(Self { cells: cells.into_boxed_slice(), mask: ((count - 1) * size_of::<Cell>()) as u32 })
    }

    /// The cell to which a hash leads: only the bits of the mask count.
    #[inline(always)]
    fn at(&self, hash: u32) -> Cell {
        let distance = (hash & self.mask) as usize;
        // SAFETY: distance <= mask, so it is within the cells; and since their size and number are powers of two, it is the distance to
        // the beginning of a cell.
        unsafe { *self.cells.as_ptr().byte_add(distance) }
    }

    /// The same cell, to change it.
    fn at_mut(&mut self, hash: u32) -> &mut Cell {
        &mut self.cells[(hash & self.mask) as usize / size_of::<Cell>()]
    }
}

/// The hash that leads to the first cell in which a column may be.
#[inline]
fn first(table: TableId, slot: SlotAddress) -> u32 {
    table.0.wrapping_mul(0x9E37_79B1).wrapping_add(slot.lower()).wrapping_mul(0x85EB_CA77)
}

/// The hash that leads to the next cell.
#[inline]
fn next(hash: u32) -> u32 {
    hash.wrapping_add(size_of::<Cell>() as u32)
}

/// The hash that leads to the cell of a type in a front.
#[inline]
fn in_front(slot: SlotAddress) -> u32 {
    slot.lower().wrapping_mul(0x85EB_CA77)
}

/// What a search finds in a cell.
enum Found {
    Column(ColumnAddress),
    /// The search is at its end.
    Nothing,
    /// Another column.
    Other,
}

/// The columns of all tables, by table and by the slot of the type, for types that have one.
pub(crate) struct ColumnPlaces {
    /// At least one is unused.
    cells: Cells,
    len: usize,
    /// By type: a table that has it. There may be several types that would have a cell, and one of them has it. A cell whose
    /// table is [`TableId::UNUSED`] has the column of a type that several tables have.
    front: Cells,
}

impl_default!([] ColumnPlaces => or_raise(Self::with_cells(1)));

/// The columns, while their tables exist and are not being changed.
#[derive(Clone, Copy)]
struct Living<'a>(&'a ColumnPlaces);

impl Living<'_> {
    /// Whether a column is of the type with this slot.
    #[inline(always)]
    fn has_slot(self, column: ColumnAddress, slot: SlotAddress) -> bool {
        // SAFETY: the column is one of a table, or the one that no table has, which is always there.
        unsafe { column.column() }.slot() == Some(slot)
    }

    /// What is in the cell to which a hash leads.
    #[inline(always)]
    fn column_at(self, hash: u32, table: TableId, slot: SlotAddress) -> Found {
        let cell = self.0.cells.at(hash);
        match cell.table {
            _ if cell.table == table && self.has_slot(cell.column, slot) => Found::Column(cell.column),
            TableId::UNUSED => Found::Nothing,
            _ => Found::Other,
        }
    }

    /// The column of a type in a table, past a cell that another column has. It is compiled where it is called: there the compiler sees
    /// that nothing is written, and a loop over entities reads the books once.
    #[cold]
    #[inline]
    fn find_past(self, mut hash: u32, table: TableId, slot: SlotAddress) -> Option<ColumnAddress> {
        loop {
            hash = next(hash);
            match self.column_at(hash, table, slot) {
                Found::Column(column) => return Some(column),
                Found::Nothing => return None,
                Found::Other => {}
            }
        }
    }
}

impl ColumnPlaces {
    fn with_cells(count: usize) -> Result<Self, AllocError> {
        Ok(Self { cells: Cells::new(count)?, len: 0, front: Cells::new(count.min(LARGEST_FRONT))? })
    }

    /// # Safety
    ///
    /// - The tables of the columns exist and are not being changed as long as the result is used.
    #[inline(always)]
    unsafe fn living(&self) -> Living<'_> {
        Living(self)
    }

    /// A table that has a type, as a rule the only one, and its column there. It is found without an entity, so nothing waits until the
    /// place of one has come from memory. There may be such a table and `None` all the same, or a column of the type with
    /// [`TableId::UNUSED`], in which no entity is.
    ///
    /// # Safety
    ///
    /// - The tables of the columns exist and are not being changed.
    #[inline(always)]
    pub(crate) unsafe fn likely(&self, slot: SlotAddress) -> Option<(TableId, ColumnAddress)> {
        let Cell { column, table } = self.front.at(in_front(slot));
        // SAFETY: the tables exist and are not being changed (the caller's promise).
        unsafe { self.living() }.has_slot(column, slot).then_some((table, column))
    }

    /// Where the column of a type is in a table. Nothing for a table that does not exist.
    ///
    /// # Safety
    ///
    /// - The tables of the columns exist and are not being changed.
    #[inline]
    pub(crate) unsafe fn get(&self, table: TableId, slot: SlotAddress) -> Option<ColumnAddress> {
        let hash = first(table, slot);
        // SAFETY: the tables exist and are not being changed (the caller's promise).
        let living = unsafe { self.living() };
        match living.column_at(hash, table, slot) {
            Found::Column(column) => Some(column),
            Found::Nothing => None,
            Found::Other => living.find_past(hash, table, slot),
        }
    }

    /// Makes room for more columns.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`].
    pub(crate) unsafe fn reserve(&mut self, additional: usize) {
        let needed = (self.len + additional) * LOAD;
        if needed > self.cells.cells.len() {
            let larger = Self::with_cells(needed.next_power_of_two()).unwrap_or_else(|error| error.raise());
            // SAFETY: the tables exist and are not being changed (the caller's promise).
            unsafe { self.move_to(larger) };
        }
    }

    /// Gives back the room for columns that are not there. If there is no memory for the smaller map it stays as it was.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`].
    pub(crate) unsafe fn shrink_to_fit(&mut self) {
        let needed = (self.len * LOAD).next_power_of_two();
        if needed < self.cells.cells.len()
            && let Ok(smaller) = Self::with_cells(needed)
        {
            // SAFETY: the tables exist and are not being changed (the caller's promise).
            unsafe { self.move_to(smaller) };
        }
    }

    /// Takes the cells of an empty map instead of its own.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`].
    unsafe fn move_to(&mut self, mut other: Self) {
        for cell in self.cells.cells.iter().filter(|cell| cell.table != TableId::UNUSED) {
            // SAFETY: the tables exist and are not being changed (the caller's promise).
            let column = unsafe { cell.column.column() };
            if let Some(slot) = column.slot() {
                // SAFETY: the tables exist and are not being changed (the caller's promise).
                unsafe { other.insert(cell.table, slot, cell.column) };
            }
        }
        *self = other;
    }

    /// Adds a column that is not in the map yet. There is room for it.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`].
    pub(crate) unsafe fn insert(&mut self, table: TableId, slot: SlotAddress, column: ColumnAddress) {
        debug_assert!(table != TableId::UNUSED && (self.len + 1) * LOAD <= self.cells.cells.len());
        let mut hash = first(table, slot);
        while self.cells.at(hash).table != TableId::UNUSED {
            hash = next(hash);
        }
        *self.cells.at_mut(hash) = Cell { column, table };
        self.len += 1;
        let known = self.front.at(in_front(slot)).column;
        // SAFETY: the tables exist and are not being changed (the caller's promise).
        let is_same = unsafe { self.living() }.has_slot(known, slot);
        let front = self.front.at_mut(in_front(slot));
        match front.table {
            _ if is_same => front.table = TableId::UNUSED,
            TableId::UNUSED => *front = Cell { column, table },
            _ => {}
        }
    }

    /// Forgets all columns. The room for them stays.
    pub(crate) fn clear(&mut self) {
        self.cells.cells.fill(Cell::UNUSED);
        self.front.cells.fill(Cell::UNUSED);
        self.len = 0;
    }

    /// The bytes that the map has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        size_of_val(&*self.cells.cells) + size_of_val(&*self.front.cells)
    }
}
