//! The oracle: rows of optional values by entity, and what follows from how they change. Everything that happens to an
//! entity goes through the methods here, so an operation that is described with them is compared in full: its values, the
//! removals that readers are to see, and the changes that consumers are to see.

use std::collections::{BTreeMap, HashMap};

use strata_ecs::prelude::*;

use super::parts::{KINDS, Mask, REQUIRED, Row, carries, counts, indices, required_by};

/// When a component was added and changed: ticks, counted without an end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stamp {
    pub(crate) added: u64,
    pub(crate) changed: u64,
}

impl Stamp {
    /// From before a panic, after which it is not known.
    pub(crate) const UNKNOWN: Self = Self { added: 0, changed: 0 };
}

/// The stamps of an entity's components.
pub(crate) type Stamps = [Option<Stamp>; KINDS];

/// Removals of one component, all that ever were.
#[derive(Clone, Default, Debug)]
pub(crate) struct Log {
    pub(crate) all: Vec<(Entity, u32)>,
    /// The oldest that is kept.
    pub(crate) first: usize,
    /// How many are kept.
    limit: Option<usize>,
}

impl Log {
    fn push(&mut self, entity: Entity, value: u32) {
        self.all.push((entity, value));
        self.keep();
    }

    fn keep(&mut self) {
        self.first = self.first.max(self.all.len() - self.all.len().min(self.limit.unwrap_or(usize::MAX)));
    }

    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = Some(limit);
        self.keep();
    }
}

/// A change of one entity that has not come to its end. Only what it does on the whole is a removal.
#[derive(Clone, Debug)]
struct Open {
    entity: Entity,
    before: Row,
    /// Components whose values the caller has got.
    taken: Mask,
}

/// The rows that entities had one after the other; none where they were not alive.
pub(crate) type Trace = HashMap<Entity, Vec<Option<Row>>>;

/// The expected state of the world.
#[derive(Clone, Default, Debug)]
pub(crate) struct Oracle {
    pub(crate) rows: BTreeMap<Entity, Row>,
    pub(crate) stamps: HashMap<Entity, Stamps>,
    pub(crate) resource: Option<u32>,
    /// For each component: the entities that lost it, and those of them whose value the caller did not get.
    pub(crate) logs: [[Log; 2]; KINDS],
    /// The tick of what happens now.
    pub(crate) now: u64,
    /// The trace of everything that has happened since it was set.
    pub(crate) trace: Option<Trace>,
    open: Option<Open>,
}

/// The components of `mask`, made from `value`.
pub(crate) fn row_of(mask: Mask, value: u32) -> Row {
    let mut row = [None; KINDS];
    indices(mask).for_each(|index| row[index] = Some(if carries(index) { value + index as u32 } else { 0 }));
    row
}

/// Adds the missing components that the components of `mask` require.
pub(crate) fn complete(row: &mut Row, mask: Mask) {
    for index in indices(required_by(mask)) {
        row[index].get_or_insert(if carries(index) { REQUIRED } else { 0 });
    }
}

/// The components that are there.
pub(crate) fn mask_of(row: &Row) -> Mask {
    (0..KINDS).filter(|&index| row[index].is_some()).fold(0, |mask, index| mask | 1 << index)
}

impl Oracle {
    pub(crate) fn row(&self, entity: Entity) -> Option<Row> {
        self.rows.get(&entity).copied()
    }

    pub(crate) fn lives(&self, entity: Entity) -> bool {
        self.rows.contains_key(&entity)
    }

    /// Begins a change: the following steps for this entity are one change, until [`end`](Self::end) or a change of another entity.
    pub(crate) fn begin(&mut self, entity: Entity) {
        if self.open.as_ref().is_none_or(|open| open.entity != entity) {
            self.end();
            let before = self.row(entity).unwrap_or_default();
            self.open = Some(Open { entity, before, taken: 0 });
        }
    }

    pub(crate) fn end(&mut self) {
        let Some(Open { entity, before, taken }) = self.open.take() else { return };
        let after = self.row(entity).unwrap_or_default();
        for kind in 0..KINDS {
            if let (Some(value), None) = (before[kind], after[kind]) {
                self.logs[kind][0].push(entity, value);
                if taken & (1 << kind) == 0 {
                    self.logs[kind][1].push(entity, value);
                }
            }
        }
    }

    /// One step of a change, or a change of its own if none has begun.
    fn change<T>(&mut self, entity: Entity, step: impl FnOnce(&mut Self) -> T) -> T {
        let is_alone = self.open.is_none();
        self.begin(entity);
        let before = self.row(entity);
        let outcome = step(self);
        let after = self.row(entity);
        if let Some(trace) = &mut self.trace {
            trace.entry(entity).or_insert_with(|| vec![before]).push(after);
        }
        if is_alone {
            self.end();
        }
        outcome
    }

    fn set(&mut self, entity: Entity, new: &Row) {
        let now = self.now;
        let Some(row) = self.rows.get_mut(&entity) else { return };
        let stamps = self.stamps.entry(entity).or_default();
        for kind in (0..KINDS).filter(|&kind| new[kind].is_some()) {
            row[kind] = new[kind];
            stamps[kind] = Some(Stamp { changed: now, added: stamps[kind].map_or(now, |stamp| stamp.added) });
        }
    }

    fn unset(&mut self, entity: Entity, mask: Mask) {
        if let Some(row) = self.rows.get_mut(&entity) {
            let stamps = self.stamps.entry(entity).or_default();
            indices(mask).for_each(|kind| (row[kind], stamps[kind]) = (None, None));
        }
    }

    /// Adds to a row what is not there.
    fn add(&mut self, entity: Entity, new: &Row) {
        let row = self.row(entity).unwrap_or_default();
        self.set(entity, &std::array::from_fn(|kind| if row[kind].is_none() { new[kind] } else { None }));
    }

    fn require(&mut self, entity: Entity, mask: Mask) {
        let mut required = [None; KINDS];
        complete(&mut required, mask);
        self.add(entity, &required);
    }

    /// The values of a row are given to a living entity.
    pub(crate) fn insert_row(&mut self, entity: Entity, row: &Row) {
        self.change(entity, |this| {
            this.set(entity, row);
            this.require(entity, mask_of(row));
        });
    }

    /// The components of `mask`, made from `value`, are given to a living entity.
    pub(crate) fn insert(&mut self, entity: Entity, mask: Mask, value: u32) {
        self.insert_row(entity, &row_of(mask, value));
    }

    /// As `insert`, for the components that are not there.
    pub(crate) fn insert_if_new(&mut self, entity: Entity, mask: Mask, value: u32) {
        self.change(entity, |this| {
            let new = mask & !mask_of(&this.row(entity).unwrap_or_default());
            this.add(entity, &row_of(mask, value));
            this.require(entity, new);
        });
    }

    pub(crate) fn retain(&mut self, entity: Entity, mask: Mask) {
        self.remove(entity, !(mask | required_by(mask)));
    }

    pub(crate) fn remove(&mut self, entity: Entity, mask: Mask) {
        self.change(entity, |this| this.unset(entity, mask));
    }

    pub(crate) fn despawn(&mut self, entity: Entity) -> bool {
        self.change(entity, |this| {
            this.stamps.remove(&entity);
            this.rows.remove(&entity).is_some()
        })
    }

    /// The entity comes to life, which is part of the change that adds its first components.
    pub(crate) fn spawn(&mut self, entity: Entity, row: &Row) {
        let old = self.rows.insert(entity, [None; KINDS]);
        assert!(old.is_none(), "{entity:?} was handed out while it lived");
        self.stamps.insert(entity, [None; KINDS]);
        self.insert_row(entity, row);
    }

    /// The entity comes to life with exactly this row: a clone, or one from another world.
    pub(crate) fn arrive(&mut self, entity: Entity, row: &Row) {
        self.spawn(entity, &[None; KINDS]);
        self.change(entity, |this| this.set(entity, row));
    }

    /// The entity leaves, and its values with it.
    pub(crate) fn leave(&mut self, entity: Entity) -> Option<Row> {
        self.change(entity, |this| {
            this.taken(Mask::MAX);
            this.stamps.remove(&entity);
            this.rows.remove(&entity)
        })
    }

    /// The components of `mask`, if the entity lives and has them all; they are gone then.
    pub(crate) fn take(&mut self, entity: Entity, mask: Mask) -> Option<Row> {
        let row = self.row(entity)?;
        if mask_of(&row) & mask != mask {
            return None;
        }
        self.change(entity, |this| {
            this.taken(mask);
            this.unset(entity, mask);
        });
        Some(std::array::from_fn(|kind| row[kind].filter(|_| mask & (1 << kind) != 0)))
    }

    fn taken(&mut self, mask: Mask) {
        self.open.as_mut().into_iter().for_each(|open| open.taken |= mask);
    }

    /// A value is written in place; does nothing if the component is not there.
    pub(crate) fn write(&mut self, entity: Entity, kind: usize, value: u32) {
        if self.row(entity).is_some_and(|row| row[kind].is_some()) {
            let mut row = [None; KINDS];
            row[kind] = Some(if carries(kind) { value } else { 0 });
            self.change(entity, |this| this.set(entity, &row));
        }
    }

    pub(crate) fn has(&self, entity: Entity, mask: Mask) -> bool {
        self.row(entity).is_some_and(|row| mask_of(&row) & mask == mask)
    }

    /// How many values with a token can be reached, and how many without a size but with a destructor.
    pub(crate) fn held(&self) -> [usize; 2] {
        let sum = |test: &dyn Fn(usize) -> bool| {
            let of = |row: &Row| (0..KINDS).filter(|&kind| test(kind) && row[kind].is_some()).count();
            self.rows.values().map(of).sum::<usize>()
        };
        [sum(&counts) + usize::from(self.resource.is_some()), sum(&super::parts::rings_of)]
    }
}
