//! Lack of memory, and the use of memory.

// Set by the sanitizer's step: the handler of failed allocations exists on nightly compilers only.
#![cfg_attr(strata_nightly, feature(alloc_error_hook))]

mod alloc_failure;
mod come_and_go;
mod growth;
mod ids;
mod layouts;
mod memory;
mod promises;
#[cfg(strata_nightly)]
mod out_of_memory;

/// Counts and fails for each thread by itself; tests that do not ask for it are not affected.
#[global_allocator]
static ALLOCATOR: strata_tests::alloc::Allocator = strata_tests::alloc::Allocator;
