//! Type-erased constructors, which make values through a function pointer.

use core::any::type_name;
use core::mem::{MaybeUninit, forget};
use core::ptr;

/// The data that the function of a constructor captures: nothing, or a function pointer.
type CapturedData = MaybeUninit<fn()>;

/// Makes values of one type.
#[derive(Clone, Copy)]
pub(crate) struct Constructor {
    data: CapturedData,
    fill: unsafe fn(&CapturedData, *mut u8, usize),
    name: fn() -> &'static str,
}

impl Constructor {
    /// Returns a constructor that calls `make` once for each value. `make` must capture nothing, or be a function pointer.
    pub(crate) fn new<T, F: Fn() -> T + Copy + Send + Sync + 'static>(make: F) -> Self {
        const {
            assert!(
                size_of::<F>() <= size_of::<CapturedData>() && align_of::<F>() <= align_of::<CapturedData>(),
                "it captures nothing"
            );
        }
        let mut data = CapturedData::uninit();
        // SAFETY: `data` is large and aligned enough for the function (checked above). The function is `Copy`, so it need
        // not be dropped.
        unsafe { data.as_mut_ptr().cast::<F>().write(make) }
        Self { data, fill: fill::<T, F>, name: type_name::<T> }
    }

    /// Returns whether both constructors call the same function. The functions must capture nothing.
    pub(crate) fn calls_the_same(&self, other: &Self) -> bool {
        ptr::fn_addr_eq(self.fill, other.fill)
    }

    /// Writes `count` values to adjacent memory; each is made by one call of the user's function. If a call panics, the memory is
    /// uninitialized afterwards.
    ///
    /// # Safety
    ///
    /// - `to` is valid for `count` values of the type that the constructor makes, and uninitialized.
    #[inline]
    pub(crate) unsafe fn fill(&self, to: *mut u8, count: usize) {
        // SAFETY: `self.data` belongs to `self.fill`; `to` is valid for `count` values and uninitialized (ensured by the
        // caller).
        unsafe { (self.fill)(&self.data, to, count) }
    }
}

impl_debug!([] Constructor => |this, f| write!(f, "Constructor of `{}`", (this.name)()));

/// # Safety
///
/// - `data` holds an `F`.
/// - `to` is valid for `count` values of `T`, and uninitialized.
unsafe fn fill<T, F: Fn() -> T + Copy>(data: &CapturedData, to: *mut u8, count: usize) {
    // SAFETY: `data` holds an `F`, which is `Copy`; `to` is valid for `count` values and uninitialized (both ensured by the
    // caller).
    unsafe {
        let make = data.as_ptr().cast::<F>().read();
        fill_from(to.cast::<T>(), count, (0..count).map(|_| make()));
    }
}

/// Writes `count` values of an iterator to adjacent memory. If the iterator panics, or ends early, the memory is uninitialized afterwards.
///
/// # Safety
///
/// - `to` is valid for `count` values, and uninitialized.
pub(super) unsafe fn fill_from<T>(to: *mut T, count: usize, values: impl Iterator<Item = T>) {
    /// The address and the number of the values written so far. They are dropped if the iterator panics before all values are written.
    struct WrittenValues<T>(*mut T, usize);

    impl<T> Drop for WrittenValues<T> {
        fn drop(&mut self) {
            // SAFETY: this many values have been written, and no other code uses them.
            unsafe { ptr::slice_from_raw_parts_mut(self.0, self.1).drop_in_place() }
        }
    }

    let mut made = WrittenValues(to, 0);
    values.take(count).for_each(|value| {
        // SAFETY: `to` is valid for `count` values (ensured by the caller), and at most `count` are written.
        unsafe { made.0.add(made.1).write(value) };
        made.1 += 1;
    });
    assert!(made.1 == count, "an iterator ended after {} values, and should have had {count}", made.1);
    forget(made);
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::Constructor;
    use alloc::{string::String, sync::Arc, vec::Vec};
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_closure_and_a_pointer_make_values() {
        fn make() -> String {
            "b".into()
        }
        let constructors = [Constructor::new(|| String::from("a")), Constructor::new(make as fn() -> String)];
        let mut texts = Vec::<String>::with_capacity(3);
        for (constructor, (at, count)) in constructors.iter().zip([(0, 2), (2, 1)]) {
            // SAFETY: there is room for three values.
            unsafe {
                constructor.fill(texts.as_mut_ptr().add(at).cast(), count);
                texts.set_len(at + count);
            }
        }
        assert_eq!(texts, ["a", "a", "b"]);
    }

    #[test]
    fn values_before_a_panic_are_dropped() {
        static SHARED: std::sync::LazyLock<Arc<()>> = std::sync::LazyLock::new(Arc::default);
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let constructor = Constructor::new(|| {
            assert!(CALLS.fetch_add(1, Ordering::Relaxed) < 2, "the third");
            SHARED.clone()
        });
        let mut values = Vec::<Arc<()>>::with_capacity(5);
        // SAFETY: there is room for five values.
        let run = AssertUnwindSafe(|| unsafe { constructor.fill(values.as_mut_ptr().cast(), 5) });
        assert!(catch_unwind(run).is_err());
        assert_eq!((CALLS.load(Ordering::Relaxed), Arc::strong_count(&SHARED)), (3, 1));
    }
}
