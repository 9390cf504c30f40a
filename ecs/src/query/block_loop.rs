//! Loops that are copied as a whole to where they are called.

use super::fetch::Apart;

/// A loop that is copied to where it is called after all that it calls was inlined into it.
///
/// The optimiser inlines from the inside to the outside, and a long function only if it is called in one place. So there has to be one
/// loop, with one call, until that is done. A loop that is always inlined would be copied before. Therefore a function stores its
/// address: the optimiser finds out which loop is called when it inlines that function, which is later. Where it does not find out, there
/// is a call for each block, to code for the baseline.
///
/// Both functions are called by way of a type parameter, or the compiler would inline them before it optimises. Where a loop is called
/// several times, [`between_blocks`](crate::simd::between_blocks) keeps the optimiser from making one call of them.
pub(super) trait BlockLoop<J, B> {
    /// Goes through the rows.
    fn run(job: J) -> B;

    /// Stores the address of [`run`](Self::run).
    fn find(run: &mut Option<fn(J) -> B>);
}

/// The only loop there is.
pub(super) struct OneLoop;

/// Runs a copy of the loop.
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
