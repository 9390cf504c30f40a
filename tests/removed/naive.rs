//! What entities have and lose, in plain vectors.

use strata_ecs::prelude::*;

/// How many components there are.
pub(crate) const KINDS: usize = 6;

/// What an entity has: the number of each value.
pub(crate) type Row = [Option<u32>; KINDS];

/// Removals of one component, all that ever were.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) all: Vec<(Entity, u32)>,
    /// The oldest that is kept.
    pub(crate) first: usize,
    /// How many are kept.
    pub(crate) limit: Option<usize>,
}

impl Log {
    fn push(&mut self, entity: Entity, value: u32) {
        self.all.push((entity, value));
        self.keep();
    }

    pub(crate) fn keep(&mut self) {
        self.first = self.first.max(self.all.len() - self.all.len().min(self.limit.unwrap_or(usize::MAX)));
    }
}

/// The world as it should be.
#[derive(Default)]
pub(crate) struct Naive {
    pub(crate) entities: Vec<(Entity, Row)>,
    /// For each component: the entities, and the values that nobody took.
    pub(crate) logs: [[Log; 2]; KINDS],
}

impl Naive {
    pub(crate) fn row(&self, entity: Entity) -> Row {
        self.entities.iter().find(|(other, _)| *other == entity).expect("the entity is alive").1
    }

    /// One operation on each of these entities, in this order. `change` says whether the entity goes on living.
    pub(crate) fn operate(
        &mut self,
        order: &[Entity],
        taken: &[usize],
        mut change: impl FnMut(usize, &mut Row) -> bool,
    ) {
        for (number, entity) in order.iter().enumerate() {
            let at = self.entities.iter().position(|(other, _)| other == entity).expect("the entity is alive");
            let before = self.entities[at].1;
            let mut after = before;
            if change(number, &mut after) {
                self.entities[at].1 = after;
            } else {
                self.entities.remove(at);
                after = Row::default();
            }
            for kind in 0..KINDS {
                if let (Some(value), None) = (before[kind], after[kind]) {
                    self.logs[kind][0].push(*entity, value);
                    if !taken.contains(&kind) {
                        self.logs[kind][1].push(*entity, value);
                    }
                }
            }
        }
    }

    /// How many values of a component entities have.
    pub(crate) fn count(&self, kind: usize) -> usize {
        self.entities.iter().filter(|(_, row)| row[kind].is_some()).count()
    }
}
