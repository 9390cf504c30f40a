//! What a world expects of the systems that reserve ids: how many each of them will take.
//!
//! Which ids a system gets depends on the windows of its stage, so what these are made of belongs to the world and not to the
//! plan of a schedule: a schedule may be rebuilt, alternate with another world or be replaced, and the ids stay the same.
//! Systems are told apart by a [`SystemKey`].
//!
//! The window of a stream is as long as its systems' ids in earlier runs. The key is the label of the schedule, the name of
//! the system, and which of the systems with this name it is. Ids therefore stay the same if a schedule is built anew, is
//! replaced by another one with the same systems, or alternates with another world, and if systems are added or removed that
//! cannot reserve ids; `tests/schedules/determinism/histories.rs` compares such histories.
//!
//! An idle system that takes `Commands` is an exception: it has a stream, or a turn in one, like any other system, and
//! before its first run nothing tells whether it will reserve ids. Without the exception the ids of each system would follow
//! from its name alone. Then either the lanes of all streams are always open, and one task that takes all ids of a stage
//! needs 40 times as many slots instead of 17 times; or systems that have never reserved ids share two streams and run one
//! after the other. A system that has the world for itself, or that others are ordered around, ends a stage and changes ids
//! for the same reason.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use hashbrown::HashMap;

use crate::fnv::Fnv;

/// Windows are multiples of this.
const STEP: u32 = 16;

/// No window is larger, as all indexes of a world have to do for all windows.
const MOST: u32 = 1 << 26;

/// How many ids a system may be expected to want although the world has no slots for them any more.
const WITHOUT_SLOTS: u32 = 1 << 12;

/// A system of a schedule, for a world that does not know systems: the label of the schedule, the name of the system, and which
/// of the systems with this name it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SystemKey {
    label: u64,
    name: u64,
    occurrence: u32,
}

impl SystemKey {
    /// Systems with equal hashes share a forecast, which is no mistake.
    pub(crate) fn new(label: Option<impl Hash>, name: &str, occurrence: u32) -> Self {
        let mut of_label = Fnv::default();
        label.hash(&mut of_label);
        let mut of_name = Fnv::default();
        of_name.write(name.as_bytes());
        Self { label: of_label.finish(), name: of_name.finish(), occurrence }
    }
}

/// The number of a system among the forecasts of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ForecastId(u32);

/// What a world expects of the systems that have been prepared for it. Some 40 bytes a system, for as long as the world exists.
#[derive(Clone, Default)]
pub(crate) struct IdForecasts {
    /// How many ids each system wants.
    wanted: Vec<u32>,
    numbers: HashMap<SystemKey, ForecastId>,
}

impl IdForecasts {
    /// The forecast of a system, which is made if there is none.
    pub(crate) fn register(&mut self, key: SystemKey) -> ForecastId {
        let Self { wanted, numbers } = self;
        *numbers.entry(key).or_insert_with(|| {
            wanted.push(0);
            ForecastId(wanted.len() as u32 - 1)
        })
    }

    /// How many ids a system is expected to want.
    #[inline]
    pub(crate) fn wanted(&self, system: ForecastId) -> u32 {
        self.wanted[system.0 as usize]
    }

    /// Notes how many ids a system has reserved. The forecast falls by half each time at most, so that what comes in bursts keeps
    /// its window for a while.
    #[inline]
    pub(crate) fn note(&mut self, system: ForecastId, used: u32) {
        let wanted = &mut self.wanted[system.0 as usize];
        *wanted = used.max(*wanted / 2);
    }

    /// How many ids a system is expected to want; none if it is not known.
    pub(crate) fn wanted_by(&self, key: SystemKey) -> u32 {
        self.numbers.get(&key).map_or(0, |system| self.wanted(*system))
    }

    /// Of how many systems any are expected.
    pub(crate) fn expected(&self) -> usize {
        self.wanted.iter().filter(|wanted| **wanted != 0).count()
    }

    /// What is expected of the systems that this knows if it is so much of some of them, in a world with so many slots of ids, and nothing
    /// of the others. Systems that this does not know are passed over.
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

    /// Expects of no system more than can be in a world with so many slots of ids: an id that was taken has a slot until these are given back.
    /// So a file cannot ask for more memory than is in proportion to it.
    pub(crate) fn limit_to(&mut self, slots: usize) {
        let limit = u32::try_from(slots).unwrap_or(u32::MAX).max(WITHOUT_SLOTS);
        self.wanted.iter_mut().for_each(|wanted| *wanted = (*wanted).min(limit));
    }

    /// Expects what a copy expects. Of systems that it does not know nothing is expected.
    pub(crate) fn become_copy(&mut self, copy: Self) {
        let mut known = copy.wanted.into_iter();
        self.wanted.iter_mut().for_each(|wanted| *wanted = known.next().unwrap_or(0));
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.wanted.capacity() * size_of::<u32>() + self.numbers.allocation_size()
    }
}

/// How many ids to keep together for systems that want so many together: half as many again, and none if that is nothing, as most
/// never want any.
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
        forecasts.become_copy(built);
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
