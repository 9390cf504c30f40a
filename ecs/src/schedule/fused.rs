//! Running a pipeline: all its systems on a block of rows, then all on the next.
//!
//! One after the other, the systems are asked whether they run, fetch their parameters, and note that they have come to change
//! what they change. Each then waits, on the stack, while those after it do the same; the last one goes through the blocks,
//! and each block is handed from the first system to the last.
//!
//! Each system of a pipeline waits on the stack, which is why there is a limit to their number. If all are `par`, several
//! threads take blocks. After a panic, the systems of the pipeline have gone through some of the rows, and all rows that
//! they may change count as changed; none of them has seen what was new, so its next run sees it. Nothing else distinguishes
//! a pipeline from its systems one by one.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::costs::Costs;
use super::error::SystemError;
use super::pipelines::Pipeline;
use super::steps::{PipelineAccess, PipelineStep, RunContext};
use crate::cell::StoreCell;
use crate::entity::TableId;
use crate::pool::{Instant, Tasks};
use crate::system::Blocks;
use crate::tick::Tick;

/// With the steps that they come from.
type Errors = Vec<(u32, Box<SystemError>)>;

/// Which step has panicked in a pipeline.
pub(super) struct Panicked(AtomicU32);

impl Panicked {
    pub(super) const fn none() -> Self {
        Self(AtomicU32::new(u32::MAX))
    }

    /// The step, if one has.
    pub(super) fn step(&self) -> Option<u32> {
        Some(self.0.load(Relaxed)).filter(|step| *step != u32::MAX)
    }

    /// Calls a function for a step. If it panics while it calls another one for another step, that one has.
    #[inline]
    fn guard<T>(&self, step: u32, call: impl FnOnce() -> T) -> T {
        struct Guard<'a>(&'a AtomicU32, u32);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                // The first one of all threads counts.
                let _ = self.0.compare_exchange(u32::MAX, self.1, Relaxed, Relaxed);
            }
        }
        let guard = Guard(&self.0, step);
        let done = call();
        core::mem::forget(guard);
        done
    }
}

/// A pipeline of a stage that has begun at a tick.
#[derive(Clone, Copy)]
pub(super) struct Fused<'a> {
    pub(super) shared: RunContext<'a>,
    pub(super) pipeline: &'a Pipeline,
    pub(super) first: Tick,
    /// Where to note what the steps cost, if that is to be measured.
    pub(super) costs: Option<&'a Costs>,
    pub(super) panicked: &'a Panicked,
}

impl<'a> Fused<'a> {
    /// Runs all steps.
    pub(super) fn run(&self, steps: PipelineAccess<'a, '_>, errors: &mut Errors) {
        let mut tables = Vec::new();
        if self.pipeline.is_par {
            self.nest_shared(steps, &mut tables, errors, &|_, _| ());
        } else {
            self.nest_own(steps, &mut tables, errors, &mut |_, _| ());
        }
    }

    /// Has the steps get ready, and then goes through all blocks. Before a block comes to them, it comes to `before`.
    fn nest_own(
        &self,
        steps: PipelineAccess<'a, '_>,
        tables: &mut Vec<TableId>,
        errors: &mut Errors,
        before: &mut dyn FnMut(TableId, Range<usize>),
    ) {
        let (step, rest) = match steps.split_first() {
            Ok(split) => split,
            Err(none) => {
                let cut = Cut::of(self.pipeline.block_rows, tables, none.cell());
                return (0..cut.blocks).for_each(|block| cut.with(block, &mut *before));
            }
        };
        let (at, mut rest) = (step.at, Some(rest));
        self.ready(step, errors, &mut |mut blocks, errors| {
            blocks.tables(&mut |table| tables.push(table));
            let mut each = |table, rows: Range<usize>| {
                before(table, rows.clone());
                let Blocks::Own(blocks) = &mut blocks else { return };
                // SAFETY: the rows are rows of the table; none of those that wait has them now, and beside rows those of a
                // pipeline are not in each other's way.
                let run = || unsafe { blocks.run(table, rows) };
                self.panicked.guard(at, || timed(self.costs, at, run));
            };
            rest.take().into_iter().for_each(|rest| self.nest_own(rest, tables, errors, &mut each));
        });
        if let Some(rest) = rest {
            self.nest_own(rest, tables, errors, before);
        }
    }

    /// As [`Fused::nest_own`], on several threads.
    fn nest_shared(
        &self,
        steps: PipelineAccess<'a, '_>,
        tables: &mut Vec<TableId>,
        errors: &mut Errors,
        before: &(dyn Fn(TableId, Range<usize>) + Sync),
    ) {
        let (step, rest) = match steps.split_first() {
            Ok(split) => split,
            Err(none) => {
                let cut = Cut::of(self.pipeline.block_rows, tables, none.cell());
                // A block counts as one row: the product of both numbers need not be one.
                let tasks = Tasks::of_size(cut.blocks, 1);
                return none.cell().store().pool.work_off(tasks, |tasks| {
                    while let Some((block, _)) = tasks.take() {
                        cut.with(block, before);
                    }
                });
            }
        };
        let (at, mut rest) = (step.at, Some(rest));
        self.ready(step, errors, &mut |blocks, errors| {
            blocks.tables(&mut |table| tables.push(table));
            let Blocks::Shared(blocks) = blocks else { return };
            let (costs, panicked) = (self.costs, self.panicked);
            let each = |table, rows: Range<usize>| {
                before(table, rows.clone());
                // SAFETY: each block is taken once, so no other thread has these rows; beside rows those of a pipeline are not in
                // each other's way.
                let run = || unsafe { blocks.run(table, rows) };
                panicked.guard(at, || timed(costs, at, run));
            };
            rest.take().into_iter().for_each(|rest| self.nest_shared(rest, tables, errors, &each));
        });
        if let Some(rest) = rest {
            self.nest_shared(rest, tables, errors, before);
        }
    }

    /// Asks whether a step runs, and if so has its system get ready and calls `then`.
    fn ready(&self, step: PipelineStep<'a, '_>, errors: &mut Errors, then: &mut dyn FnMut(Blocks<'_>, &mut Errors)) {
        let at = step.at;
        let panicked = || self.panicked.step() == Some(at);
        let error = self
            .panicked
            .guard(at, || self.shared.run_in_blocks(step, self.first, &panicked, &mut |blocks| then(blocks, errors)));
        errors.extend(error.map(|error| (at, error)));
    }
}

/// Tables, cut into blocks.
struct Cut {
    rows: usize,
    /// With the number of their rows, and that of their first block.
    tables: Vec<(TableId, usize, usize)>,
    blocks: usize,
}

impl Cut {
    /// The tables, of which some may be named more than once, in blocks of so many rows.
    fn of(rows: usize, tables: &mut Vec<TableId>, cell: StoreCell<'_>) -> Self {
        tables.sort_unstable();
        tables.dedup();
        let mut cut = Self { rows, tables: Vec::with_capacity(tables.len()), blocks: 0 };
        for table in tables.iter().copied() {
            let len = cell.store().structure.archetypes.tables.get(table).map_or(0, |table| table.len());
            if len > 0 {
                cut.tables.push((table, len, cut.blocks));
                cut.blocks += len.div_ceil(rows);
            }
        }
        cut
    }

    /// Calls a function with the rows of a block.
    fn with(&self, block: usize, each: impl FnOnce(TableId, Range<usize>)) {
        let at = self.tables.partition_point(|(_, _, first)| *first <= block) - 1;
        let (table, len, first) = self.tables[at];
        // The first row of a block is one of the table, so this is no more than its length.
        let start = (block - first) * self.rows;
        each(table, start..len.min(start.saturating_add(self.rows)));
    }
}

/// Does something, and adds what it takes to what a step costs, if that is to be measured.
#[inline]
fn timed(costs: Option<&Costs>, step: u32, work: impl FnOnce()) {
    let Some(costs) = costs else { return work() };
    let start = Instant::now();
    work();
    costs.add(step, start.elapsed());
}
