//! The runs of a world, counted.

use crate::tick::{Tick, TickCell};

/// The runs of a world.
pub(super) struct Clock {
    /// The number of the next run.
    pub(super) tick: TickCell,
    /// Since when changes are new for those who look without a system.
    pub(super) last: Tick,
    /// When all ticks were looked at last, and how often that has happened.
    pub(super) checked: Tick,
    pub(super) era: u32,
    /// How many demands had been made, by anybody, when they were looked at last.
    pub(super) demands: usize,
}

impl Default for Clock {
    fn default() -> Self {
        let (tick, last) = (Tick::new(1), Tick::new(0));
        Self { tick: TickCell::new(tick), last, checked: last, era: 0, demands: 0 }
    }
}
