//! The workloads without a library: vectors with dirty lists, or with a tick for each row.
//!
//! They guarantee what change detection guarantees to one reader: it gets each changed row once, however often the row was written, and ids
//! are checked. They do not support a second reader.

use super::super::baseline::{Id, Index};
use super::super::data::{Vec3, shuffle};
use super::{Cursor, MILLION, Outcome, THOUSANDS, Tally, WRITES, Workload};

/// A column that records which of its rows were written.
pub(crate) struct Tracked<T> {
    values: Vec<T>,
    /// Whether the row is in `changed`.
    listed: Vec<bool>,
    changed: Vec<u32>,
}

impl<T> Tracked<T> {
    /// All rows are new and thus count as changed.
    fn new(values: Vec<T>) -> Self {
        let rows = values.len();
        Self { values, listed: vec![true; rows], changed: (0..rows as u32).collect() }
    }

    #[inline]
    fn get_mut(&mut self, row: usize) -> &mut T {
        let listed = &mut self.listed[row];
        if !*listed {
            *listed = true;
            self.changed.push(row as u32);
        }
        &mut self.values[row]
    }

    /// Every row that was written since the last call, once each.
    #[inline]
    fn drain(&mut self, mut visit: impl FnMut(&T)) {
        for row in self.changed.drain(..) {
            self.listed[row as usize] = false;
            visit(&self.values[row as usize]);
        }
    }
}

fn claim(index: &mut Index, rows: usize) -> Vec<Id> {
    (0..rows as u32).map(|row| index.claim(row)).collect()
}

/// Three components of which 100 rows each are written by id, and three readers of the changes.
pub(crate) struct Realistic {
    index: Index,
    ids: Vec<Id>,
    positions: Tracked<Vec3>,
    healths: Tracked<i32>,
    manas: Tracked<i32>,
    cursors: [Cursor; 3],
    tally: Tally,
}

impl Realistic {
    /// The position at which each of the three starts to write.
    pub(crate) const CURSORS: [Cursor; 3] = [Cursor(0), Cursor(WRITES), Cursor(2 * WRITES)];

    pub(crate) fn new(rows: usize) -> Self {
        let mut index = Index::default();
        let ids = claim(&mut index, rows);
        Self {
            index,
            ids,
            positions: Tracked::new((0..rows).map(|row| Vec3::splat(row as f32)).collect()),
            healths: Tracked::new(vec![1_000_000; rows]),
            manas: Tracked::new(vec![0; rows]),
            cursors: Self::CURSORS,
            tally: Tally::default(),
        }
    }
}

impl Workload for Realistic {
    fn run(&mut self) {
        let [positions, healths, manas] = &mut self.cursors;
        for &id in positions.next(&self.ids, WRITES) {
            self.positions.get_mut(self.index.row(id).unwrap()).x += 1.0;
        }
        for &id in healths.next(&self.ids, WRITES) {
            *self.healths.get_mut(self.index.row(id).unwrap()) -= 1;
        }
        for &id in manas.next(&self.ids, WRITES) {
            *self.manas.get_mut(self.index.row(id).unwrap()) += 1;
        }
        let tally = &mut self.tally;
        self.positions.drain(|position| tally.position += f64::from(position.x));
        self.healths.drain(|&health| tally.health += i64::from(health));
        self.manas.drain(|&mana| tally.mana += i64::from(mana));
    }

    fn outcome(&mut self) -> Outcome {
        self.tally.outcome()
    }
}

/// One component of which 100 rows are written by id, and a reader of the changes.
pub(crate) struct Sparse {
    index: Index,
    ids: Vec<Id>,
    healths: Tracked<i32>,
    cursor: Cursor,
    tally: Tally,
}

impl Sparse {
    pub(crate) fn new() -> Self {
        let mut index = Index::default();
        let ids = claim(&mut index, THOUSANDS);
        let healths = Tracked::new(vec![1000; THOUSANDS]);
        Self { index, ids, healths, cursor: Cursor(0), tally: Tally::default() }
    }
}

impl Workload for Sparse {
    fn run(&mut self) {
        for &id in self.cursor.next(&self.ids, WRITES) {
            *self.healths.get_mut(self.index.row(id).unwrap()) -= 1;
        }
        let tally = &mut self.tally;
        self.healths.drain(|&health| tally.health += i64::from(health));
    }

    fn outcome(&mut self) -> Outcome {
        self.tally.outcome()
    }
}

/// A column with the tick at which each row was written.
struct Ticked<T> {
    values: Vec<T>,
    ticks: Vec<u32>,
    now: u32,
    /// The tick at which the reader last ran.
    last: u32,
}

impl<T> Ticked<T> {
    fn new(values: Vec<T>) -> Self {
        let rows = values.len();
        Self { values, ticks: vec![1; rows], now: 1, last: 0 }
    }

    /// Marks all current values as read; later writes are newer.
    fn looked(&mut self) {
        self.last = self.now;
        self.now = self.now.wrapping_add(1);
    }
}

/// All bits set if the tick is newer, otherwise zero. Correct for differences below 2^31, also when ticks wrap around.
#[inline]
fn newer(tick: u32, last: u32) -> u32 {
    ((last.wrapping_sub(tick) as i32) >> 31) as u32
}

/// The sum of all values with newer ticks. It has no branch, so that the compiler vectorizes it. A branch for each row takes five times as
/// long if all rows are newer, three times if few are.
fn scan_rows(values: &[u32], ticks: &[u32], last: u32) -> u32 {
    values.iter().zip(ticks).fold(0, |sum, (&value, &tick)| sum.wrapping_add(value & newer(tick, last)))
}

/// The sum for few changes: reads the values only of blocks with a change. Of 4, 8, 16, 32 and 64 rows per block, 8 is best if 1 % changed;
/// 4 is as good.
#[inline(never)]
fn scan_for_few(values: &[u32], ticks: &[u32], last: u32) -> u32 {
    const BLOCK: usize = 8;
    let (value_blocks, values) = values.as_chunks::<BLOCK>();
    let (tick_blocks, ticks) = ticks.as_chunks::<BLOCK>();
    let mut sum = scan_rows(values, ticks, last);
    for (values, ticks) in value_blocks.iter().zip(tick_blocks) {
        if ticks.iter().fold(false, |any, &tick| any | (newer(tick, last) != 0)) {
            sum = sum.wrapping_add(scan_rows(values, ticks, last));
        }
    }
    sum
}

#[inline(never)]
fn scan_for_many(values: &[u32], ticks: &[u32], last: u32) -> u32 {
    scan_rows(values, ticks, last)
}

/// The sum for many changes: a block in which all rows are newer needs no mask. Of 8, 16, 32 and 64 rows per block, 16 is best.
#[inline(never)]
fn sum_of_most(values: &[i32], ticks: &[u32], last: u32) -> i64 {
    const BLOCK: usize = 16;
    let masked = |values: &[i32], ticks: &[u32]| {
        let masked = values.iter().zip(ticks).map(|(&value, &tick)| i64::from(value & newer(tick, last) as i32));
        masked.sum::<i64>()
    };
    let (value_blocks, values) = values.as_chunks::<BLOCK>();
    let (tick_blocks, ticks) = ticks.as_chunks::<BLOCK>();
    let mut sum = masked(values, ticks);
    for (values, ticks) in value_blocks.iter().zip(tick_blocks) {
        sum += if ticks.iter().fold(true, |all, &tick| all & (newer(tick, last) != 0)) {
            values.iter().map(|&value| i64::from(value)).sum::<i64>()
        } else {
            masked(values, ticks)
        };
    }
    sum
}

/// A column with change tracking, for [`Filter`].
pub(crate) trait Tracking {
    fn new(values: Vec<u32>) -> Self;
    fn get_mut(&mut self, row: usize) -> &mut u32;
    fn write_all(&mut self);
    /// The sum of the values that changed since the last call, tuned for few changes.
    fn sum_few(&mut self) -> u32;
    /// The sum of the values that changed since the last call, tuned for many changes.
    fn sum_many(&mut self) -> u32;
}

/// Tracking with a tick for each row.
pub(crate) struct Scan(Ticked<u32>);

impl Tracking for Scan {
    fn new(values: Vec<u32>) -> Self {
        Self(Ticked::new(values))
    }

    fn get_mut(&mut self, row: usize) -> &mut u32 {
        self.0.ticks[row] = self.0.now;
        &mut self.0.values[row]
    }

    fn write_all(&mut self) {
        self.0.values.iter_mut().for_each(|value| *value = value.wrapping_add(1));
        self.0.ticks.fill(self.0.now);
    }

    fn sum_few(&mut self) -> u32 {
        let sum = scan_for_few(&self.0.values, &self.0.ticks, self.0.last);
        self.0.looked();
        sum
    }

    fn sum_many(&mut self) -> u32 {
        let sum = scan_for_many(&self.0.values, &self.0.ticks, self.0.last);
        self.0.looked();
        sum
    }
}

/// Tracking with a dirty list.
pub(crate) struct Listed(Tracked<u32>);

impl Tracking for Listed {
    fn new(values: Vec<u32>) -> Self {
        Self(Tracked::new(values))
    }

    fn get_mut(&mut self, row: usize) -> &mut u32 {
        self.0.get_mut(row)
    }

    fn write_all(&mut self) {
        for row in 0..self.0.values.len() {
            let value = self.0.get_mut(row);
            *value = value.wrapping_add(1);
        }
    }

    fn sum_few(&mut self) -> u32 {
        let mut sum = 0_u32;
        self.0.drain(|&value| sum = sum.wrapping_add(value));
        sum
    }

    fn sum_many(&mut self) -> u32 {
        self.sum_few()
    }
}

/// A column that is written (not timed), and a reader that sums the changed values.
pub(crate) struct Filter<C> {
    column: C,
    /// The rows in the order in which 1 % after 1 % is written; empty if each tick writes all.
    order: Vec<u32>,
    cursor: Cursor,
    sum: u32,
}

impl<C: Tracking> Filter<C> {
    /// 1 % of a million rows change.
    pub(crate) fn few() -> Self {
        let mut order: Vec<u32> = (0..MILLION as u32).collect();
        shuffle(&mut order);
        Self { column: C::new((0..MILLION as u32).collect()), order, cursor: Cursor(0), sum: 0 }
    }

    /// All of ten thousand rows change.
    pub(crate) fn all() -> Self {
        let column = C::new((0..THOUSANDS as u32).collect());
        Self { column, order: Vec::new(), cursor: Cursor(0), sum: 0 }
    }
}

impl<C: Tracking + 'static> Workload for Filter<C> {
    fn before(&mut self) {
        if self.order.is_empty() {
            return self.column.write_all();
        }
        for &row in self.cursor.next(&self.order, MILLION / 100) {
            let value = self.column.get_mut(row as usize);
            *value = value.wrapping_add(1);
        }
    }

    fn run(&mut self) {
        self.sum = if self.order.is_empty() { self.column.sum_many() } else { self.column.sum_few() };
    }

    fn outcome(&mut self) -> Outcome {
        [u64::from(self.sum), 0, 0]
    }
}

/// One component that is written in all rows, and a reader of the changes.
///
/// A dirty list would be slower here, as it is for a filter that finds all rows.
pub(crate) struct AllDirty {
    healths: Ticked<i32>,
    tally: Tally,
}

impl AllDirty {
    pub(crate) fn new() -> Self {
        Self { healths: Ticked::new(vec![1000; THOUSANDS]), tally: Tally::default() }
    }
}

impl Workload for AllDirty {
    fn run(&mut self) {
        let healths = &mut self.healths;
        for (health, tick) in healths.values.iter_mut().zip(&mut healths.ticks) {
            *health -= 1;
            *tick = healths.now;
        }
        self.tally.health += sum_of_most(&healths.values, &healths.ticks, healths.last);
        healths.looked();
    }

    fn outcome(&mut self) -> Outcome {
        self.tally.outcome()
    }
}

/// Entities that move, age, die and are replaced. Deaths are counted.
pub(crate) struct Particles {
    index: Index,
    ids: Vec<Id>,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    lifetimes: Vec<i32>,
    healths: Vec<i32>,
    dead: Vec<Id>,
    removed: Vec<Id>,
    count: u64,
    lifetime: i64,
}

impl Particles {
    /// The health of a particle that exists from the beginning.
    pub(crate) fn health(number: usize) -> i32 {
        1 + number as i32 % 100
    }

    pub(crate) fn new() -> Self {
        let mut index = Index::default();
        let ids = claim(&mut index, THOUSANDS);
        Self {
            index,
            ids,
            positions: vec![Vec3::splat(0.0); THOUSANDS],
            velocities: vec![Vec3::splat(1.0); THOUSANDS],
            lifetimes: vec![1000; THOUSANDS],
            healths: (0..THOUSANDS).map(Self::health).collect(),
            dead: Vec::new(),
            removed: Vec::new(),
            count: 0,
            lifetime: 0,
        }
    }

    fn bury(&mut self) {
        for id in self.dead.drain(..) {
            let Some(row) = self.index.row(id) else { continue };
            self.index.release(id);
            self.ids.swap_remove(row);
            self.positions.swap_remove(row);
            self.velocities.swap_remove(row);
            self.lifetimes.swap_remove(row);
            self.healths.swap_remove(row);
            if let Some(&moved) = self.ids.get(row) {
                self.index.relocate(moved, row);
            }
            self.removed.push(id);
        }
    }

    fn replace(&mut self) {
        while self.ids.len() < THOUSANDS {
            self.ids.push(self.index.claim(self.ids.len() as u32));
            self.positions.push(Vec3::splat(0.0));
            self.velocities.push(Vec3::splat(1.0));
            self.lifetimes.push(1000);
            self.healths.push(100);
        }
    }
}

impl Workload for Particles {
    fn run(&mut self) {
        self.positions.iter_mut().zip(&self.velocities).for_each(|(position, &velocity)| position.add(velocity));
        self.healths.iter_mut().for_each(|health| *health -= 1);
        let dead = self.ids.iter().zip(&self.healths).filter(|&(_, &health)| health <= 0);
        self.dead.extend(dead.map(|(&id, _)| id));
        self.bury();
        self.count += self.removed.drain(..).count() as u64;
        self.lifetime += self.lifetimes.iter().map(|&lifetime| i64::from(lifetime)).sum::<i64>();
        self.replace();
    }

    fn outcome(&mut self) -> Outcome {
        let travelled = self.positions.iter().map(|position| position.x as u64).sum();
        [self.count, self.lifetime as u64, travelled]
    }
}

/// Entities that are all despawned by id, and a reader that counts them.
pub(crate) struct Despawns {
    index: Index,
    ids: Vec<Id>,
    positions: Vec<Vec3>,
    healths: Vec<i32>,
    all: Vec<Id>,
    removed: Vec<Id>,
    count: u64,
}

impl Despawns {
    pub(crate) fn new() -> Self {
        Self {
            index: Index::default(),
            ids: Vec::new(),
            positions: Vec::new(),
            healths: Vec::new(),
            all: Vec::new(),
            removed: Vec::new(),
            count: 0,
        }
    }
}

impl Workload for Despawns {
    fn before(&mut self) {
        assert!(self.ids.is_empty());
        self.ids.extend((0..THOUSANDS as u32).map(|row| self.index.claim(row)));
        self.positions.resize(THOUSANDS, Vec3::splat(0.0));
        self.healths.resize(THOUSANDS, 1000);
        self.all.clone_from(&self.ids);
    }

    fn run(&mut self) {
        for &id in &self.all {
            let Some(row) = self.index.row(id) else { continue };
            self.index.release(id);
            self.ids.swap_remove(row);
            self.positions.swap_remove(row);
            self.healths.swap_remove(row);
            if let Some(&moved) = self.ids.get(row) {
                self.index.relocate(moved, row);
            }
            self.removed.push(id);
        }
        self.count += self.removed.drain(..).count() as u64;
    }

    fn outcome(&mut self) -> Outcome {
        [self.count, self.ids.len() as u64, 0]
    }
}
