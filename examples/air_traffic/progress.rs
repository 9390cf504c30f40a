//! What the program says about itself while it works, on the standard error.

use std::time::{Duration, Instant};

/// How long the program may be silent.
const SILENCE: Duration = Duration::from_secs(1);

/// Prints at most a line a second, so that short work stays silent.
pub(crate) struct Progress {
    quiet: bool,
    said: Instant,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Progress { quiet, said: Instant::now() }
    }

    /// Prints a line if the last one was printed over a second ago.
    pub(crate) fn tell(&mut self, line: impl FnOnce() -> String) {
        if !self.quiet && self.said.elapsed() > SILENCE {
            eprintln!("{}", line());
            self.said = Instant::now();
        }
    }
}
