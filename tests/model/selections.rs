//! Batches, and moving whole entities, in the world and the oracle.

use std::cell::Cell;
use std::collections::HashMap;

use strata_ecs::prelude::*;
use strata_ecs::store::CloneError;

use super::bulk::{Bulk, Luggage};
use super::edits::discard;
use super::faults::{arm, call, survive};
use super::forms::Targets;
use super::oracle::mask_of;
use super::parts::{Make, Row, UNCLONED, with_bundle};
use super::run::{Effect, Run};
use super::watch::read;

impl Run {
    pub(crate) fn bulk(&mut self, bulk: &Bulk, panic_at: Option<u32>) -> Effect {
        arm(panic_at);
        let effect = self.apply_bulk(bulk);
        arm(None);
        effect
    }

    fn apply_bulk(&mut self, bulk: &Bulk) -> Effect {
        match bulk {
            Bulk::SpawnColumns { columns } => self.spawn_columns(columns),
            Bulk::SpawnColumnsAt { places, missing, columns } => self.spawn_columns_at(places, *missing, columns),
            Bulk::Extend { kind, value, count, promised } => return self.extend(*kind, *value, *count, *promised),
            Bulk::InsertBatch { which, kind, value } => self.insert_batch(which, *kind, *value),
            Bulk::TakeAll { which, luggage } => self.take_all(self.pick(*which), luggage),
            Bulk::CloneEntity { which } => self.clone_entity(self.pick(*which)),
            Bulk::MoveTo { targets, kind, strangers, back } => {
                return self.move_to(targets, *kind, *strangers, *back);
            }
        }
        Effect::Exact
    }

    /// The entities that the iterator has given keep what they have got, even if it panics, or a destructor.
    fn insert_batch(&mut self, which: &[usize], kind: u8, value: u32) {
        let targets: Vec<Entity> = which.iter().map(|which| self.pick(*which)).collect();
        let given = Cell::new(0);
        let found = with_bundle!(kind, M => {
            let batch = (0..).zip(&targets).map(|(nth, entity)| {
                call();
                given.set(nth + 1);
                (*entity, M::make(value + 10 * nth))
            });
            survive(|| self.world.insert_batch(batch))
        });
        let mut count = 0;
        for (nth, entity) in (0..given.get()).zip(&targets) {
            count += usize::from(self.oracle.lives(*entity));
            self.oracle.insert(*entity, with_bundle!(kind, M => M::MASK), value + 10 * nth);
        }
        if let Some(found) = found {
            assert_eq!((found, given.get() as usize), (count, targets.len()));
        }
    }

    fn take_all(&mut self, entity: Entity, luggage: &Luggage) {
        let row = self.oracle.row(entity);
        let taken = self.world.get_entity_mut(entity).ok().map(|mut entity| entity.take_all());
        assert_eq!(taken.is_some(), row.is_some());
        let (Some(mut taken), Some(row)) = (taken, row) else { return };
        self.oracle.take(entity, mask_of(&row));
        match *luggage {
            Luggage::Spawned => {
                let spawned = self.world.spawn_dynamic(&mut taken).id();
                assert!(taken.is_empty());
                self.meet(spawned);
                self.oracle.spawn(spawned, &row);
            }
            Luggage::Inserted { which } => {
                let other = self.pick(which);
                if let Ok(mut other) = self.world.get_entity_mut(other) {
                    let _ = survive(|| other.insert_dynamic(&mut taken).id());
                    assert!(taken.is_empty());
                }
                let _ = survive(|| taken.clear());
                if self.oracle.lives(other) {
                    self.oracle.insert_row(other, &row);
                }
            }
            Luggage::Dropped => {
                let _ = survive(|| discard(taken));
            }
        }
    }

    /// Either all components are cloned, or nothing happens.
    fn clone_entity(&mut self, entity: Entity) {
        let Some(outcome) = survive(|| self.world.clone_entity(entity)) else { return };
        let Some(row) = self.oracle.row(entity) else {
            assert!(matches!(outcome, Err(CloneError::Entity(_))), "{outcome:?}");
            return;
        };
        let uncloned = UNCLONED.into_iter().filter(|(index, _)| row[*index].is_some());
        let expected: Vec<&str> = uncloned.map(|(_, name)| name).collect();
        match outcome {
            Ok(clone) => {
                assert!(expected.is_empty(), "{expected:?} are not to be cloned");
                self.meet(clone);
                self.oracle.arrive(clone, &row);
            }
            Err(CloneError::NotClone { entity: found, components }) => {
                let names: Vec<&str> = components.iter().filter_map(|name| name.rsplit("::").next()).collect();
                assert_eq!((found, names), (entity, expected));
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The user's code has no say in a move; only what is dropped with the other world may panic.
    fn move_to(&mut self, targets: &Targets, kind: u8, strangers: u32, back: bool) -> Effect {
        let (list, ids) = self.ids_selected(targets);
        let mut other = World::new();
        let mut away: HashMap<Entity, Row> = HashMap::new();
        for value in 0..strangers {
            let stranger = with_bundle!(kind, M => other.spawn(M::make(value)).id());
            away.insert(stranger, read(&other, stranger).expect("it lives"));
        }
        let map = targets.select(&mut self.world, &list).move_to(&mut other);
        assert_eq!(map.iter().len(), ids.len());
        for old in ids {
            let new = map.get(old).expect("it was selected");
            let row = self.oracle.leave(old).expect("it lived");
            assert!(away.insert(new, row).is_none(), "{new:?} was handed out twice");
        }
        self.world.check_invariants();
        other.check_invariants();
        assert_eq!(other.len(), away.len());
        away.iter().for_each(|(entity, row)| assert_eq!(read(&other, *entity), Some(*row)));
        if back {
            let map = other.all::<()>().move_to(&mut self.world);
            assert_eq!((map.iter().len(), other.len()), (away.len(), 0));
            for (old, new) in map.iter() {
                self.meet(new);
                self.oracle.arrive(new, &away[&old]);
            }
            other.check_invariants();
        }
        // Those of the other world that are left are dropped, however that ends.
        let _ = survive(|| drop(other));
        Effect::Exact
    }
}
