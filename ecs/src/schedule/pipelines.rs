//! Finds the systems of a plan that may run block by block, and decides when this pays off.
//!
//! A *pipeline* is a range of consecutive steps of a stage that all visit rows and access no rows except their own. All
//! of the steps run on a block of rows that fits into a cache, then all of them run on the next block. So the rows are
//! loaded from memory once. For each row the result is the same as without a pipeline, because the systems visit it in
//! their order. Apart from rows, no two systems access the same data, unless all only read it.
//!
//! The steps of a pipeline are row systems, each with a component in common with an earlier one. A system may visit its
//! first row before the earlier systems have visited their last row, and this must make no difference. So the following
//! must hold:
//!
//! - Apart from their rows, no two systems access data that one of them writes. This includes their conditions, since
//!   these are evaluated before the first block.
//! - The systems cannot fail, since a failure would have to stop at a row.
//! - No row needs a per-row filter check.
//! - No system reads the change ticks of rows that another one changes.
//! - Either all systems are `par` and record nothing, or none is `par`.
//!
//! `NotPipelined` stores the reason why a system is left out, for diagrams.
//!
//! The executor decides which pipelines are used, before the first run and before each measured run. A pipeline is used
//! if the accessed components of its rows exceed the second-level cache. A used pipeline is a unit or part of a unit;
//! the units are rebuilt when the choice changes (`Pipelines::version`).
//!
//! Tests: tests/pipelines/fusion.rs

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::graph::ScheduleGraph;
use super::names::short;
use super::order::Ordering;
use super::plan::{Plan, Stage, Task};
use crate::access::Access;
use crate::component::Components;
use crate::entity::STREAMS;
use crate::structure::store::Store;
use crate::system::RowFacts;
use crate::util::processor::l2_size;

/// Determines when a schedule runs row systems block by block, that is, all systems on a block before the next block:
/// see [`Schedule::set_pipelining`](super::Schedule::set_pipelining).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::schedule::Pipelining;
///
/// let mut schedule = Schedule::default();
/// schedule.set_pipelining(Pipelining::Never);
/// # assert_eq!(Pipelining::default(), Pipelining::Auto);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Pipelining {
    /// Row systems run block by block if the rows exceed the second-level cache. This is checked in the first run, and
    /// then in some runs, at increasing intervals.
    #[default]
    Auto,
    /// Row systems run block by block in every run, whenever it is possible.
    Always,
    /// Row systems never run block by block.
    Never,
}

/// The maximum number of systems of a pipeline. It is limited because each system stays on the stack until all rows are
/// done.
const LONGEST: usize = 16;

/// The number of rows that share ticks.
const GROUP: usize = 64;

/// Steps that may be run block by block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pipeline {
    pub(super) steps: Range<u32>,
    /// Whether several threads may run blocks of the pipeline at the same time.
    pub(super) is_par: bool,
    /// The size of a row in bytes: the sum over all accessed components.
    row_bytes: usize,
    /// The number of rows of a block.
    pub(super) block_rows: usize,
    /// Whether the steps are currently run block by block.
    pub(super) is_used: bool,
}

/// The maximum number of rows of a block. Two such blocks fit into any address space.
const MOST_ROWS: usize = 1 << 30;

/// Returns the number of rows of a block, if a row has `row_bytes` bytes. A block fills half of the second-level cache,
/// and consists of whole groups.
fn block_rows(row_bytes: usize) -> usize {
    let rows = l2_size() / 2 / row_bytes.max(1);
    (rows / GROUP * GROUP).clamp(GROUP, MOST_ROWS)
}

/// The reason why a row system is in no pipeline, or not in the pipeline of the systems before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotPipelined {
    Off,
    PerRow,
    WholeEntities,
    MayFail,
    Records,
    NonSend,
    /// There is no row system directly before or after it with which it could form a pipeline.
    Alone,
    Full,
    /// A system before it in the pipeline uses the same stream of ids.
    Streams,
    /// It has no component in common with the row systems before it. The number here and below identifies the earlier
    /// system that is in the way.
    NothingShared(u32),
    Par(u32),
    Uses(String, u32),
    Ticks(String, u32),
}

impl NotPipelined {
    /// Returns the reason as text, for instance "it may fail". `name` returns the name of a system.
    pub(super) fn text(&self, name: impl Fn(u32) -> String) -> String {
        match self {
            Self::Off => String::from("it says `pipeline = off`"),
            Self::PerRow => String::from("it looks at each row by itself: for a filter, or for a sparse component"),
            Self::WholeEntities => String::from("it borrows all components of its rows"),
            Self::MayFail => String::from("it may fail"),
            Self::Records => String::from("it is `par` and records something"),
            Self::NonSend => String::from("it uses something that stays on its thread"),
            Self::Alone => {
                String::from("directly before and after it there is no row system that it could be run with")
            }
            Self::Full => format!("the pipeline before it is full: it has {LONGEST} systems"),
            Self::Streams => {
                format!("the pipeline before it is full: it has {STREAMS} systems with commands")
            }
            Self::NothingShared(with) => {
                format!("it has no component in common with the row systems before it, from `{}` on", name(*with))
            }
            Self::Par(with) => format!("it or `{}` is `par`, and the other one is not", name(*with)),
            Self::Uses(what, with) => format!(
                "it and `{}` use {}: one of them changes it, and one of them uses it beyond its own rows",
                name(*with),
                short(what)
            ),
            Self::Ticks(what, with) => format!(
                "it or `{}` has to do with when {} was changed in which row, and the other one changes it",
                name(*with),
                short(what)
            ),
        }
    }
}

/// A step that may be part of a pipeline.
struct CandidateStep<'g> {
    step: u32,
    system: u32,
    /// The stream of ids of the step, if it has one. The steps of a pipeline take turns in each block, so no two may
    /// share a stream.
    stream: Option<u32>,
    facts: &'g RowFacts,
    /// The access of the system and of its conditions to everything except the rows of its loop.
    others: Access,
    /// The access of the system to the rows of its loop.
    rows: Access,
}

/// The pipelines of a plan.
pub(super) struct Pipelines {
    /// The pipelines in the order of the steps.
    pub(super) all: Vec<Pipeline>,
    /// For each system: if it is a row system in no pipeline, the reason.
    pub(super) not_pipelined: Vec<Option<NotPipelined>>,
    /// Incremented whenever the set of used pipelines changes.
    pub(super) version: u32,
    /// The mode that applied when the pipelines to use were chosen last.
    pub(super) mode: Pipelining,
}

impl Pipelines {
    /// Sets the number of rows of a block, rounded up to whole groups and limited to `MOST_ROWS`.
    pub(super) fn set_block_rows(&mut self, rows: usize) {
        let rows = rows.clamp(GROUP, MOST_ROWS).next_multiple_of(GROUP);
        self.all.iter_mut().for_each(|pipeline| pipeline.block_rows = rows);
    }

    /// Finds the pipelines of a plan whose systems have been initialized. `O(n)` in systems.
    pub(super) fn of(graph: &ScheduleGraph, plan: &Plan, components: &Components) -> Self {
        let not_pipelined = alloc::vec![None; graph.systems.len()];
        let mut found = Self { all: Vec::new(), not_pipelined, version: 0, mode: Pipelining::default() };
        for stage in &plan.stages {
            let Stage::Shared { steps, .. } = stage else {
                if let Stage::Exclusive { step } = stage {
                    found.candidate(graph, plan, *step);
                }
                continue;
            };
            let mut run: Vec<CandidateStep<'_>> = Vec::new();
            for step in steps.clone() {
                let Some(next) = found.candidate(graph, plan, step) else {
                    found.close(&mut run, components);
                    continue;
                };
                if let Some(not_pipelined) = next.not_pipelined_with(&run, components) {
                    found.close(&mut run, components);
                    found.not_pipelined[next.system as usize] = Some(not_pipelined);
                }
                run.push(next);
            }
            found.close(&mut run, components);
        }
        found
    }

    /// Returns the step as a candidate. Returns `None` if the system cannot be in any pipeline, whatever the other
    /// systems are.
    fn candidate<'g>(&mut self, graph: &'g ScheduleGraph, plan: &Plan, step: u32) -> Option<CandidateStep<'g>> {
        let Task::System(system) = plan.steps[step as usize].task else { return None };
        let runnable = &graph.runnables[system as usize];
        let system_facts = runnable.system.facts();
        let (facts, access) = (system_facts.row_facts?, system_facts.access);
        let conditions = graph.conditions_of(system);
        let others = conditions
            .iter()
            .fold(access.of_params(|param| param != 0), |all, condition| all.union(condition.system.access()));
        let not_pipelined = [
            (!facts.in_pipelines, NotPipelined::Off),
            (facts.is_per_row, NotPipelined::PerRow),
            (facts.rows.borrowed().is_none(), NotPipelined::WholeEntities),
            (facts.may_fail, NotPipelined::MayFail),
            (facts.records, NotPipelined::Records),
            (!others.is_send(), NotPipelined::NonSend),
        ];
        match not_pipelined.into_iter().find(|(applies, _)| *applies) {
            Some((_, not_pipelined)) => {
                self.not_pipelined[system as usize] = Some(not_pipelined);
                None
            }
            None => {
                let (rows, stream) = (access.of_params(|param| param == 0), plan.steps[step as usize].stream);
                Some(CandidateStep { step, system, stream, facts, others, rows })
            }
        }
    }

    /// Makes a pipeline of the steps in `run`, if `run` contains more than one.
    fn close(&mut self, run: &mut Vec<CandidateStep<'_>>, components: &Components) {
        if let ([first, .., last], true) = (run.as_slice(), run.len() > 1) {
            let mut touched: Vec<_> = run.iter().filter_map(|member| member.facts.rows.borrowed()).flatten().collect();
            touched.sort_unstable();
            touched.dedup();
            let sizes = touched.iter().filter_map(|id| components.info(*id)).map(|info| info.layout().size());
            let row_bytes = sizes.sum();
            self.all.push(Pipeline {
                steps: first.step..last.step + 1,
                is_par: first.facts.is_par,
                row_bytes,
                block_rows: block_rows(row_bytes),
                is_used: false,
            });
            run.iter().skip(1).for_each(|member| self.not_pipelined[member.system as usize] = None);
            self.not_pipelined[first.system as usize] = None;
        } else if let [only] = run.as_slice() {
            self.not_pipelined[only.system as usize].get_or_insert(NotPipelined::Alone);
        }
        run.clear();
    }

    /// Decides which pipelines are used from now on.
    pub(super) fn decide(&mut self, mode: Pipelining, graph: &ScheduleGraph, plan: &Plan, store: &Store) {
        self.mode = mode;
        let l2 = l2_size();
        for pipeline in &mut self.all {
            let most_rows = || {
                let rows = pipeline.steps.clone().filter_map(|step| match plan.steps[step as usize].task {
                    Task::System(system) => graph.runnables[system as usize].system.rows(store),
                    Task::Ask(_) => None,
                });
                rows.max().unwrap_or(0)
            };
            let is_used = match mode {
                Pipelining::Always => true,
                Pipelining::Never => false,
                Pipelining::Auto => most_rows().saturating_mul(pipeline.row_bytes) > l2,
            };
            if pipeline.is_used != is_used {
                pipeline.is_used = is_used;
                self.version = self.version.wrapping_add(1);
            }
        }
    }

    /// Returns whether the plan contains any row system. Only row systems can be in a pipeline.
    pub(super) fn concern_some(&self) -> bool {
        !self.all.is_empty() || self.not_pipelined.iter().any(Option::is_some)
    }

    /// Returns the pipelines among some steps, whether they are used or not.
    pub(super) fn used_in(&self, steps: &Range<u32>) -> &[Pipeline] {
        let first = self.all.partition_point(|pipeline| pipeline.steps.start < steps.start);
        let end = self.all.partition_point(|pipeline| pipeline.steps.start < steps.end);
        &self.all[first..end]
    }
}

/// The graph of a schedule and the plan built from it.
#[derive(Clone, Copy)]
pub(super) struct PlannedGraph<'a> {
    pub(super) graph: &'a ScheduleGraph,
    pub(super) order: &'a Ordering,
    pub(super) plan: &'a Plan,
    pub(super) pipelines: &'a Pipelines,
}

impl CandidateStep<'_> {
    /// Returns the reason why the step cannot join the pipeline of the steps in `run`, or `None` if it can.
    fn not_pipelined_with(&self, run: &[Self], components: &Components) -> Option<NotPipelined> {
        let first = run.first()?;
        if run.len() == LONGEST {
            return Some(NotPipelined::Full);
        }
        if self.stream.is_some() && run.iter().any(|member| member.stream == self.stream) {
            return Some(NotPipelined::Streams);
        }
        if first.facts.is_par != self.facts.is_par {
            return Some(NotPipelined::Par(first.system));
        }
        if let Some(not_pipelined) = run.iter().find_map(|member| self.in_the_way(member, components)) {
            return Some(not_pipelined);
        }
        let shares = |member: &Self| self.facts.rows.shares_with(&member.facts.rows);
        (!run.iter().any(shares)).then_some(NotPipelined::NothingShared(first.system))
    }

    /// Returns the conflict between two steps, if there is one. Visiting the same rows is no conflict.
    fn in_the_way(&self, other: &Self, components: &Components) -> Option<NotPipelined> {
        let all_but_rows = [(&self.others, &other.others), (&self.others, &other.rows), (&self.rows, &other.others)];
        // The check covers more than values: a system that writes a column also records its changes, which two systems must not do at the
        // same time.
        let uses = all_but_rows.into_iter().find_map(|(own, others)| own.first_collision(others, components));
        if let Some(what) = uses {
            return Some(NotPipelined::Uses(what, other.system));
        }
        if self.others.looks_at_world() && other.others.looks_at_world() {
            // Both systems may reserve ids through `&World`. Ids are assigned in the order of the requests, which would change if the
            // systems ran block by block.
            return Some(NotPipelined::Uses(String::from("the world's next ids (`&World`)"), other.system));
        }
        let ticked = |one: &Self, two: &Self| one.facts.ticked.iter().copied().find(|id| two.facts.rows.writes(*id));
        let ticked = ticked(self, other).or_else(|| ticked(other, self))?;
        Some(NotPipelined::Ticks(format!("component `{}`", components.name(ticked)), other.system))
    }
}
