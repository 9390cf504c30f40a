//! How many ids somebody will want, judged by the times before.

/// Windows are multiples of this.
const STEP: u32 = 16;

/// No window is larger, as all indexes of a world have to do for all windows.
const MOST: u32 = 1 << 26;

/// How many ids a task is expected to reserve. It depends on nothing but what the task reserved before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct IdDemand(u32);

impl IdDemand {
    /// How many ids to keep together for the task: half as many again as it wanted lately, and none if that was nothing,
    /// as most never want any.
    #[inline]
    pub(crate) fn window(self) -> u32 {
        let wanted = self.0.min(MOST);
        (wanted + wanted / 2).next_multiple_of(STEP).min(MOST)
    }

    /// Notes how many it has reserved. The demand falls by half each time at most, so that what comes in bursts keeps its
    /// window for a while.
    #[inline]
    pub(crate) fn note(&mut self, used: u32) {
        self.0 = used.max(self.0 / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_more_than_the_last_use_and_shrinks_slowly() {
        let mut demand = IdDemand::default();
        let mut after = |used| {
            demand.note(used);
            demand.window()
        };
        assert_eq!([0, 1, 10, 11, 100].map(&mut after), [0, 16, 16, 16, 160]);
        assert_eq!([0, 0, 0, 0].map(&mut after), [80, 48, 32, 16]);
        assert_eq!([0, 0, 0].map(&mut after), [16, 16, 0]);
        assert_eq!(after(u32::MAX), MOST);
    }
}
