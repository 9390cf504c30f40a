//! Properties of the processor.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The assumed size of the second-level cache if it is unknown, in bytes.
const USUAL: usize = 512 << 10;

/// The detected size of the second-level cache; 0 if it has not been detected yet.
static FOUND: AtomicUsize = AtomicUsize::new(0);

/// Returns the size of the second-level cache of a core, in bytes. If it cannot be detected, returns an assumed size.
#[inline]
pub(crate) fn l2_size() -> usize {
    match FOUND.load(Relaxed) {
        0 => detect_size(),
        found => found,
    }
}

/// Detects the size. This is done only once, because `cpuid` takes microseconds in a virtual machine.
#[cold]
fn detect_size() -> usize {
    let found = match reported_size() {
        0 => USUAL,
        // A virtual machine may report an arbitrary size, so the size is clamped.
        told => told.clamp(128 << 10, 16 << 20),
    };
    FOUND.store(found, Relaxed);
    found
}

/// Returns the size that the processor reports; 0 if it reports no size. Miri does not support `cpuid`.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn reported_size() -> usize {
    use core::arch::x86_64::__cpuid;

    /// The `cpuid` leaf with the size of the second-level cache. On Intel and AMD processors, the upper half of `ecx` is the size in KiB.
    const CACHES: u32 = 0x8000_0006;
    if __cpuid(0x8000_0000).eax < CACHES {
        return 0;
    }
    (__cpuid(CACHES).ecx >> 16) as usize * 1024
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn reported_size() -> usize {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_one_that_a_cache_may_have() {
        assert!((128 << 10..=16 << 20).contains(&l2_size()));
    }
}
