//! Progress messages of the program, on the standard error.

use std::time::{Duration, Instant};

/// How long the program is silent before its first line.
const FIRST: Duration = Duration::from_secs(1);
/// The longest silence. Each one is twice as long as the one before, up to this.
const LONGEST: Duration = Duration::from_secs(8);

/// Prints a line now and then, and nothing if the work is done within a second.
pub(crate) struct Progress {
    quiet: bool,
    said: Instant,
    silence: Duration,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Progress { quiet, said: Instant::now(), silence: FIRST }
    }

    /// Prints a line if it is time for one.
    pub(crate) fn tell(&mut self, line: impl FnOnce() -> String) {
        if !self.quiet && self.said.elapsed() > self.silence {
            eprintln!("{}", line());
            self.said = Instant::now();
            self.silence = (2 * self.silence).min(LONGEST);
        }
    }
}
