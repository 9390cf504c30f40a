//! Making many entities at once on both worlds.

use std::cell::Cell;

use strata_ecs::bundle::ColumnBundle;
use strata_ecs::prelude::*;
use strata_ecs::store::SpawnColumnsError;

use super::bulk::{Columns, Form, Place};
use super::faults::{call, survive};
use super::oracle::{complete, row_of};
use super::parts::{KINDS, Make, Mask, REPEATED, Row, with_bundle};
use super::run::{Effect, Promising, Run};

/// An index that is too far from all others.
const FAR: u32 = 1 << 24;

impl Columns {
    fn mask(&self) -> Mask {
        with_bundle!(self.kind, M => M::MASK)
    }

    /// How many rows there are; none if the columns are not equally long.
    fn len(&self) -> Option<usize> {
        let mask = self.mask();
        let mut lengths = (0..KINDS).filter(|index| mask & (1 << index) != 0).map(|index| self.rows.of(index));
        let first = lengths.next().unwrap_or(0);
        lengths.all(|length| length == first).then_some(first)
    }

    /// The components that have the same value in each row.
    fn repeated(&self) -> Mask {
        match self.form {
            Form::Tuple => REPEATED,
            Form::Batch { repeated, .. } => repeated,
        }
    }

    fn batch<M: Make>(&self) -> ColumnBatch {
        let mut batch = ColumnBatch::new();
        if matches!(self.form, Form::Batch { twice: true, .. }) {
            M::add_columns(&self.rows, !self.repeated(), &mut batch);
        }
        M::add_columns(&self.rows, self.repeated(), &mut batch);
        batch
    }
}

fn spawn(world: &mut World, columns: impl ColumnBundle) -> Option<Vec<Entity>> {
    world.spawn_columns(columns).map(Iterator::collect).ok()
}

impl Run {
    /// All rows or none.
    pub(crate) fn spawn_columns(&mut self, columns: &Columns) {
        let spawned = with_bundle!(columns.kind, M => survive(|| match columns.form {
            Form::Tuple => spawn(&mut self.world, M::columns(&columns.rows)),
            Form::Batch { .. } => spawn(&mut self.world, columns.batch::<M>()),
        }));
        let Some(spawned) = spawned else { return };
        assert_eq!(spawned.as_ref().map(Vec::len), columns.len());
        self.settle(&spawned.unwrap_or_default(), columns);
    }

    pub(crate) fn spawn_columns_at(&mut self, places: &[Place], missing: usize, columns: &Columns) {
        let mut columns = columns.clone();
        columns.rows.count = places.len() as u32;
        let mut ids = self.ids_of(places);
        ids.truncate(places.len().saturating_sub(missing));
        let outcome = with_bundle!(columns.kind, M => survive(|| match columns.form {
            Form::Tuple => self.world.spawn_columns_at(&ids, M::columns(&columns.rows)),
            Form::Batch { .. } => self.world.spawn_columns_at(&ids, columns.batch::<M>()),
        }));
        let Some(outcome) = outcome else { return };
        let legal = self.are_usable(places, &ids);
        match outcome {
            Ok(()) => {
                assert_eq!(columns.len(), Some(ids.len()));
                assert_ne!(legal, Some(false), "an id was taken that cannot be had");
                self.settle(&ids, &columns);
            }
            Err(SpawnColumnsError::Lengths(_)) => assert_eq!(columns.len(), None),
            Err(SpawnColumnsError::WrongCount { ids: found, rows }) => {
                assert_eq!((found, Some(rows)), (ids.len(), columns.len()));
                assert_ne!(found, rows);
            }
            Err(error) => {
                assert_eq!(columns.len(), Some(ids.len()), "{error}");
                assert_ne!(legal, Some(true), "{error}");
            }
        }
    }

    fn ids_of(&self, places: &[Place]) -> Vec<Entity> {
        let newest = self.ids.iter().map(|id| id.generation()).max().unwrap_or(0);
        let id = |index: u32, generation: u32| Entity::from_bits(u64::from(generation) << 32 | u64::from(index));
        let mut ids: Vec<Entity> = Vec::new();
        for place in places {
            ids.push(match *place {
                Place::Known(which) => self.pick(which),
                // An operation that was broken off may have used up some that were not seen.
                Place::Future { index } => id(index, newest + 100),
                Place::Any { index, generation } => id(index, generation),
                Place::Far => id(FAR, newest + 100),
                Place::Again => ids.last().map_or(Entity::PLACEHOLDER, |last| id(last.index(), newest + 101)),
            });
        }
        ids
    }

    /// Whether entities can have these ids; none if only the world knows which generations are past.
    fn are_usable(&self, places: &[Place], ids: &[Entity]) -> Option<bool> {
        let lives = |id: &Entity| self.oracle.rows.keys().any(|living| living.index() == id.index());
        let comes_again = |at: usize| ids[..at].iter().any(|id| id.index() == ids[at].index());
        let bad = |(at, id): (usize, &Entity)| id.index() >= FAR || lives(id) || self.has_met(*id) || comes_again(at);
        if ids.iter().enumerate().any(bad) {
            return Some(false);
        }
        let sure = places.iter().all(|place| matches!(place, Place::Future { .. } | Place::Again));
        sure.then_some(true)
    }

    fn settle(&mut self, ids: &[Entity], columns: &Columns) {
        let (mask, repeated) = (columns.mask(), columns.repeated());
        for (nth, &entity) in (0..).zip(ids) {
            self.born(entity, mask & repeated, columns.rows.value);
            self.oracle.insert(entity, mask & !repeated, columns.rows.value(nth));
        }
    }

    /// The ids are for the world to tell; the rows are known, and so is how many of them there are.
    pub(crate) fn extend(&mut self, kind: u8, value: u32, count: u32, promised: usize) -> Effect {
        let made = Cell::new(0);
        let outcome = with_bundle!(kind, M => {
            let items = (0..count).map(|nth| { call(); made.set(nth + 1); M::make(value + 10 * nth) });
            survive(|| self.world.extend(Promising { items, promised }))
        });
        assert_eq!(outcome.is_some(), made.get() == count);
        let mask = with_bundle!(kind, M => M::MASK);
        let mut expected: Vec<Row> = (0..made.get()).map(|nth| row_of(mask, value + 10 * nth)).collect();
        expected.iter_mut().for_each(|row| complete(row, mask));
        let mut found: Vec<Row> = self.adopt().into_iter().map(|entity| self.oracle.rows[&entity]).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        Effect::Exact
    }
}
