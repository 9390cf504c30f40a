//! Lower limits of the cost of structural changes: the work by hand, without bookkeeping ("bare"), and with the bookkeeping of a library
//! that knows no entity and no table in advance ("honest").

use super::baseline::Id;
use super::data::{Body, Extra, Position, Rotation, Transform, Velocity};
use super::shapes::Columns;
use super::{Contestant, Sample};

/// Name of the limit without bookkeeping; the table of ratios looks it up.
pub(super) fn bare(prepare: fn() -> Sample) -> Contestant {
    Contestant::new("bare limit by hand", None, prepare)
}

/// Name of the limit with the library's bookkeeping; the table of ratios looks it up.
pub(super) fn honest(prepare: fn() -> Sample) -> Contestant {
    Contestant::new("honest limit by hand", None, prepare)
}

/// The columns of a table: one vector for each component.
pub(crate) trait Vectors: Default {
    type Row;

    fn reserve(&mut self, rows: usize);

    fn push(&mut self, row: Self::Row);

    /// Removes a row; the last row takes its place.
    fn swap_remove(&mut self, row: usize) -> Self::Row;

    fn clear(&mut self);
}

/// The columns of [`Body`].
#[derive(Debug, Default)]
pub(crate) struct BodyColumns {
    transforms: Vec<Transform>,
    positions: Vec<Position>,
    rotations: Vec<Rotation>,
    velocities: Vec<Velocity>,
}

impl Vectors for BodyColumns {
    type Row = Body;

    fn reserve(&mut self, rows: usize) {
        self.transforms.reserve(rows);
        self.positions.reserve(rows);
        self.rotations.reserve(rows);
        self.velocities.reserve(rows);
    }

    #[inline(always)]
    fn push(&mut self, (transform, position, rotation, velocity): Body) {
        self.transforms.push(transform);
        self.positions.push(position);
        self.rotations.push(rotation);
        self.velocities.push(velocity);
    }

    #[inline(always)]
    fn swap_remove(&mut self, row: usize) -> Body {
        let (transform, position) = (self.transforms.swap_remove(row), self.positions.swap_remove(row));
        (transform, position, self.rotations.swap_remove(row), self.velocities.swap_remove(row))
    }

    fn clear(&mut self) {
        self.transforms.clear();
        self.positions.clear();
        self.rotations.clear();
        self.velocities.clear();
    }
}

/// Vectors, and the row of each id. Every id is trusted, and no index is reused.
#[derive(Debug, Default)]
pub(crate) struct Bare<C> {
    rows: Vec<u32>,
    ids: Vec<u64>,
    pub(super) columns: C,
}

impl<C: Vectors> Bare<C> {
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let mut columns = C::default();
        columns.reserve(rows);
        Self { rows: Vec::with_capacity(rows), ids: Vec::with_capacity(rows), columns }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    #[inline(always)]
    pub(crate) fn spawn(&mut self, row: C::Row) -> u64 {
        let id = self.rows.len() as u64;
        self.rows.push(self.ids.len() as u32);
        self.ids.push(id);
        self.columns.push(row);
        id
    }

    #[inline(always)]
    pub(crate) fn despawn(&mut self, id: u64) {
        let row = self.rows[id as usize] as usize;
        self.ids.swap_remove(row);
        self.columns.swap_remove(row);
        if let Some(&moved) = self.ids.get(row) {
            self.rows[moved as usize] = row as u32;
        }
    }

    /// Removes the entry of the last id, which has been despawned.
    #[inline(always)]
    pub(crate) fn forget_last(&mut self) {
        self.rows.pop();
    }

    /// Removes everything and keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.ids.clear();
        self.columns.clear();
    }
}

/// The location and generation of an index.
#[derive(Clone, Copy, Debug)]
struct Place {
    generation: u32,
    /// [`NOWHERE`] if the index is free.
    table: u32,
    row: u32,
}

const NOWHERE: u32 = u32::MAX;

/// The entities of a table.
#[derive(Debug, Default)]
struct Rows<C> {
    ids: Vec<Id>,
    columns: C,
}

/// Any number of tables, ids with generations and reused indexes, and one table of locations. Nothing about a table is known before it is
/// looked up.
#[derive(Debug)]
pub(crate) struct Honest<C> {
    places: Vec<Place>,
    free: Vec<u32>,
    live: usize,
    tables: Vec<Rows<C>>,
}

impl<C: Vectors> Default for Honest<C> {
    fn default() -> Self {
        let tables = vec![Rows::default(), Rows::default()];
        Self { places: Vec::new(), free: Vec::new(), live: 0, tables }
    }
}

impl<C: Vectors> Honest<C> {
    /// The index of the table for entities that have these columns.
    pub(crate) const TABLE: u32 = 1;

    pub(crate) fn len(&self) -> usize {
        self.live
    }

    #[inline(always)]
    pub(crate) fn spawn(&mut self, table: u32, row: C::Row) -> Id {
        let to = &mut self.tables[table as usize];
        let at = to.ids.len() as u32;
        let id = match self.free.pop() {
            Some(index) => {
                let place = &mut self.places[index as usize];
                (place.table, place.row) = (table, at);
                Id { index, generation: place.generation }
            }
            None => {
                let index = self.places.len() as u32;
                self.places.push(Place { generation: 1, table, row: at });
                Id { index, generation: 1 }
            }
        };
        self.live += 1;
        to.ids.push(id);
        to.columns.push(row);
        id
    }

    /// Despawns an entity, if it is alive. The values are dropped after the bookkeeping is updated.
    #[inline(always)]
    pub(crate) fn despawn(&mut self, id: Id) -> bool {
        let Some(&place) = self.places.get(id.index as usize) else { return false };
        if place.generation != id.generation || place.table == NOWHERE {
            return false;
        }
        let (from, row) = (&mut self.tables[place.table as usize], place.row as usize);
        from.ids.swap_remove(row);
        let values = from.columns.swap_remove(row);
        if let Some(moved) = from.ids.get(row) {
            self.places[moved.index as usize].row = place.row;
        }
        self.places[id.index as usize] = Place { generation: place.generation.wrapping_add(1), table: NOWHERE, row: 0 };
        self.free.push(id.index);
        self.live -= 1;
        drop(values);
        true
    }

    /// Despawns all entities of a table and keeps the capacity.
    pub(crate) fn clear(&mut self, table: u32) {
        let table = &mut self.tables[table as usize];
        for id in &table.ids {
            let place = &mut self.places[id.index as usize];
            *place = Place { generation: place.generation.wrapping_add(1), table: NOWHERE, row: 0 };
            self.free.push(id.index);
        }
        self.live -= table.ids.len();
        table.ids.clear();
        table.columns.clear();
    }
}

/// Entities with optional [`Extra`]s in addition to their fixed components. Every id is trusted.
#[derive(Debug, Default)]
pub(crate) struct BareShapes<C> {
    /// Table and row of each id.
    places: Vec<(u32, u32)>,
    plain_ids: Vec<u64>,
    plain: C,
    both_ids: Vec<u64>,
    both: C,
    extras: Vec<Extra>,
}

impl<C: Columns> BareShapes<C> {
    pub(crate) fn spawn(&mut self, row: C::Row) -> u64 {
        let id = self.places.len() as u64;
        self.places.push((0, self.plain_ids.len() as u32));
        self.plain_ids.push(id);
        self.plain.push(row);
        id
    }

    pub(crate) fn extras(&self) -> usize {
        self.extras.len()
    }

    /// The entity has no [`Extra`] yet.
    #[inline(always)]
    pub(crate) fn insert(&mut self, id: u64, extra: Extra) {
        let row = self.places[id as usize].1 as usize;
        self.plain_ids.swap_remove(row);
        self.plain.move_row(row, &mut self.both);
        if let Some(&moved) = self.plain_ids.get(row) {
            self.places[moved as usize].1 = row as u32;
        }
        self.places[id as usize] = (1, self.both_ids.len() as u32);
        self.both_ids.push(id);
        self.extras.push(extra);
    }

    /// The entity has an [`Extra`].
    #[inline(always)]
    pub(crate) fn remove(&mut self, id: u64) {
        let row = self.places[id as usize].1 as usize;
        self.both_ids.swap_remove(row);
        self.both.move_row(row, &mut self.plain);
        self.extras.swap_remove(row);
        if let Some(&moved) = self.both_ids.get(row) {
            self.places[moved as usize].1 = row as u32;
        }
        self.places[id as usize] = (0, self.plain_ids.len() as u32);
        self.plain_ids.push(id);
    }
}
