//! Helpers of the tests of strata: values that count their drops, conversion of panics to text, and allocators that fail or count on
//! demand.
//!
//! Nothing here knows the library under test, so a mistake in it cannot hide one there.

pub mod alloc;
pub mod drops;
pub mod effort;
pub mod panics;
pub mod process;
