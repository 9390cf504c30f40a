//! Which systems of a plan may be run block by block, and when that is worth it.
//!
//! A *pipeline* is a run of steps, one behind the other in a stage, that all go through rows and touch no other rows than
//! their own. All of them are run on a block of rows that fits into a cache before any of them is run on the next: what they
//! read and write comes from memory once. For a row nothing is different then: the systems come to it in their order. And
//! nothing but rows is touched by more than one of them, unless all only read it.
//!
//! The steps of a pipeline are loops over rows, each with a component in common with one before it. It must make no
//! difference that a system comes to its first row before those before it have come to their last. So beside their rows no
//! two of them borrow what one of them changes, conditions included, since these are asked before the first block; they
//! cannot fail, for they would have to stop at a row; no row has to be asked whether it matches; and no system looks at when
//! a row was changed that another one changes. All are `par`, and record nothing, or none is. `NotPipelined` keeps the
//! reason why a system is left out, for diagrams.
//!
//! The executor settles which pipelines are used before the first run and before each measured one: those whose rows, of all
//! components that are touched, are more than the second-level cache. A pipeline that is used is one unit, or part of one;
//! units are made anew when the choice changes (`Pipelines::version`).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::graph::Graph;
use super::names::short;
use super::order::Ordering;
use super::plan::{Plan, Stage, Task};
use crate::access::Access;
use crate::component::Components;
use crate::entity::STREAMS;
use crate::processor::l2_size;
use crate::store::Store;
use crate::system::RowFacts;

/// When a schedule runs loops over rows block by block, all systems on a block before the next: see
/// [`Schedule::set_pipelining`](super::Schedule::set_pipelining).
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
    /// Where the rows are so many that they do not fit into the second-level cache. Looked at in the first run, and then in
    /// some, more and more rarely.
    #[default]
    Auto,
    /// Wherever it is possible, in every run.
    Always,
    /// Nowhere.
    Never,
}

/// How many systems a pipeline may have: each waits on the stack for its rows.
const LONGEST: usize = 16;

/// How many rows have ticks in common.
const GROUP: usize = 64;

/// Steps that may be run block by block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pipeline {
    pub(super) steps: Range<u32>,
    /// Whether several threads may run blocks of it at the same time.
    pub(super) is_par: bool,
    /// How many bytes a row has, of all components that are touched.
    row_bytes: usize,
    /// How many rows a block has.
    pub(super) block_rows: usize,
    /// Whether it is run so now.
    pub(super) is_used: bool,
}

/// The most rows of a block. Two blocks of so many are no more than any address space holds.
const MOST_ROWS: usize = 1 << 30;

/// How many rows of a size a block has: so many that they take half of the second-level cache, and whole groups.
fn block_rows(row_bytes: usize) -> usize {
    let rows = l2_size() / 2 / row_bytes.max(1);
    (rows / GROUP * GROUP).clamp(GROUP, MOST_ROWS)
}

/// Why a loop over rows is in no pipeline, or not in that of those before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotPipelined {
    Off,
    PerRow,
    WholeEntities,
    MayFail,
    Records,
    NonSend,
    /// Nothing of the kind comes just before it or after it.
    Alone,
    Full,
    /// Its stream of ids would be that of one before it.
    Streams,
    /// The number is that of a system before it, here and below.
    NothingShared(u32),
    Par(u32),
    Uses(String, u32),
    Ticks(String, u32),
}

impl NotPipelined {
    /// As in "it may fail". Systems are named by a function.
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
struct Candidate<'g> {
    step: u32,
    system: u32,
    /// The stream of ids that it has, if any. Members take turns for each block, so no two may have the same.
    stream: Option<u32>,
    facts: &'g RowFacts,
    /// What it borrows beside its rows, conditions included.
    others: Access,
    /// Its rows alone.
    rows: Access,
}

/// The pipelines of a plan.
pub(super) struct Pipelines {
    /// In the order of the steps.
    pub(super) all: Vec<Pipeline>,
    /// By system: why it is apart, if it goes through rows.
    pub(super) not_pipelined: Vec<Option<NotPipelined>>,
    /// Counts how often it has changed which ones are used.
    pub(super) version: u32,
    /// By what it was settled which ones are used.
    pub(super) mode: Pipelining,
}

impl Pipelines {
    /// Sets how many rows a block has: whole groups, as always, and not more than a table could have.
    pub(super) fn set_block_rows(&mut self, rows: usize) {
        let rows = rows.clamp(GROUP, MOST_ROWS).next_multiple_of(GROUP);
        self.all.iter_mut().for_each(|pipeline| pipeline.block_rows = rows);
    }

    /// Of a plan whose systems have been initialised. `O(n)` in systems.
    pub(super) fn of(graph: &Graph, plan: &Plan, components: &Components) -> Self {
        let not_pipelined = alloc::vec![None; graph.systems.len()];
        let mut found = Self { all: Vec::new(), not_pipelined, version: 0, mode: Pipelining::default() };
        for stage in &plan.stages {
            let Stage::Shared { steps, .. } = stage else {
                if let Stage::Exclusive { step } = stage {
                    found.look_at(graph, plan, *step);
                }
                continue;
            };
            let mut run: Vec<Candidate<'_>> = Vec::new();
            for step in steps.clone() {
                let Some(next) = found.look_at(graph, plan, step) else {
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

    /// The step, if it may be part of a pipeline as far as it is concerned.
    fn look_at<'g>(&mut self, graph: &'g Graph, plan: &Plan, step: u32) -> Option<Candidate<'g>> {
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
                Some(Candidate { step, system, stream, facts, others, rows })
            }
        }
    }

    /// Makes a pipeline of steps, if they are more than one.
    fn close(&mut self, run: &mut Vec<Candidate<'_>>, components: &Components) {
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

    /// Settles which ones are used from now on.
    pub(super) fn decide(&mut self, mode: Pipelining, graph: &Graph, plan: &Plan, store: &Store) {
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

    /// Whether any system goes through rows, and so might be in a pipeline.
    pub(super) fn concern_some(&self) -> bool {
        !self.all.is_empty() || self.not_pipelined.iter().any(Option::is_some)
    }

    /// Those that are used among some steps.
    pub(super) fn used_in(&self, steps: &Range<u32>) -> &[Pipeline] {
        let first = self.all.partition_point(|pipeline| pipeline.steps.start < steps.start);
        let end = self.all.partition_point(|pipeline| pipeline.steps.start < steps.end);
        &self.all[first..end]
    }
}

/// What a schedule has been laid out as.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub(super) graph: &'a Graph,
    pub(super) order: &'a Ordering,
    pub(super) plan: &'a Plan,
    pub(super) pipelines: &'a Pipelines,
}

impl Candidate<'_> {
    /// Why it cannot go on with what these do, if it cannot.
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

    /// What the two have to do with each other beside that both come to their rows.
    fn in_the_way(&self, other: &Self, components: &Components) -> Option<NotPipelined> {
        let all_but_rows = [(&self.others, &other.others), (&self.others, &other.rows), (&self.rows, &other.others)];
        // More than values have to be not_pipelined: a system that writes to a column notes the visit, in turns with the other
        // one.
        let uses = all_but_rows.into_iter().find_map(|(own, others)| own.first_collision(others, components));
        if let Some(what) = uses {
            return Some(NotPipelined::Uses(what, other.system));
        }
        if self.others.looks_at_world() && other.others.looks_at_world() {
            // Ids are handed out in the order in which they are asked for.
            return Some(NotPipelined::Uses(String::from("the world's next ids (`&World`)"), other.system));
        }
        let ticked = |one: &Self, two: &Self| one.facts.ticked.iter().copied().find(|id| two.facts.rows.writes(*id));
        let ticked = ticked(self, other).or_else(|| ticked(other, self))?;
        Some(NotPipelined::Ticks(format!("component `{}`", components.name(ticked)), other.system))
    }
}
