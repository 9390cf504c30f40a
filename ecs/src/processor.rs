//! What the processor is like that the program runs on.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What is taken for the size of the second-level cache where nothing is known of it, in bytes.
const USUAL: usize = 512 << 10;

/// What was found; zero if the processor has not been asked yet.
static FOUND: AtomicUsize = AtomicUsize::new(0);

/// The size of the second-level cache of a core, in bytes; a guess if the processor does not tell.
#[inline]
pub(crate) fn l2_size() -> usize {
    match FOUND.load(Relaxed) {
        0 => look(),
        found => found,
    }
}

/// Looks once: in a virtual machine, to ask the processor takes microseconds.
#[cold]
fn look() -> usize {
    let found = match told() {
        0 => USUAL,
        // A machine in a machine may be told anything.
        told => told.clamp(128 << 10, 16 << 20),
    };
    FOUND.store(found, Relaxed);
    found
}

/// What the processor says: 0 if it says nothing. An interpreter has none to ask.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn told() -> usize {
    use core::arch::x86_64::__cpuid;

    /// The leaf that tells the size of the second-level cache, in KiB, in the upper half of `ecx`: on processors of Intel and
    /// of AMD.
    const CACHES: u32 = 0x8000_0006;
    if __cpuid(0x8000_0000).eax < CACHES {
        return 0;
    }
    (__cpuid(CACHES).ecx >> 16) as usize * 1024
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn told() -> usize {
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
