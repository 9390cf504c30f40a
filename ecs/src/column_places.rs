//! Where the column of a type is in a table: one map for all tables of a world, so that a look-up reads one cell.
//!
//! A column is found by the number of a table and the address of a type's slot. Both are at hand without reading memory; the number of a
//! type is not, and the compiler reads it anew each time, since another thread may assign it. The map is probed linearly; at most a
//! quarter of its cells, whose number is a power of two, are used. Single keys are never removed. Most types are in one table: a second,
//! smaller map, the front, leads from a type alone to that table and the column.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::alloc_error::{AllocError, try_reserve_exact};
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

/// The distance in bytes, in a map with this mask, from the first cell to the one where the search begins.
#[inline]
fn first(table: TableId, slot: SlotAddress, mask: u32) -> u32 {
    table.0.wrapping_mul(0x9E37_79B1).wrapping_add(slot.lower()).wrapping_mul(0x85EB_CA77) & mask
}

/// The same in a front.
#[inline]
fn in_front(slot: SlotAddress, mask: u32) -> u32 {
    slot.lower().wrapping_mul(0x85EB_CA77) & mask
}

/// What a search finds in a cell.
enum Found {
    Column(ColumnAddress),
    /// The search is at its end.
    Nothing,
    /// Another column.
    Other,
}

/// The cell at a distance in bytes from the first one.
///
/// # Safety
///
/// - The cells are those of a map or of a front, and `at` is a number of which only the bits of their mask are kept.
#[inline(always)]
unsafe fn cell_at(cells: &[Cell], at: u32) -> Cell {
    debug_assert!((at as usize).is_multiple_of(size_of::<Cell>()) && (at as usize) < size_of_val(cells));
    // SAFETY: a number of which only the bits of the mask are kept is at most the mask, so it is within the cells; and
    // since their size and number are powers of two, it is the distance to the beginning of a cell.
    unsafe { *cells.as_ptr().byte_add(at as usize) }
}

/// What is in the cell at a distance in bytes from the first one.
///
/// # Safety
///
/// - As for [`cell_at`]; the cells are those of a map.
/// - The tables of the columns exist and are not being changed.
#[inline(always)]
unsafe fn column_at(cells: &[Cell], at: u32, table: TableId, slot: SlotAddress) -> Found {
    // SAFETY: the caller's promise.
    let cell = unsafe { cell_at(cells, at) };
    // SAFETY: the column is one of a table, or the one that no table has, which is always there; the caller's promise.
    if cell.table == table && unsafe { cell.column.column() }.slot() == Some(slot) {
        return Found::Column(cell.column);
    }
    if cell.table == TableId::UNUSED { Found::Nothing } else { Found::Other }
}

/// The columns of all tables, by table and by the slot of the type, for types that have one.
pub(crate) struct ColumnPlaces {
    /// Their number is a power of two, so there is at least one; and at least one is unused.
    cells: Box<[Cell]>,
    /// The distance in bytes from the first cell to the last one.
    mask: u32,
    len: usize,
    /// By type: a table that has it. There may be several types that would have a cell, and one of them has it. A cell whose
    /// table is [`TableId::UNUSED`] has the column of a type that several tables have.
    front: Box<[Cell]>,
    /// As `mask`, of the front.
    front_mask: u32,
}

impl Default for ColumnPlaces {
    fn default() -> Self {
        Self::with_cells(1)
    }
}

impl ColumnPlaces {
    fn with_cells(count: usize) -> Self {
        match Self::try_with_cells(count) {
            Ok(places) => places,
            Err(error) => error.raise(),
        }
    }

    fn try_with_cells(count: usize) -> Result<Self, AllocError> {
        const { assert!(size_of::<Cell>().is_power_of_two()) };
        assert!(count.is_power_of_two() && count <= 1 << 27, "a world has too many columns");
        let unused = |count: usize| {
            let mut cells = Vec::new();
            try_reserve_exact(&mut cells, count)?;
            cells.resize(count, Cell::UNUSED);
            Ok((cells.into_boxed_slice(), ((count - 1) * size_of::<Cell>()) as u32))
        };
        let (cells, mask) = unused(count)?;
        let (front, front_mask) = unused(count.min(LARGEST_FRONT))?;
        Ok(Self { cells, mask, len: 0, front, front_mask })
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
        // SAFETY: the number comes from `in_front`.
        let Cell { column, table } = unsafe { cell_at(&self.front, in_front(slot, self.front_mask)) };
        // SAFETY: the column is one of a table, or the one that no table has, which is always there; the caller's promise.
        (unsafe { column.column() }.slot() == Some(slot)).then_some((table, column))
    }

    /// Where the column of a type is in a table. Nothing for a table that does not exist.
    ///
    /// # Safety
    ///
    /// - The tables of the columns exist and are not being changed.
    #[inline]
    pub(crate) unsafe fn get(&self, table: TableId, slot: SlotAddress) -> Option<ColumnAddress> {
        let at = first(table, slot, self.mask);
        // SAFETY: the number comes from `first`; the caller's promise.
        match unsafe { column_at(&self.cells, at, table, slot) } {
            Found::Column(column) => Some(column),
            Found::Nothing => None,
            // SAFETY: the number comes from `first`; the caller's promise.
            Found::Other => unsafe { self.get_behind(at, table, slot) },
        }
    }

    /// As [`ColumnPlaces::get`], behind a cell that another column has. It is compiled where it is called: there the compiler sees that
    /// nothing is written, and a loop over entities reads the books once.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`]; `at` is a number of which only the bits of the mask are kept.
    #[cold]
    #[inline]
    unsafe fn get_behind(&self, mut at: u32, table: TableId, slot: SlotAddress) -> Option<ColumnAddress> {
        loop {
            at = at.wrapping_add(size_of::<Cell>() as u32) & self.mask;
            // SAFETY: only the bits of the mask are kept; the caller's promise.
            match unsafe { column_at(&self.cells, at, table, slot) } {
                Found::Column(column) => return Some(column),
                Found::Nothing => return None,
                Found::Other => {}
            }
        }
    }

    /// Makes room for more columns.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`].
    pub(crate) unsafe fn reserve(&mut self, additional: usize) {
        let needed = (self.len + additional) * LOAD;
        if needed > self.cells.len() {
            // SAFETY: the caller's promise.
            unsafe { self.move_to(Self::with_cells(needed.next_power_of_two())) };
        }
    }

    /// Gives back the room for columns that are not there. If there is no memory for the smaller map it stays as it was.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`].
    pub(crate) unsafe fn shrink_to_fit(&mut self) {
        let needed = (self.len * LOAD).next_power_of_two();
        if needed < self.cells.len()
            && let Ok(smaller) = Self::try_with_cells(needed)
        {
            // SAFETY: the caller's promise.
            unsafe { self.move_to(smaller) };
        }
    }

    /// Takes the cells of an empty map instead of its own.
    ///
    /// # Safety
    ///
    /// - As for [`ColumnPlaces::get`].
    unsafe fn move_to(&mut self, mut other: Self) {
        for cell in self.cells.iter().filter(|cell| cell.table != TableId::UNUSED) {
            // SAFETY: the caller's promise.
            if let Some(slot) = unsafe { cell.column.column() }.slot() {
                // SAFETY: the caller's promise.
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
        debug_assert!(table != TableId::UNUSED && (self.len + 1) * LOAD <= self.cells.len());
        let mask = self.cells.len() - 1;
        let mut at = first(table, slot, self.mask) as usize / size_of::<Cell>();
        while self.cells[at].table != TableId::UNUSED {
            at = (at + 1) & mask;
        }
        self.cells[at] = Cell { column, table };
        self.len += 1;
        let front = &mut self.front[in_front(slot, self.front_mask) as usize / size_of::<Cell>()];
        // SAFETY: the caller's promise.
        let is_same = unsafe { front.column.column() }.slot() == Some(slot);
        match front.table {
            _ if is_same => front.table = TableId::UNUSED,
            TableId::UNUSED => *front = Cell { column, table },
            _ => {}
        }
    }

    /// Forgets all columns. The room for them stays.
    pub(crate) fn clear(&mut self) {
        self.cells.fill(Cell::UNUSED);
        self.front.fill(Cell::UNUSED);
        self.len = 0;
    }

    /// The bytes that the map has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        size_of_val(&*self.cells) + size_of_val(&*self.front)
    }
}
