//! Stores by hand for entities that gain and lose one component.

use super::baseline::Id;
use super::data::{Extra, Heat, Kept, Mixed, Orientation, Position, Serial, Team, Transform};

/// The columns of the entities: one vector for each component.
pub(crate) trait Columns: Default {
    type Row: Copy;

    fn push(&mut self, row: Self::Row);

    /// Moves a row to the end of `to`; the last row takes its place.
    fn move_row(&mut self, row: usize, to: &mut Self);
}

impl Columns for Vec<Kept> {
    type Row = Kept;

    fn push(&mut self, kept: Kept) {
        self.push(kept);
    }

    #[inline(always)]
    fn move_row(&mut self, row: usize, to: &mut Self) {
        to.push(self.swap_remove(row));
    }
}

/// The columns of [`Mixed`].
#[derive(Debug, Default)]
pub(crate) struct MixedColumns {
    heats: Vec<Heat>,
    positions: Vec<Position>,
    orientations: Vec<Orientation>,
    teams: Vec<Team>,
    serials: Vec<Serial>,
    transforms: Vec<Transform>,
}

impl Columns for MixedColumns {
    type Row = Mixed;

    fn push(&mut self, (heat, position, orientation, team, serial, transform): Mixed) {
        self.heats.push(heat);
        self.positions.push(position);
        self.orientations.push(orientation);
        self.teams.push(team);
        self.serials.push(serial);
        self.transforms.push(transform);
    }

    #[inline(always)]
    fn move_row(&mut self, row: usize, to: &mut Self) {
        to.heats.push(self.heats.swap_remove(row));
        to.positions.push(self.positions.swap_remove(row));
        to.orientations.push(self.orientations.swap_remove(row));
        to.teams.push(self.teams.swap_remove(row));
        to.serials.push(self.serials.swap_remove(row));
        to.transforms.push(self.transforms.swap_remove(row));
    }
}

/// Entities with an optional [`Extra`] in addition to their fixed components: two tables, and an index of table and row.
#[derive(Debug, Default)]
pub(crate) struct TwoShapes<C> {
    pub(super) slots: Vec<ShapeSlot>,
    pub(super) plain_ids: Vec<Id>,
    pub(super) plain: C,
    pub(super) both_ids: Vec<Id>,
    pub(super) both: C,
    pub(super) both_extra: Vec<Extra>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeSlot {
    generation: u32,
    pub(super) has_extra: bool,
    row: u32,
}

impl ShapeSlot {
    pub(super) fn locate(&mut self, has_extra: bool, row: usize) {
        (self.has_extra, self.row) = (has_extra, row as u32);
    }
}

impl<C: Columns> TwoShapes<C> {
    pub(crate) fn spawn(&mut self, row: C::Row) -> Id {
        let id = Id { index: self.slots.len() as u32, generation: 1 };
        self.slots.push(ShapeSlot { generation: 1, has_extra: false, row: self.plain_ids.len() as u32 });
        self.plain_ids.push(id);
        self.plain.push(row);
        id
    }

    /// The number of entities with an [`Extra`].
    pub(crate) fn extras(&self) -> usize {
        self.both_extra.len()
    }

    #[inline(always)]
    fn slot(&self, id: Id) -> Option<ShapeSlot> {
        self.slots.get(id.index as usize).copied().filter(|slot| slot.generation == id.generation)
    }

    /// Adds an [`Extra`], or replaces the existing one.
    #[inline(always)]
    pub(crate) fn insert(&mut self, id: Id, extra: Extra) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        let row = slot.row as usize;
        if slot.has_extra {
            self.both_extra[row] = extra;
            return true;
        }
        self.plain_ids.swap_remove(row);
        self.plain.move_row(row, &mut self.both);
        if let Some(moved) = self.plain_ids.get(row) {
            self.slots[moved.index as usize].row = row as u32;
        }
        let slot = &mut self.slots[id.index as usize];
        (slot.has_extra, slot.row) = (true, self.both_ids.len() as u32);
        self.both_ids.push(id);
        self.both_extra.push(extra);
        true
    }

    /// Removes the [`Extra`] if there is one.
    #[inline(always)]
    pub(crate) fn remove(&mut self, id: Id) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        if !slot.has_extra {
            return true;
        }
        let row = slot.row as usize;
        self.both_ids.swap_remove(row);
        self.both.move_row(row, &mut self.plain);
        self.both_extra.swap_remove(row);
        if let Some(moved) = self.both_ids.get(row) {
            self.slots[moved.index as usize].row = row as u32;
        }
        let slot = &mut self.slots[id.index as usize];
        (slot.has_extra, slot.row) = (false, self.plain_ids.len() as u32);
        self.plain_ids.push(id);
        true
    }
}

/// The [`Extra`]s of entities whose other components are stored elsewhere and do not move: a sparse set.
#[derive(Debug, Default)]
pub(crate) struct SparseSet {
    slots: Vec<SetSlot>,
    ids: Vec<Id>,
    extras: Vec<Extra>,
}

#[derive(Clone, Copy, Debug)]
struct SetSlot {
    generation: u32,
    /// The position of the value, or [`NOWHERE`].
    place: u32,
}

const NOWHERE: u32 = u32::MAX;

impl SparseSet {
    pub(crate) fn spawn(&mut self) -> Id {
        let id = Id { index: self.slots.len() as u32, generation: 1 };
        self.slots.push(SetSlot { generation: 1, place: NOWHERE });
        id
    }

    /// The number of entities with an [`Extra`].
    pub(crate) fn extras(&self) -> usize {
        self.extras.len()
    }

    #[inline(always)]
    fn slot(&mut self, id: Id) -> Option<&mut SetSlot> {
        self.slots.get_mut(id.index as usize).filter(|slot| slot.generation == id.generation)
    }

    /// Adds an [`Extra`], or replaces the existing one.
    #[inline(always)]
    pub(crate) fn insert(&mut self, id: Id, extra: Extra) -> bool {
        let end = self.extras.len() as u32;
        let Some(slot) = self.slot(id) else { return false };
        if slot.place != NOWHERE {
            let place = slot.place as usize;
            self.extras[place] = extra;
            return true;
        }
        slot.place = end;
        self.ids.push(id);
        self.extras.push(extra);
        true
    }

    /// Removes the [`Extra`] if there is one.
    #[inline(always)]
    pub(crate) fn remove(&mut self, id: Id) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        if slot.place == NOWHERE {
            return true;
        }
        let place = slot.place as usize;
        slot.place = NOWHERE;
        self.ids.swap_remove(place);
        self.extras.swap_remove(place);
        if let Some(moved) = self.ids.get(place) {
            self.slots[moved.index as usize].place = place as u32;
        }
        true
    }
}
