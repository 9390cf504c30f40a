//! A system that looks with one filter.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;

/// Sees what matches a filter since it looked last.
pub(crate) struct Watcher<F> {
    schedule: Schedule,
    seen: Arc<Mutex<Vec<Entity>>>,
    filter: PhantomData<F>,
}

impl<F: QueryFilter + 'static> Watcher<F> {
    pub(crate) fn new() -> Self {
        let seen = Arc::<Mutex<Vec<Entity>>>::default();
        let mut schedule = Schedule::default();
        let noted = Arc::clone(&seen);
        schedule.add_systems(move |query: Query<Entity, F>| noted.lock().expect("no panic").extend(&query));
        Self { schedule, seen, filter: PhantomData }
    }

    /// One that has run already.
    pub(crate) fn of(world: &mut World) -> Self {
        let mut watcher = Self::new();
        watcher.sees(world);
        watcher
    }

    /// Returns the entities that the watcher detects now, in order.
    pub(crate) fn sees(&mut self, world: &mut World) -> Vec<Entity> {
        self.schedule.run(world);
        let mut seen = std::mem::take(&mut *self.seen.lock().expect("no panic"));
        seen.sort_unstable();
        assert!(seen.is_sorted_by(|a, b| a < b), "something was seen twice");
        seen
    }
}
