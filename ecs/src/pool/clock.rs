//! What a loop finds out about its own speed.

/// A clock that was started.
#[cfg(all(feature = "parallel", not(all(target_family = "wasm", target_os = "unknown"))))]
pub(super) struct Stopwatch(std::time::Instant);

#[cfg(all(feature = "parallel", not(all(target_family = "wasm", target_os = "unknown"))))]
impl Stopwatch {
    #[inline]
    pub(super) fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// How long ago that was.
    #[inline]
    pub(super) fn nanoseconds(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Where there is no clock, or no thread to which it would matter, no time ever passes.
#[cfg(not(all(feature = "parallel", not(all(target_family = "wasm", target_os = "unknown")))))]
pub(super) struct Stopwatch(());

#[cfg(not(all(feature = "parallel", not(all(target_family = "wasm", target_os = "unknown")))))]
impl Stopwatch {
    #[inline]
    pub(super) fn start() -> Self {
        Self(())
    }

    /// How long ago that was: none.
    #[inline]
    pub(super) fn nanoseconds(&self) -> u64 {
        0
    }
}
