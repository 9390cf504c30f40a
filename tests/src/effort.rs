//! How much is tried.
//!
//! Tests whose long form is only worth its time after a change of their own area have a short form and a long form. The short form is what
//! `cargo test` runs; it has the same meaning with fewer inputs. With `STRATA_LONG=1` the long form is run instead: `.ci/run` does so for
//! the areas, folders of `tests`, in which a change touches a file, if they are at most two. The sanitizer's step has the short form only,
//! with a fifth of the inputs: it looks for what a path through the code does to memory, and takes several times as long for each.

use core::ops::Range;

/// How many times as many inputs the long form has.
const TIMES: u32 = 10;

/// One of so many inputs is left under the sanitizer. An odd number: of a value of several bytes that stands again and again, another byte
/// is met each time.
const SANITIZED: u32 = if cfg!(strata_nightly) { 5 } else { 1 };

/// Whether the long forms are run.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("STRATA_LONG").is_some()
}

/// How many inputs a property is tried with: so many in the short form, ten times as many in the long one.
#[must_use]
pub fn cases(short: u32) -> u32 {
    if is_long() { short * TIMES } else { rounds(short) }
}

/// How often something is repeated of which every repetition is alike.
#[must_use]
pub fn rounds(times: u32) -> u32 {
    times.div_ceil(SANITIZED)
}

/// How far inputs are apart of which every `step`th is tried.
#[must_use]
pub fn step(step: usize) -> usize {
    if is_long() { 1 } else { step * SANITIZED as usize }
}

/// The places of a file that are damaged in turn: all of them, or one of five under the sanitizer.
pub fn places(all: Range<usize>) -> impl Iterator<Item = usize> {
    all.step_by(if is_long() { 1 } else { SANITIZED as usize })
}
