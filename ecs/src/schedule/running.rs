//! Prepares a schedule for a world, and runs it.
//!
//! Tests: tests/schedules/schedule/many_runs.rs, tests/hazards/preparing.rs

use alloc::vec::Vec;

use super::ambiguity;
use super::base::Schedule;
use super::built::{BuiltSchedule, PlannedSteps};
use super::costs::Costs;
use super::error::{ScheduleBuildError, ScheduleError};
use super::fused::PanickedStep;
use super::ids::{IdMarks, IdSources};
use super::order::Ordering;
#[cfg(feature = "parallel")]
use super::parallel_plan::ParallelPlan;
use super::pipelines::Pipelines;
use super::plan::Plan;
use super::run::ScheduleRun;
#[cfg(feature = "std")]
use super::run::run_only_stage;
use super::samples::Samples;
use super::settings::LogLevel;
use super::steps::Outcomes;
use crate::structure::store::{Store, begin_run_in_frame, end_frame_for_commands};
use crate::system::commands::apply_after_frame;
use crate::util::pool::Instant;
use crate::util::trace::{self, RunSpan};

impl Schedule {
    /// Runs all systems. If the schedule has already run in the current frame, a new frame begins first.
    pub(crate) fn run_on(&mut self, store: &mut Store) -> Result<(), ScheduleError> {
        let (label, stays_in_frame) = (self.label.map(|label| label.number()), self.stays_in_frame);
        if !stays_in_frame && !store.commands.after_frame.is_empty() {
            let seat = self.seat_in(store.id());
            if end_frame_for_commands(store, Some((label, Some(seat)))) {
                apply_after_frame(store);
            }
        }
        let seat = self.seat_in(store.id());
        begin_run_in_frame(store, (!stays_in_frame).then_some((label, seat)));
        let (span, _entered) = RunSpan::begin(self.label);
        #[cfg(feature = "std")]
        if let Some(built) = &mut self.built
            && built.plain_runs != 0
            && built.world == Some(store.id())
        {
            // Nothing else borrows the store mutably during this run, so the frames need not record that the run is in
            // progress.
            built.plain_runs -= 1;
            built.costs.pass_over();
            built.samples.pass_over();
            built.steps.outcomes.reset(built.steps.plan.steps.len());
            let shared = built.steps.shared(self.label, self.handler, store, span);
            let errors = run_only_stage(shared, &mut self.graph, store);
            if errors.is_empty() {
                // The vector is empty, but without `forget` the compiler would emit code to drop its elements.
                core::mem::forget(errors);
                return Ok(());
            }
            built.plain_runs = 0;
            return built.note_errors(errors);
        }
        self.run_stages(store, span)
    }

    /// Prepares the systems that are not prepared, and runs all stages. If a measurement is due, measures the run.
    #[inline(never)]
    fn run_stages(&mut self, store: &mut Store, span: RunSpan) -> Result<(), ScheduleError> {
        let _ongoing = store.frames.enter();
        // All systems are prepared before the first one runs, so that readers of messages and removals miss nothing that it writes.
        self.initialize_on(store)?;
        let Some(built) = &mut self.built else { return Ok(()) };
        if let (true, Some((_, seat))) = (built.reads_messages, &self.seat) {
            store.frames.offer_messages(&mut store.resources, seat);
        }
        let measures = built.begin_run(self.profiles);
        let start = measures.then(Instant::now);
        if measures {
            built.pipelines.decide(self.pipelining, &self.graph, &built.steps.plan, store);
        }
        #[cfg(feature = "parallel")]
        let (units, walls) =
            built.parallel_plan.prepare(self.executor, built.steps.layout(&self.graph, &built.pipelines), store);
        let mut run = ScheduleRun {
            shared: built.steps.shared(self.label, self.handler, store, span),
            prepared_for: &mut built.world,
            systems_of: &mut self.systems_of,
            graph: &mut self.graph,
            errors: Vec::new(),
            id_sources: &mut built.id_sources,
            costs: &built.costs,
            samples: &mut built.samples,
            measures,
            pipelines: &built.pipelines,
            in_pipeline: PanickedStep::none(),
            #[cfg(feature = "parallel")]
            units,
            #[cfg(feature = "parallel")]
            walls,
            #[cfg(feature = "std")]
            panicked: None,
        };
        run.run(store);
        // In the usual case without errors, no vector is moved out of the run.
        let errors = if run.errors.is_empty() { None } else { Some(run.errors) };
        if let Some(start) = start {
            built.note_times(start.elapsed());
        }
        // If the world was replaced during the run, the costs were measured in another world and do not apply to this plan.
        if measures && built.costs.end() && built.world.is_some() {
            #[cfg(feature = "parallel")]
            let layout = built.steps.layout(&self.graph, &built.pipelines);
            #[cfg(feature = "parallel")]
            built.parallel_plan.decide(self.executor, layout, store, &built.costs.expected);
        }
        let Some(errors) = errors else {
            built.plain_runs = built.plain_runs_after(self.profiles);
            return Ok(());
        };
        built.note_errors(errors)
    }

    /// Prepares all systems for a world and orders them, unless this has been done.
    pub(crate) fn initialize_on(&mut self, store: &mut Store) -> Result<(), ScheduleBuildError> {
        let world = store.id();
        if !self.is_prepared_for(world) {
            // The plan is removed before the systems are prepared: that runs user code, and if it panics, the schedule must not count as
            // prepared.
            self.built = None;
            self.systems_of = self.systems_of.filter(|of| *of == world);
            self.graph.initialize(store)?;
            self.systems_of = Some(world);
            assert!(world == store.id(), "a system has replaced the world when it was prepared for it");
            let order = Ordering::of(&self.graph)?;
            self.check_ambiguities(&order, store)?;
            let plan = Plan::of(&self.graph, &order);
            let id_sources = IdSources::of(self.label, &self.graph, &plan, store);
            let messages = self.graph.message_readers();
            let reads_messages = !messages.is_empty();
            store.frames.hold_messages(&mut store.resources, self.seat_in(world), &messages);
            let mut pipelines = Pipelines::of(&self.graph, &plan, &store.structure.archetypes.components);
            pipelines.decide(self.pipelining, &self.graph, &plan, store);
            if let Some(rows) = self.block_rows {
                pipelines.set_block_rows(rows);
            }
            self.built = Some(BuiltSchedule {
                world: Some(world),
                steps: PlannedSteps { order, plan, outcomes: Outcomes::default(), id_marks: IdMarks::default() },
                costs: Costs::default(),
                samples: Samples::default(),
                id_sources,
                reads_messages,
                pipelines,
                #[cfg(feature = "parallel")]
                parallel_plan: ParallelPlan::default(),
                plain_runs: 0,
            });
        }
        Ok(())
    }

    fn check_ambiguities(&self, order: &Ordering, store: &Store) -> Result<(), ScheduleBuildError> {
        if self.settings.ambiguity_detection == LogLevel::Ignore {
            return Ok(());
        }
        let found = ambiguity::find(&self.graph, order, &store.structure.archetypes.components);
        if found.is_empty() {
            return Ok(());
        }
        let error = ScheduleBuildError::Ambiguous(found);
        if self.settings.ambiguity_detection == LogLevel::Error {
            return Err(error);
        }
        trace::warn(&error);
        Ok(())
    }
}
