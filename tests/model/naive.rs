//! The naive world.

use std::collections::HashMap;

use strata_ecs::prelude::*;

use super::parts::{KINDS, REQUIRED, Row, carries, required_by};

/// What the real world must look like.
#[derive(Clone, Default, Debug)]
pub(crate) struct Naive {
    pub(crate) rows: HashMap<Entity, Row>,
    pub(crate) resource: Option<u32>,
}

/// The components of `mask`, made from `value`.
pub(crate) fn row_of(mask: u8, value: u32) -> Row {
    let mut row = [None; KINDS];
    for index in (0..KINDS).filter(|index| mask & (1 << index) != 0) {
        row[index] = Some(if carries(index) { value + index as u32 } else { 0 });
    }
    row
}

/// What the components of `mask` require comes along, as far as it is not there.
pub(crate) fn complete(row: &mut Row, mask: u8) {
    for index in (0..KINDS).filter(|index| required_by(mask) & (1 << index) != 0) {
        row[index].get_or_insert(if carries(index) { REQUIRED } else { 0 });
    }
}

/// The components that are there.
pub(crate) fn mask_of(row: &Row) -> u8 {
    (0..KINDS).filter(|&index| row[index].is_some()).fold(0, |mask, index| mask | 1 << index)
}

impl Naive {
    /// The components of `mask`, made from `value`, are given to a living entity.
    pub(crate) fn insert(&mut self, entity: Entity, mask: u8, value: u32) {
        if let Some(row) = self.rows.get_mut(&entity) {
            row.iter_mut().zip(row_of(mask, value)).for_each(|(old, new)| *old = new.or(*old));
            complete(row, mask);
        }
    }

    /// As `insert`, for the components that are not there.
    pub(crate) fn insert_if_new(&mut self, entity: Entity, mask: u8, value: u32) {
        let row = self.rows.get(&entity).copied().unwrap_or_default();
        self.insert(entity, mask & !mask_of(&row), value);
        self.rows.get_mut(&entity).into_iter().for_each(|row| complete(row, mask));
    }

    pub(crate) fn retain(&mut self, entity: Entity, mask: u8) {
        self.remove(entity, !mask);
    }

    pub(crate) fn spawn(&mut self, entity: Entity, mask: u8, value: u32) {
        let old = self.rows.insert(entity, [None; KINDS]);
        assert!(old.is_none(), "{entity:?} was handed out while it lived");
        self.insert(entity, mask, value);
    }

    pub(crate) fn remove(&mut self, entity: Entity, mask: u8) {
        if let Some(row) = self.rows.get_mut(&entity) {
            for index in (0..KINDS).filter(|index| mask & (1 << index) != 0) {
                row[index] = None;
            }
        }
    }

    /// The components of `mask`, if the entity lives and has them all; they are gone then.
    pub(crate) fn take(&mut self, entity: Entity, mask: u8) -> Option<Row> {
        let row = self.rows.get(&entity)?;
        let mut taken = [None; KINDS];
        for index in (0..KINDS).filter(|index| mask & (1 << index) != 0) {
            taken[index] = Some(row[index]?);
        }
        self.remove(entity, mask);
        Some(taken)
    }

    pub(crate) fn has(&self, entity: Entity, mask: u8) -> bool {
        self.rows
            .get(&entity)
            .is_some_and(|row| (0..KINDS).all(|index| mask & (1 << index) == 0 || row[index].is_some()))
    }

    /// How many values with a token can be reached.
    pub(crate) fn tokens(&self) -> usize {
        let in_rows: usize =
            self.rows.values().map(|row| (0..KINDS).filter(|i| carries(*i) && row[*i].is_some()).count()).sum();
        in_rows + usize::from(self.resource.is_some())
    }
}
