//! Prefetching of memory that will be read soon.
//!
//! Tests: tests/queries/lists.rs

/// Prefetches an address into the cache, if the processor supports it. The address need not be valid.
#[inline]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse", not(miri)))]
    // SAFETY: the target has the instruction (checked by `cfg`). It has no effect that a program can observe, for any
    // address.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse", not(miri))))]
    let _ = address;
}
