//! The expected number of ids that each system of a world will reserve.
//!
//! The ids of a system depend on the windows of the id streams of its stage. The windows are computed from forecasts, which belong to the
//! world and not to the plan of a schedule. So the ids are the same if a schedule is rebuilt, is replaced, or runs alternately on several
//! worlds. Systems are identified by a [`SystemKey`].
//!
//! The length of the window of a stream depends on the number of ids that its systems reserved in earlier runs. The key of a system is the
//! label of the schedule, the name of the system, and its index among the systems of this name. So the ids are also the same if a schedule
//! is replaced by another schedule with the same systems, or if systems that cannot reserve ids are added or removed.
//! `tests/schedules/determinism/histories.rs` compares such histories.
//!
//! An idle system that takes `Commands` is an exception: adding it changes the ids of other systems. It has a stream, or a turn in a
//! stream, like any other system, because before its first run it is unknown whether it will reserve ids. To avoid the exception, the ids
//! of each system would have to follow from its name alone. Then either the lanes of all streams would always be open, and if one task took
//! all ids of a stage, it would need 40 times as many slots instead of 17 times. Or systems that have never reserved ids would share two
//! streams and run one after the other. An exclusive system, or a system with ordering constraints, ends a stage, and therefore also
//! changes ids.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use hashbrown::HashMap;

use crate::util::fnv::Fnv;

/// Windows are multiples of this number.
const STEP: u32 = 16;

/// The maximum size of a window. Windows are limited because the windows of a world share its indexes.
const MOST: u32 = 1 << 26;

/// The maximum forecast in a world with fewer slots than this.
const WITHOUT_SLOTS: u32 = 1 << 12;

/// Identifies a system of a schedule without its type: by the label of the schedule, the name of the system, and its index among the
/// systems of this name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SystemKey {
    label: u64,
    name: u64,
    occurrence: u32,
}

impl SystemKey {
    /// Returns the key of a system. It contains hashes of the label and the name. Systems with equal hashes share a forecast, which is
    /// harmless.
    pub(crate) fn new(label: Option<impl Hash>, name: &str, occurrence: u32) -> Self {
        let mut of_label = Fnv::default();
        label.hash(&mut of_label);
        let mut of_name = Fnv::default();
        of_name.write(name.as_bytes());
        Self { label: of_label.finish(), name: of_name.finish(), occurrence }
    }
}

/// The index of a system among the forecasts of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ForecastId(u32);

/// The forecasts of the systems that have been prepared for a world. They take about 40 bytes per system, for the lifetime of the world.
#[derive(Clone, Default)]
pub(crate) struct IdForecasts {
    /// The expected number of ids of each system.
    wanted: Vec<u32>,
    numbers: HashMap<SystemKey, ForecastId>,
}

impl IdForecasts {
    /// Returns the id of the forecast of a system. The forecast is created if it does not exist.
    pub(crate) fn register(&mut self, key: SystemKey) -> ForecastId {
        let Self { wanted, numbers } = self;
        *numbers.entry(key).or_insert_with(|| {
            wanted.push(0);
            ForecastId(wanted.len() as u32 - 1)
        })
    }

    /// Returns the expected number of ids of a system.
    #[inline]
    pub(crate) fn wanted(&self, system: ForecastId) -> u32 {
        self.wanted[system.0 as usize]
    }

    /// Records how many ids a system has reserved. The forecast decreases by at most half each time, so a system that reserves in bursts
    /// keeps its window for a while.
    #[inline]
    pub(crate) fn note(&mut self, system: ForecastId, used: u32) {
        let wanted = &mut self.wanted[system.0 as usize];
        *wanted = used.max(*wanted / 2);
    }

    /// Returns the expected number of ids of a system; 0 if the system is unknown.
    pub(crate) fn wanted_by(&self, key: SystemKey) -> u32 {
        self.numbers.get(&key).map_or(0, |system| self.wanted(*system))
    }

    /// Returns the number of systems with a forecast above 0.
    pub(crate) fn expected(&self) -> usize {
        self.wanted.iter().filter(|wanted| **wanted != 0).count()
    }

    /// Returns forecasts with the given numbers for these systems, and 0 for all other systems. Unknown systems are skipped. The forecasts
    /// are [limited](Self::limit_to) for a world with `slots` slots.
    pub(crate) fn with(&self, wanted: impl IntoIterator<Item = (SystemKey, u32)>, slots: usize) -> Self {
        let mut copy = self.clone();
        copy.wanted.fill(0);
        for (key, wanted) in wanted {
            if let Some(system) = self.numbers.get(&key) {
                copy.wanted[system.0 as usize] = wanted;
            }
        }
        copy.limit_to(slots);
        copy
    }

    /// Limits the forecasts to numbers that are possible in a world with `slots` slots: each id that was taken has a slot until slots are
    /// freed. So a file cannot cause an allocation out of proportion to its size.
    pub(crate) fn limit_to(&mut self, slots: usize) {
        let limit = u32::try_from(slots).unwrap_or(u32::MAX).max(WITHOUT_SLOTS);
        self.wanted.iter_mut().for_each(|wanted| *wanted = (*wanted).min(limit));
    }

    /// Sets the forecasts to those of a copy. Systems that were registered after the copy was taken get 0.
    pub(crate) fn restore_from(&mut self, copy: Self) {
        let mut known = copy.wanted.into_iter();
        self.wanted.iter_mut().for_each(|wanted| *wanted = known.next().unwrap_or(0));
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.wanted.capacity() * size_of::<u32>() + self.numbers.allocation_size()
    }
}

/// Returns the size of a window for a forecast: 1.5 times the forecast, rounded up. 0 if the forecast is 0, as for most systems.
#[inline]
pub(crate) fn id_window(wanted: u32) -> u32 {
    let wanted = wanted.min(MOST);
    (wanted + wanted / 2).next_multiple_of(STEP).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_more_than_the_last_use_and_shrinks_slowly() {
        let mut forecasts = IdForecasts::default();
        let system = forecasts.register(SystemKey::new(None::<u32>, "spawn", 0));
        let mut after = |used| {
            forecasts.note(system, used);
            id_window(forecasts.wanted(system))
        };
        assert_eq!([0, 1, 10, 11, 100].map(&mut after), [0, 16, 16, 16, 160]);
        assert_eq!([0, 0, 0, 0].map(&mut after), [80, 48, 32, 16]);
        assert_eq!([0, 0, 0].map(&mut after), [16, 16, 0]);
        assert_eq!(after(u32::MAX), MOST);
    }

    #[test]
    fn no_more_is_expected_than_there_are_slots() {
        let mut forecasts = IdForecasts::default();
        let key = |name| SystemKey::new(None::<u32>, name, 0);
        let system = forecasts.register(key("spawn"));
        let built = forecasts.with([(key("spawn"), u32::MAX), (key("unknown"), 7)], 100_000);
        assert_eq!((built.wanted(system), built.wanted_by(key("unknown")), built.expected()), (100_000, 0, 1));
        forecasts.restore_from(built);
        forecasts.limit_to(10);
        assert_eq!(forecasts.wanted(system), WITHOUT_SLOTS);
    }

    #[test]
    fn a_system_is_found_again_by_label_name_and_occurrence() {
        let mut forecasts = IdForecasts::default();
        let key = |label, name, nth| SystemKey::new(label, name, nth);
        let keys = [
            key(None, "spawn", 0),
            key(None, "spawn", 1),
            key(Some("label"), "spawn", 0),
            key(Some("other"), "spawn", 0),
            key(None, "other", 0),
        ];
        let systems = keys.map(|key| forecasts.register(key));
        for (nth, system) in systems.into_iter().enumerate() {
            forecasts.note(system, nth as u32);
        }
        let again = keys.map(|key| forecasts.register(key));
        assert_eq!(again.map(|system| forecasts.wanted(system)), [0, 1, 2, 3, 4]);
    }
}
