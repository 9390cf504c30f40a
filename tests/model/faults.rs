//! Panics in what the user writes: iterators, closures and `Clone`. Those of `Drop` come from the fuse of the tokens.

use std::cell::Cell;

use strata_tests::panics::catch;

const TEXT: &str = "the code of the user breaks";

thread_local! {
    /// How many calls go well before one panics.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Lets the call after `calls` further ones panic; `None` makes all calls quiet again.
pub(crate) fn arm(calls: Option<u32>) {
    LEFT.set(calls);
}

/// A call of the user's code, which may be the one that panics.
pub(crate) fn call() {
    match LEFT.get() {
        Some(0) => {
            LEFT.set(None);
            panic!("{TEXT}");
        }
        left => LEFT.set(left.map(|left| left - 1)),
    }
}

/// Returns the result of an action, or `None` if the user's code panicked in it. Nothing else may panic.
pub(crate) fn survive<T>(action: impl FnOnce() -> T) -> Option<T> {
    match catch(action) {
        Ok(value) => Some(value),
        Err(text) => {
            assert!(text == TEXT || text.ends_with("exploded"), "{text}");
            None
        }
    }
}
