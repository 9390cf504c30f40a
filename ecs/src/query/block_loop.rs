//! Loops that are inlined as a whole at their call.
//!
//! Tests: tests/compile/vectorization

use super::fetch::Apart;

/// A loop that is inlined at its call, after everything that it calls has been inlined into it.
///
/// The optimiser inlines bottom-up, and inlines a long function only if the function has one call site. So until everything has
/// been inlined into the loop, it must be one function with one call site. A loop marked `inline(always)` would be inlined too
/// early. Therefore [`find`](Self::find) stores the address of the loop: the optimiser resolves the address when it inlines `find`,
/// which happens later. If it cannot resolve the address, each block costs one indirect call, to code for the baseline instruction
/// set.
///
/// Both functions are called through a type parameter; otherwise the compiler would inline them before it optimises. If a loop has
/// several call sites, [`between_blocks`](crate::simd::between_blocks) keeps the optimiser from merging them.
pub(super) trait BlockLoop<J, B> {
    /// Runs the loop over the rows.
    fn run(job: J) -> B;

    /// Stores the address of the function [`run`](Self::run) in the variable `run`.
    fn find(run: &mut Option<fn(J) -> B>);
}

/// Implements [`BlockLoop`] with the only loop of each job type.
pub(super) struct OneLoop;

/// Runs a copy of the loop that is inlined here.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn run_copy<L: BlockLoop<J, B>, J, B>(job: J) -> B {
    let mut found = None;
    L::find(&mut found);
    found.expect("the address of the loop")(job)
}

impl Apart for OneLoop {
    #[inline]
    fn pass<'w, C, R>(values: &'w mut [C], then: impl FnOnce(&'w mut [C]) -> R) -> R {
        then(values)
    }
}
