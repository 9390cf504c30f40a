//! Going on after a panic: what must be done for every item is done for every item.

/// Runs `each` for every item. If it panics for one, the panic goes on, but the rest of the items have their turn first;
/// a second panic ends the process, as a panic while another unwinds does anywhere in Rust.
pub(crate) fn for_each_despite_panics<I: Iterator>(items: I, each: impl FnMut(I::Item)) {
    struct Rest<I: Iterator, F: FnMut(I::Item)> {
        items: I,
        each: F,
    }

    impl<I: Iterator, F: FnMut(I::Item)> Rest<I, F> {
        fn run(&mut self) {
            for item in self.items.by_ref() {
                (self.each)(item);
            }
        }
    }

    impl<I: Iterator, F: FnMut(I::Item)> Drop for Rest<I, F> {
        fn drop(&mut self) {
            self.run();
        }
    }

    Rest { items, each }.run();
}

/// Drops what somebody panicked with, which may panic once more. What that one carries is not dropped: who knows how often
/// it would go on.
#[cfg(feature = "parallel")]
pub(crate) fn drop_quietly<T>(value: T) {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        core::mem::forget(payload);
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::for_each_despite_panics;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn the_rest_have_their_turn() {
        let mut seen = std::vec::Vec::new();
        let run = AssertUnwindSafe(|| {
            for_each_despite_panics(0..4, |number| {
                seen.push(number);
                assert_ne!(number, 1);
            });
        });
        assert!(catch_unwind(run).is_err());
        assert_eq!(seen, [0, 1, 2, 3]);
    }
}
