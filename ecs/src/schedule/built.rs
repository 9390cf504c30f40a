//! What is made of a graph for a world: the order, the plan, and what is kept from run to run.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::costs::Costs;
use super::error::{ScheduleError, SystemError};
use super::executor::Executor;
use super::fused::Panicked;
use super::graph::Graph;
use super::ids::{IdMarks, IdSources};
use super::order::Ordering;
#[cfg(feature = "parallel")]
use super::parallel_plan::{Layout, ParallelPlan};
use super::pipelines::{Pipelines, Pipelining};
use super::plan::{Plan, Stage};
use super::run::{FullRun, Run};
use super::samples::Samples;
use super::steps::{ErrorHandlers, Outcome, Outcomes, ScheduleErrorHandler, Shared};
use crate::label::InternedScheduleLabel;
use crate::store::{Seat, Store, WorldId};
use crate::trace::RunSpan;

/// The settings of a schedule that its runs depend on.
#[derive(Clone, Copy, Default)]
pub(super) struct RunOptions {
    pub(super) label: Option<InternedScheduleLabel>,
    pub(super) handler: Option<ScheduleErrorHandler>,
    pub(super) executor: Executor,
    /// Whether each run is measured.
    pub(super) profiles: bool,
    pub(super) pipelining: Pipelining,
    /// For tests: how many rows a block has, if that was set.
    pub(super) block_rows: Option<usize>,
}

/// A graph whose systems have been prepared for a world and ordered.
pub(super) struct Built {
    /// The world of the plan. `None` if the schedule has to be built again before the next run: because a system has replaced the world, or
    /// because that was requested.
    pub(super) world: Option<WorldId>,
    pub(super) order: Ordering,
    pub(super) plan: Plan,
    pub(super) outcomes: Outcomes,
    costs: Costs,
    pub(super) samples: Samples,
    id_sources: IdSources,
    id_marks: IdMarks,
    reads_messages: bool,
    pub(super) pipelines: Pipelines,
    #[cfg(feature = "parallel")]
    pub(super) parallel_plan: ParallelPlan,
    /// The number of runs from now on that are plain: they have one stage, and nothing is measured, recorded or run in parallel. Set to
    /// zero when a setting changes that this depends on.
    pub(super) plain_runs: u64,
    /// When the current run began, if it is measured.
    #[cfg(feature = "std")]
    started: Option<std::time::Instant>,
}

impl Built {
    /// Lays out the run of systems that have been prepared for a world. `seat` stands for the schedule there.
    pub(super) fn new(options: RunOptions, order: Ordering, graph: &Graph, seat: &Seat, store: &mut Store) -> Self {
        let plan = Plan::of(graph, &order);
        let id_sources = IdSources::of(options.label, graph, &plan, store);
        let messages = graph.message_readers();
        store.frames.hold_messages(&mut store.resources, seat, &messages);
        let mut pipelines = Pipelines::of(graph, &plan, &store.structure.archetypes.components);
        pipelines.decide(options.pipelining, graph, &plan, store);
        if let Some(rows) = options.block_rows {
            pipelines.set_block_rows(rows);
        }
        Self {
            world: Some(store.id()),
            order,
            plan,
            outcomes: Outcomes::default(),
            costs: Costs::default(),
            samples: Samples::default(),
            id_sources,
            id_marks: IdMarks::default(),
            reads_messages: !messages.is_empty(),
            pipelines,
            #[cfg(feature = "parallel")]
            parallel_plan: ParallelPlan::default(),
            plain_runs: 0,
            #[cfg(feature = "std")]
            started: None,
        }
    }

    /// Begins a plain run, if the next run is one.
    #[inline]
    pub(super) fn begin_plain(&mut self, world: WorldId) -> bool {
        let is_plain = self.plain_runs != 0 && self.world == Some(world);
        if is_plain {
            self.plain_runs -= 1;
            self.costs.pass_over();
            self.samples.pass_over();
            self.outcomes.reset(self.plan.steps.len());
        }
        is_plain
    }

    /// Begins a run that is not plain. Returns whether it is measured.
    pub(super) fn begin_full(&mut self, options: RunOptions, graph: &Graph, seat: &Seat, store: &mut Store) -> bool {
        self.plain_runs = 0;
        if self.reads_messages {
            store.frames.offer_messages(&mut store.resources, seat);
        }
        let steps = self.plan.steps.len();
        self.outcomes.reset(steps);
        self.id_marks.reset(&self.plan);
        let measures = self.costs.begin(steps, options.profiles);
        self.samples.begin(steps);
        #[cfg(feature = "std")]
        {
            self.started = measures.then(std::time::Instant::now);
        }
        if measures {
            self.pipelines.decide(options.pipelining, graph, &self.plan, store);
        }
        measures
    }

    /// Runs all steps after the run has begun. `measures` is `None` if the run is plain, or else whether the run is measured. Sets
    /// `systems_of`, the world of the state of the systems, if the world is replaced.
    #[inline]
    pub(super) fn run(
        &mut self,
        options: RunOptions,
        graph: &mut Graph,
        systems_of: &mut Option<WorldId>,
        (measures, span): (Option<bool>, RunSpan),
        store: &mut Store,
    ) -> Result<(), ScheduleError> {
        let full = match measures {
            None => None,
            Some(measures) => {
                #[cfg(feature = "parallel")]
                let (units, walls) = {
                    let layout = Layout { graph, order: &self.order, plan: &self.plan, pipelines: &self.pipelines };
                    self.parallel_plan.prepare(options.executor, layout, store)
                };
                Some(FullRun {
                    prepared_for: &mut self.world,
                    systems_of,
                    id_sources: &mut self.id_sources,
                    costs: &self.costs,
                    samples: &mut self.samples,
                    measures,
                    pipelines: &self.pipelines,
                    #[cfg(feature = "parallel")]
                    units,
                    #[cfg(feature = "parallel")]
                    walls,
                    in_pipeline: Panicked::none(),
                    #[cfg(feature = "std")]
                    panicked: None,
                })
            }
        };
        let shared = Shared {
            plan: &self.plan,
            order: &self.order,
            outcomes: &self.outcomes,
            id_marks: &self.id_marks,
            handlers: ErrorHandlers { of_schedule: options.handler, of_world: store.commands.errors.handler },
            label: options.label,
            span,
        };
        let errors = Run { shared, graph: &mut *graph, errors: Vec::new(), full }.run(store);
        if measures.is_none() && errors.is_empty() {
            // Dropping an empty list would cost a check of its capacity.
            core::mem::forget(errors);
            return Ok(());
        }
        self.end(options, graph, measures, errors, store)
    }

    /// Ends a run that is not plain, or has had errors. Returns the error of the first step.
    #[cold]
    fn end(
        &mut self,
        options: RunOptions,
        #[cfg_attr(
            not(feature = "parallel"),
            expect(unused_variables, reason = "one thread leaves nothing to decide")
        )]
        graph: &Graph,
        measures: Option<bool>,
        errors: Vec<(u32, Box<SystemError>)>,
        #[cfg_attr(
            not(feature = "parallel"),
            expect(unused_variables, reason = "one thread leaves nothing to decide")
        )]
        store: &Store,
    ) -> Result<(), ScheduleError> {
        self.plain_runs = 0;
        #[cfg(feature = "std")]
        let total = self.started.take().map(|started| started.elapsed());
        // Without the standard library there is no clock, and nothing is measured.
        #[cfg(not(feature = "std"))]
        let total = None;
        if let Some(total) = total {
            self.note_times(total);
        }
        // The measurements of a run that has replaced the world say nothing about the plan.
        if measures == Some(true) && self.costs.end() && self.world.is_some() {
            #[cfg(feature = "parallel")]
            {
                let Self { order, plan, pipelines, parallel_plan, costs, .. } = self;
                let layout = Layout { graph, order, plan, pipelines };
                parallel_plan.decide(options.executor, layout, store, costs.expected());
            }
        }
        if errors.is_empty() {
            self.plain_runs = self.plain_runs_after(options.profiles);
            return Ok(());
        }
        // The texts of errors are user code, which may panic, so they come last.
        self.samples.add_failures(&errors);
        let errors = errors.into_iter().filter(|(_, error)| error.stops);
        match errors.min_by_key(|(step, _)| *step) {
            Some((_, error)) => Err(ScheduleError::System(*error)),
            None => Ok(()),
        }
    }

    /// The number of plain runs after a run without errors.
    fn plain_runs_after(&self, profiles: bool) -> u64 {
        let [Stage::Shared { recorders, .. }] = self.plan.stages.as_slice() else { return 0 };
        #[cfg(feature = "parallel")]
        let is_in_units = self.parallel_plan.has_units();
        #[cfg(not(feature = "parallel"))]
        let is_in_units = false;
        // Without the standard library a panic cannot be caught, and ids are placed afterwards.
        let is_plain = cfg!(feature = "std")
            && recorders.is_empty()
            && !(self.reads_messages || profiles || is_in_units)
            && self.world.is_some()
            && self.pipelines.all.iter().all(|pipeline| !pipeline.is_used);
        if is_plain { self.costs.runs_before_measured() } else { 0 }
    }

    /// Notes how long the steps that ran took, and the whole run.
    fn note_times(&mut self, total: core::time::Duration) {
        for step in 0..self.plan.steps.len() as u32 {
            if matches!(self.outcomes.get(step), Outcome::Ran | Outcome::Failed) {
                self.samples.add_time(step, self.costs.measured(step));
            }
        }
        self.samples.totals.add(u64::try_from(total.as_nanos()).unwrap_or(u64::MAX));
    }
}
