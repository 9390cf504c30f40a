//! Runs the systems of a pipeline: all of them on one block of rows, then all of them on the next block.
//!
//! In the order of the steps, each system evaluates its conditions, fetches its parameters, and marks its columns as
//! written. It then stays on the stack while the next systems do the same. The last system loops over the blocks, and
//! each block is passed from the first system to the last.
//!
//! Because each system of a pipeline stays on the stack, their number is limited. If all are `par`, several threads
//! take blocks. After a panic, the systems of the pipeline have processed some of the rows, and all rows that they may
//! change count as changed. For each of the systems, the changes before this run count as not seen, so its next run
//! sees them. Apart from this, running a pipeline is the same as running its systems one by one.
//!
//! Tests: tests/pipelines/fusion.rs, tests/pipelines/faults.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::costs::Costs;
use super::error::SystemError;
use super::pipelines::Pipeline;
use super::steps::{PipelineAccess, PipelineStep, RunContext};
use crate::entity::TableId;
use crate::storage::tick::Tick;
use crate::structure::cell::StoreCell;
use crate::system::Blocks;
use crate::util::pool::{Instant, Tasks};

/// Errors, each with the index of its step.
type Errors = Vec<(u32, Box<SystemError>)>;

/// The step that has panicked in a pipeline.
pub(super) struct PanickedStep(AtomicU32);

impl PanickedStep {
    pub(super) const fn none() -> Self {
        Self(AtomicU32::new(u32::MAX))
    }

    /// Returns the step that has panicked, if one has.
    pub(super) fn step(&self) -> Option<u32> {
        Some(self.0.load(Relaxed)).filter(|step| *step != u32::MAX)
    }

    /// Calls a function for a step. If the call panics, records the step. If a nested call for another step panics,
    /// only that step is recorded.
    #[inline]
    fn guard<T>(&self, step: u32, call: impl FnOnce() -> T) -> T {
        struct StepGuard<'a>(&'a AtomicU32, u32);
        impl Drop for StepGuard<'_> {
            fn drop(&mut self) {
                // If several threads panic, the step of the first panic is recorded.
                let _ = self.0.compare_exchange(u32::MAX, self.1, Relaxed, Relaxed);
            }
        }
        let guard = StepGuard(&self.0, step);
        let done = call();
        core::mem::forget(guard);
        done
    }
}

/// The run of a pipeline, in a stage that has begun at tick `first`.
#[derive(Clone, Copy)]
pub(super) struct PipelineRun<'a> {
    pub(super) shared: RunContext<'a>,
    pub(super) pipeline: &'a Pipeline,
    pub(super) first: Tick,
    /// Where to record the costs of the steps, if they are measured.
    pub(super) costs: Option<&'a Costs>,
    pub(super) panicked: &'a PanickedStep,
}

impl<'a> PipelineRun<'a> {
    /// Runs all steps.
    pub(super) fn run(&self, steps: PipelineAccess<'a, '_>, errors: &mut Errors) {
        let mut tables = Vec::new();
        if self.pipeline.is_par {
            self.nest_shared(steps, &mut tables, errors, &|_, _| ());
        } else {
            self.nest_own(steps, &mut tables, errors, &mut |_, _| ());
        }
    }

    /// Prepares the steps on this thread, and then loops over all blocks. Each block is passed to `before` first, and
    /// then to the steps.
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
                let cut = TableBlocks::of(self.pipeline.block_rows, tables, none.cell());
                return (0..cut.blocks).for_each(|block| cut.with(block, &mut *before));
            }
        };
        let (at, mut rest) = (step.at, Some(rest));
        self.ready(step, errors, &mut |mut blocks, errors| {
            blocks.tables(&mut |table| tables.push(table));
            let mut each = |table, rows: Range<usize>| {
                before(table, rows.clone());
                let Blocks::Own(blocks) = &mut blocks else { return };
                // SAFETY: the rows are rows of the table; no waiting step uses them now, and apart from rows the steps
                // of a pipeline do not conflict.
                let run = || unsafe { blocks.run(table, rows) };
                self.panicked.guard(at, || timed(self.costs, at, run));
            };
            rest.take().into_iter().for_each(|rest| self.nest_own(rest, tables, errors, &mut each));
        });
        if let Some(rest) = rest {
            self.nest_own(rest, tables, errors, before);
        }
    }

    /// Like [`PipelineRun::nest_own`], on several threads.
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
                let cut = TableBlocks::of(self.pipeline.block_rows, tables, none.cell());
                // The tasks are counted in blocks, not in rows, because the number of blocks times the rows per block
                // might overflow.
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
                // SAFETY: each block is taken once, so no other thread uses these rows; apart from rows the steps of a
                // pipeline do not conflict.
                let run = || unsafe { blocks.run(table, rows) };
                panicked.guard(at, || timed(costs, at, run));
            };
            rest.take().into_iter().for_each(|rest| self.nest_shared(rest, tables, errors, &each));
        });
        if let Some(rest) = rest {
            self.nest_shared(rest, tables, errors, before);
        }
    }

    /// Evaluates whether a step runs. If so, prepares its system and calls `then`.
    fn ready(&self, step: PipelineStep<'a, '_>, errors: &mut Errors, then: &mut dyn FnMut(Blocks<'_>, &mut Errors)) {
        let at = step.at;
        let panicked = || self.panicked.step() == Some(at);
        let error = self
            .panicked
            .guard(at, || self.shared.run_in_blocks(step, self.first, &panicked, &mut |blocks| then(blocks, errors)));
        errors.extend(error.map(|error| (at, error)));
    }
}

/// Tables divided into blocks.
struct TableBlocks {
    rows: usize,
    /// Each table with the number of its rows and the number of its first block.
    tables: Vec<(TableId, usize, usize)>,
    blocks: usize,
}

impl TableBlocks {
    /// Divides tables into blocks of `rows` rows. A table may be in the list more than once.
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
        // The first row of a block is a row of the table, so `start` is less than its length.
        let start = (block - first) * self.rows;
        each(table, start..len.min(start.saturating_add(self.rows)));
    }
}

/// Calls `work`. If costs are measured, adds its time to the cost of a step.
#[inline]
fn timed(costs: Option<&Costs>, step: u32, work: impl FnOnce()) {
    let Some(costs) = costs else { return work() };
    let start = Instant::now();
    work();
    costs.add(step, start.elapsed());
}
