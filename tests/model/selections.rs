//! Changing many entities at once, and moving whole entities, on both worlds.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use strata_ecs::prelude::*;
use strata_ecs::store::CloneError;

use super::bulk::{Bulk, Chosen, Deed, Luggage};
use super::faults::{arm, call, survive};
use super::naive::{Naive, complete, mask_of};
use super::parts::{A, B, C, L, Make, Part, Row, S, T, U, UNCLONED, with_bundle};
use super::run::{Effect, Run, discard};
use super::watch::read;

impl Chosen {
    fn ids(&self, run: &Run) -> Vec<Entity> {
        match self {
            Self::All { .. } => Vec::new(),
            Self::Many { which } => which.iter().map(|which| run.pick(*which)).collect(),
        }
    }

    /// The selection itself.
    fn select<'w>(&self, world: &'w mut World, ids: &[Entity]) -> EntitySelection<'w> {
        let Self::All { filter } = self else { return world.many(ids) };
        match filter % 7 {
            0 => world.all::<()>(),
            1 => world.all::<With<A>>(),
            2 => world.all::<Without<B>>(),
            3 => world.all::<With<S>>(),
            4 => world.all::<(With<A>, Without<S>)>(),
            5 => world.all::<(With<U>, Without<T>)>(),
            _ => world.all::<Or<(With<T>, With<U>)>>(),
        }
    }

    /// Whether a living entity is selected.
    fn has(&self, entity: Entity, row: &Row, ids: &[Entity]) -> bool {
        let Self::All { filter } = self else { return ids.contains(&entity) };
        let has = |index: usize| row[index].is_some();
        match filter % 7 {
            0 => true,
            1 => has(A::INDEX),
            2 => !has(B::INDEX),
            3 => has(S::INDEX),
            4 => has(A::INDEX) && !has(S::INDEX),
            5 => has(U::INDEX) && !has(T::INDEX),
            _ => has(T::INDEX) || has(U::INDEX),
        }
    }
}

impl Deed {
    fn on_naive(&self, naive: &mut Naive, entity: Entity) {
        let mask = |kind: u8| with_bundle!(kind, M => M::MASK);
        match *self {
            Self::Insert { kind, value } => naive.insert(entity, mask(kind), value),
            Self::InsertWith { kind, value } => naive.insert(entity, mask(kind), value + entity.index()),
            Self::Remove { kind } => naive.remove(entity, mask(kind)),
            Self::Despawn => drop(naive.rows.remove(&entity)),
        }
    }

    /// Adds the entities for which a function was called to a list.
    fn on(&self, selection: EntitySelection<'_>, calls: &mut Vec<Entity>) -> usize {
        match *self {
            Self::Insert { kind, value } => with_bundle!(kind, M => selection.insert(M::make(value))),
            Self::InsertWith { kind, value } => with_bundle!(kind, M => selection.insert_with(|entity| {
                call();
                calls.push(entity);
                M::make(value + entity.index())
            })),
            Self::Remove { kind } => with_bundle!(kind, M => selection.remove::<M>()),
            Self::Despawn => selection.despawn(),
        }
    }
}

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
            Bulk::Select { chosen, deed } => return self.select(chosen, deed),
            Bulk::MoveTo { chosen, kind, strangers, back } => {
                return self.move_to(chosen, *kind, *strangers, *back);
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
            count += usize::from(self.naive.rows.contains_key(entity));
            self.naive.insert(*entity, with_bundle!(kind, M => M::MASK), value + 10 * nth);
        }
        if let Some(found) = found {
            assert_eq!((found, given.get() as usize), (count, targets.len()));
        }
    }

    fn take_all(&mut self, entity: Entity, luggage: &Luggage) {
        let row = self.naive.rows.get(&entity).copied();
        let taken = self.world.get_entity_mut(entity).ok().map(|mut entity| entity.take_all());
        assert_eq!(taken.is_some(), row.is_some());
        let (Some(mut taken), Some(row)) = (taken, row) else { return };
        self.naive.retain(entity, 0);
        match *luggage {
            Luggage::Spawned => {
                let spawned = self.world.spawn_dynamic(&mut taken).id();
                assert!(taken.is_empty());
                self.born(spawned, 0, 0);
                let (mut row, mask) = (row, mask_of(&row));
                complete(&mut row, mask);
                self.naive.rows.insert(spawned, row);
            }
            Luggage::Inserted { which } => {
                let other = self.pick(which);
                if let Ok(mut other) = self.world.get_entity_mut(other) {
                    let _ = survive(|| other.insert_dynamic(&mut taken).id());
                    assert!(taken.is_empty());
                }
                let _ = survive(|| taken.clear());
                let new = |old: &mut Row| {
                    (0..).zip(&mut *old).for_each(|(at, old): (usize, _)| *old = row[at].or(*old));
                    complete(old, mask_of(&row));
                };
                self.naive.rows.get_mut(&other).into_iter().for_each(new);
            }
            Luggage::Dropped => {
                let _ = survive(|| discard(taken));
            }
        }
    }

    /// Either all components are cloned, or nothing happens.
    fn clone_entity(&mut self, entity: Entity) {
        let Some(outcome) = survive(|| self.world.clone_entity(entity)) else { return };
        let Some(row) = self.naive.rows.get(&entity).copied() else {
            assert!(matches!(outcome, Err(CloneError::Entity(_))), "{outcome:?}");
            return;
        };
        let uncloned = UNCLONED.into_iter().filter(|(index, _)| row[*index].is_some());
        let expected: Vec<&str> = uncloned.map(|(_, name)| name).collect();
        match outcome {
            Ok(clone) => {
                assert!(expected.is_empty(), "{expected:?} are not to be cloned");
                self.born(clone, 0, 0);
                self.naive.rows.insert(clone, row);
            }
            Err(CloneError::NotClone { entity: found, components }) => {
                let names: Vec<&str> = components.iter().filter_map(|name| name.rsplit("::").next()).collect();
                assert_eq!((found, names), (entity, expected));
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The entities that a selection must have, and the ids that it is made of.
    fn expect(&self, chosen: &Chosen) -> (HashSet<Entity>, Vec<Entity>) {
        let ids = chosen.ids(self);
        let rows = self.naive.rows.iter().filter(|(entity, row)| chosen.has(**entity, row, &ids));
        (rows.map(|(entity, _)| *entity).collect(), ids)
    }

    /// If something panics each entity is as it was before or as it should be afterwards.
    fn select(&mut self, chosen: &Chosen, deed: &Deed) -> Effect {
        let (expected, ids) = self.expect(chosen);
        let mut after = self.naive.clone();
        expected.iter().for_each(|entity| deed.on_naive(&mut after, *entity));
        let selection = chosen.select(&mut self.world, &ids);
        let found = selection.ids();
        assert_eq!((selection.len(), found.len()), (expected.len(), expected.len()));
        assert_eq!(found.iter().copied().collect::<HashSet<_>>(), expected);
        let mut calls = Vec::new();
        if let Some(count) = survive(|| deed.on(selection, &mut calls)) {
            assert_eq!(count, expected.len());
            if matches!(deed, Deed::InsertWith { .. }) {
                self.check_order(found, calls);
            }
            self.naive = after;
            return Effect::Exact;
        }
        for entity in &self.ids {
            let found = read(&self.world, *entity);
            let [before, after] = [&self.naive, &after].map(|naive| naive.rows.get(entity).copied());
            assert!(found == before || found == after, "{entity:?} is {found:?}, not {before:?} or {after:?}");
        }
        Effect::Whole
    }

    /// Whichever table comes first: the function is called for its entities in the order in which they were.
    fn check_order(&self, mut found: Vec<Entity>, mut calls: Vec<Entity>) {
        // One bit for each component that is in tables.
        let table = |entity: &Entity| {
            let row = self.naive.rows[entity];
            [A::INDEX, B::INDEX, C::INDEX, U::INDEX, L::INDEX].map(|index| row[index].is_some())
        };
        assert!(
            calls.chunk_by(|a, b| table(a) == table(b)).count() <= found.chunk_by(|a, b| table(a) == table(b)).count()
        );
        found.sort_by_key(table);
        calls.sort_by_key(table);
        assert_eq!(calls, found);
    }

    /// The user's code has no say in a move; only what is dropped with the other world may panic.
    fn move_to(&mut self, chosen: &Chosen, kind: u8, strangers: u32, back: bool) -> Effect {
        let (expected, ids) = self.expect(chosen);
        let mut other = World::new();
        let mut away: HashMap<Entity, Row> = HashMap::new();
        for value in 0..strangers {
            let stranger = with_bundle!(kind, M => other.spawn(M::make(value)).id());
            away.insert(stranger, read(&other, stranger).expect("it lives"));
        }
        let map = chosen.select(&mut self.world, &ids).move_to(&mut other);
        assert_eq!(map.iter().len(), expected.len());
        for old in expected {
            let new = map.get(old).expect("it was selected");
            let row = self.naive.rows.remove(&old).expect("it lived");
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
                self.born(new, 0, 0);
                self.naive.rows.insert(new, away[&old]);
            }
            other.check_invariants();
        }
        if survive(|| drop(other)).is_some() { Effect::Exact } else { Effect::Whole }
    }
}
