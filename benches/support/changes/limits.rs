//! The limits of despawning with a reader of removals.

use super::super::baseline::Id;
use super::super::data::Vec3;
use super::super::limits::{Bare, Honest, Vectors};
use super::{Outcome, THOUSANDS, Workload};

/// A position and a health.
#[derive(Default)]
pub(super) struct Living {
    positions: Vec<Vec3>,
    healths: Vec<i32>,
}

impl Vectors for Living {
    type Row = (Vec3, i32);

    fn reserve(&mut self, rows: usize) {
        self.positions.reserve(rows);
        self.healths.reserve(rows);
    }

    #[inline(always)]
    fn push(&mut self, (position, health): (Vec3, i32)) {
        self.positions.push(position);
        self.healths.push(health);
    }

    #[inline(always)]
    fn swap_remove(&mut self, row: usize) -> (Vec3, i32) {
        (self.positions.swap_remove(row), self.healths.swap_remove(row))
    }

    fn clear(&mut self) {
        self.positions.clear();
        self.healths.clear();
    }
}

const NEW: (Vec3, i32) = (Vec3::splat(0.0), 1000);

/// Entities that are despawned by trusted ids.
#[derive(Default)]
pub(super) struct BareDespawns {
    living: Bare<Living>,
    all: Vec<u64>,
    removed: Vec<u64>,
    count: u64,
}

impl Workload for BareDespawns {
    fn before(&mut self) {
        self.living.clear();
        self.all.clear();
        self.all.extend((0..THOUSANDS).map(|_| self.living.spawn(NEW)));
    }

    fn run(&mut self) {
        for &id in &self.all {
            self.living.despawn(id);
            self.removed.push(id);
        }
        self.count += self.removed.drain(..).count() as u64;
    }

    fn outcome(&mut self) -> Outcome {
        [self.count, self.living.len() as u64, 0]
    }
}

/// Entities that are despawned by id, with the bookkeeping of a library.
#[derive(Default)]
pub(super) struct HonestDespawns {
    living: Honest<Living>,
    all: Vec<Id>,
    removed: Vec<Id>,
    count: u64,
}

impl Workload for HonestDespawns {
    fn before(&mut self) {
        self.all.clear();
        self.all.extend((0..THOUSANDS).map(|_| self.living.spawn(Honest::<Living>::TABLE, NEW)));
    }

    fn run(&mut self) {
        for &id in &self.all {
            if self.living.despawn(id) {
                self.removed.push(id);
            }
        }
        self.count += self.removed.drain(..).count() as u64;
    }

    fn outcome(&mut self) -> Outcome {
        [self.count, self.living.len() as u64, 0]
    }
}
