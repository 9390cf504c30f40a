//! Id streams of the systems of a stage. When the stage begins, their sizes are taken from the world's forecasts.
//!
//! Tests: tests/schedules/streams.rs

use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hashbrown::HashMap;

use super::graph::ScheduleGraph;
use super::plan::{Plan, SystemStream};
use crate::entity::{ForecastId, STREAMS, SystemKey, id_window};
use crate::schedule::label::InternedScheduleLabel;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::util::alloc_error::AllocError;

/// The mark of a step that did not run.
const NEVER: u64 = u64::MAX;

/// For each recorder of a plan: the forecast of its system, in the world that the schedule was prepared for.
pub(super) struct IdSources(Vec<ForecastId>);

impl IdSources {
    /// Registers the systems of a plan. They must have been initialized for the world of `store`.
    pub(super) fn of(
        label: Option<InternedScheduleLabel>,
        graph: &ScheduleGraph,
        plan: &Plan,
        store: &mut Store,
    ) -> Self {
        let mut occurrences: HashMap<&str, u32> = HashMap::new();
        let keys = graph.runnables.iter().map(|runnable| {
            let name = runnable.system.name();
            let next = occurrences.entry(name).or_default();
            *next += 1;
            SystemKey::new(label, name, *next - 1)
        });
        let keys: Vec<SystemKey> = keys.collect();
        let forecasts = &mut store.structure.id_forecasts;
        Self(plan.recorders.iter().map(|recorder| forecasts.register(keys[recorder.system as usize])).collect())
    }
}

/// For each recorder: the number of ids that had been taken from its stream when its step began. Steps that share a
/// stream run one after the other.
#[derive(Default)]
pub(super) struct IdMarks(Vec<AtomicU64>);

impl IdMarks {
    /// Resets the marks before a run of a plan.
    pub(super) fn reset(&mut self, plan: &Plan) {
        self.0.resize_with(plan.recorders.len(), || AtomicU64::new(NEVER));
    }

    /// Records that the step of a recorder begins. `cell` uses the stream of the step.
    #[inline]
    pub(super) fn begin(&self, recorder: u32, cell: &StoreCell<'_>) {
        self.0[recorder as usize].store(cell.ids().taken(), Relaxed);
    }
}

/// A store whose id streams are open for a stage. Dropping it closes the streams, also during a panic.
pub(super) struct OpenStreams<'a> {
    pub(super) store: &'a mut Store,
    recorders: &'a [SystemStream],
    forecasts: &'a [ForecastId],
    marks: &'a [AtomicU64],
    /// Whether any system is expected to take ids.
    any_wanted: bool,
}

impl<'a> OpenStreams<'a> {
    /// Opens the streams that the recorders of a stage use.
    #[inline]
    pub(super) fn open(
        store: &'a mut Store,
        plan: &'a Plan,
        recorders: &Range<u32>,
        sources: &'a IdSources,
        marks: &'a IdMarks,
    ) -> Self {
        if recorders.is_empty() {
            return Self { store, recorders: &[], forecasts: &[], marks: &[], any_wanted: false };
        }
        let range = recorders.start as usize..recorders.end as usize;
        let (recorders, forecasts, marks) =
            (&plan.recorders[range.clone()], &sources.0[range.clone()], &marks.0[range]);
        let mut wanted = [0_u32; STREAMS as usize];
        for ((recorder, forecast), mark) in recorders.iter().zip(forecasts).zip(marks) {
            mark.store(NEVER, Relaxed);
            let wanted = &mut wanted[(recorder.stream % STREAMS) as usize];
            *wanted = wanted.saturating_add(store.structure.id_forecasts.wanted(*forecast));
        }
        store.open_id_streams(wanted.into_iter().take(recorders.len()).map(id_window));
        Self { store, recorders, forecasts, marks, any_wanted: wanted != [0; STREAMS as usize] }
    }

    /// Records how many ids each system has taken.
    fn note_taken(&mut self) {
        let Self { store, recorders, forecasts, marks, any_wanted } = self;
        let mut ends: [u64; STREAMS as usize] =
            core::array::from_fn(|stream| store.structure.entities.stream(stream as u32).taken());
        if !*any_wanted && ends == [0; STREAMS as usize] {
            return;
        }
        for ((recorder, forecast), mark) in recorders.iter().zip(*forecasts).zip(*marks).rev() {
            let (end, begin) = (&mut ends[(recorder.stream % STREAMS) as usize], mark.load(Relaxed));
            let used = if begin == NEVER { 0 } else { *end - begin };
            *end -= used;
            store.structure.id_forecasts.note(*forecast, u32::try_from(used).unwrap_or(u32::MAX));
        }
    }
}

impl OpenStreams<'_> {
    /// Closes the streams.
    ///
    /// # Panics
    ///
    /// If memory allocation fails. Then the reserved ids are not alive.
    #[inline]
    pub(super) fn close(&mut self) {
        if !self.recorders.is_empty() {
            self.try_close().unwrap_or_else(|error| error.raise());
        }
    }

    /// Closes the streams. Even if this fails, they count as closed afterwards.
    fn try_close(&mut self) -> Result<(), AllocError> {
        self.note_taken();
        self.recorders = &[];
        self.store.structure.close_id_streams()
    }
}

/// Closes the streams when a panic unwinds. If memory allocation fails, the error is ignored, because a second panic
/// would abort the process; then the reserved ids are not alive.
impl Drop for OpenStreams<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.recorders.is_empty() {
            let _ = self.try_close();
        }
    }
}
