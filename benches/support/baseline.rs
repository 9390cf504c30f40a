//! Baselines that know the components in advance: one vector per component and an index of entities.
//!
//! The stores guarantee what the library guarantees (ids are checked against a generation, rows stay packed, despawning by id), and no
//! more: no queries, no components added later, no drop glue, no archetypes other than the planned ones.

use super::data::{Body, Position, Rotation, Transform, Velocity};

/// An entity of the baseline: 8 bytes, as the library's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id {
    pub(super) index: u32,
    pub(super) generation: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    generation: u32,
    row: u32,
}

/// The row of each id, and the free ids.
#[derive(Debug, Default)]
pub(super) struct Index {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Index {
    #[inline(always)]
    pub(super) fn claim(&mut self, row: u32) -> Id {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.row = row;
            return Id { index, generation: slot.generation };
        }
        let index = self.slots.len() as u32;
        self.slots.push(Slot { generation: 1, row });
        Id { index, generation: 1 }
    }

    #[inline(always)]
    pub(super) fn row(&self, id: Id) -> Option<usize> {
        let slot = self.slots.get(id.index as usize)?;
        (slot.generation == id.generation).then_some(slot.row as usize)
    }

    #[inline(always)]
    pub(super) fn release(&mut self, id: Id) {
        self.slots[id.index as usize].generation += 1;
        self.free.push(id.index);
    }

    /// The entity has moved to another row.
    #[inline(always)]
    pub(super) fn relocate(&mut self, id: Id, row: usize) {
        self.slots[id.index as usize].row = row as u32;
    }
}

/// Entities that all have the four components of a [`Body`].
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    index: Index,
    ids: Vec<Id>,
    transforms: Vec<Transform>,
    pub(crate) positions: Vec<Position>,
    rotations: Vec<Rotation>,
    pub(crate) velocities: Vec<Velocity>,
}

impl Bodies {
    /// A store that has room for `count` entities.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self {
            index: Index { slots: Vec::with_capacity(count), free: Vec::new() },
            ids: Vec::with_capacity(count),
            transforms: Vec::with_capacity(count),
            positions: Vec::with_capacity(count),
            rotations: Vec::with_capacity(count),
            velocities: Vec::with_capacity(count),
        }
    }

    #[inline(always)]
    pub(crate) fn spawn(&mut self, (transform, position, rotation, velocity): Body) -> Id {
        let id = self.index.claim(self.ids.len() as u32);
        self.ids.push(id);
        self.transforms.push(transform);
        self.positions.push(position);
        self.rotations.push(rotation);
        self.velocities.push(velocity);
        id
    }

    #[inline(always)]
    pub(crate) fn despawn(&mut self, id: Id) -> bool {
        let Some(row) = self.index.row(id) else { return false };
        self.index.release(id);
        self.ids.swap_remove(row);
        self.transforms.swap_remove(row);
        self.positions.swap_remove(row);
        self.rotations.swap_remove(row);
        self.velocities.swap_remove(row);
        if let Some(&moved) = self.ids.get(row) {
            self.index.relocate(moved, row);
        }
        true
    }

    /// Removes all entities and keeps the capacity.
    pub(crate) fn clear(&mut self) {
        for &id in &self.ids {
            self.index.release(id);
        }
        self.ids.clear();
        self.transforms.clear();
        self.positions.clear();
        self.rotations.clear();
        self.velocities.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    #[inline(always)]
    pub(crate) fn position(&self, id: Id) -> Option<&Position> {
        self.positions.get(self.index.row(id)?)
    }
}
