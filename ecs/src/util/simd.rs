//! Selection of the instruction set for loops.
//!
//! A program is built for the oldest processor that it must run on. On x86-64 such a processor has registers of two `f64`. Loops over rows
//! are therefore compiled more than once: for the target of the whole program, called the [baseline](InstructionSet::Baseline), and for
//! wider instruction sets. At run time the widest instruction set that the processor supports is selected. This applies to
//! [`#[system]`](macro@crate::system)s over components, and to internal iteration over queries: `for_each`, `fold`, `sum` and similar
//! methods of [`QueryIter`](crate::query::QueryIter), also on several threads. `for` loops over queries are compiled for the baseline only.
//! Without the feature `std`, and on processors other than x86-64, all loops are compiled for the baseline only.
//!
//! All variants give the same result to the last bit: operations are neither reordered nor contracted. Only details that Rust leaves
//! unspecified may differ, as they may between two builds of one program. These are the sign and the payload of a NaN, and whether `min`
//! and `max` of `0.0` and `-0.0` return `0.0` or `-0.0`.
//!
//! A function that a loop calls is compiled for the wider instruction set only if the compiler inlines it. Functions that are not inlined
//! are compiled for the baseline.
//!
//! To check whether this selection causes a difference, set the environment variable `STRATA_SIMD` to the widest set to use: `off` for the
//! baseline, `avx2` or `avx512`. [`InstructionSet::limit`] does the same at run time. `#[system(simd = off)]` selects the baseline for one
//! system.
// Tests: tests/simd/choice.rs, tests/simd/identity.rs

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// An instruction set for which loops over rows are compiled. The sets are ordered from the narrowest to the widest.
///
/// ```
/// use strata_ecs::simd::InstructionSet;
///
/// assert!(InstructionSet::Baseline < InstructionSet::Avx2);
/// assert!(InstructionSet::current() <= InstructionSet::detected());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[non_exhaustive]
pub enum InstructionSet {
    /// The target of the whole program.
    Baseline = 1,
    /// AVX2 and the features introduced with it (FMA, BMI1, BMI2, F16C, LZCNT, MOVBE, POPCNT): x86-64-v3, processors since 2013.
    Avx2 = 2,
    /// AVX-512 (F, BW, CD, DQ, VL): x86-64-v4.
    Avx512 = 3,
}

/// The set in use; 0 if it has not been determined yet.
static CURRENT: AtomicU8 = AtomicU8::new(0);

impl InstructionSet {
    /// Returns the widest set that this processor supports and for which loops are compiled.
    ///
    /// ```
    /// use strata_ecs::simd::InstructionSet;
    ///
    /// let widest = InstructionSet::detected();
    /// # assert!(widest >= InstructionSet::Baseline);
    /// println!("rows are gone through with {widest:?}");
    /// ```
    #[must_use]
    pub fn detected() -> Self {
        wide::detected()
    }

    /// Returns the set in use. It is the [`detected`](Self::detected) set, unless [`limit`](Self::limit) or the environment variable
    /// `STRATA_SIMD` selects a narrower set.
    ///
    /// ```
    /// use strata_ecs::simd::InstructionSet;
    ///
    /// let used = InstructionSet::current();
    /// # assert!(used >= InstructionSet::Baseline);
    /// ```
    #[inline]
    #[must_use]
    pub fn current() -> Self {
        match CURRENT.load(Relaxed) {
            0 => Self::find_out(),
            1 => Self::Baseline,
            2 => Self::Avx2,
            _ => Self::Avx512,
        }
    }

    /// Limits the set in use to this set, from now on and in the whole program. This is for debugging and benchmarks. Running loops are not
    /// affected. If the processor does not support this set, the [`detected`](Self::detected) set is used.
    ///
    /// ```
    /// use strata_ecs::simd::InstructionSet;
    ///
    /// InstructionSet::Baseline.limit();
    /// assert_eq!(InstructionSet::current(), InstructionSet::Baseline);
    /// InstructionSet::detected().limit(); // As it was.
    /// ```
    pub fn limit(self) {
        CURRENT.store(self.min(Self::detected()) as u8, Relaxed);
    }

    #[cold]
    fn find_out() -> Self {
        let found = Self::detected().min(asked());
        // If another thread has set a limit in between, that limit is used.
        match CURRENT.compare_exchange(0, found as u8, Relaxed, Relaxed) {
            Ok(_) => found,
            Err(_) => Self::current(),
        }
    }
}

/// Returns the widest set that the environment variable allows.
#[cfg(feature = "std")]
fn asked() -> InstructionSet {
    let Some(asked) = std::env::var_os("STRATA_SIMD") else { return InstructionSet::Avx512 };
    match asked.to_str() {
        Some("off" | "baseline") => InstructionSet::Baseline,
        Some("avx2") => InstructionSet::Avx2,
        Some("avx512") => InstructionSet::Avx512,
        _ => {
            std::eprintln!("STRATA_SIMD is {asked:?}, and may be `off`, `avx2` or `avx512`: it is taken for `off`");
            InstructionSet::Baseline
        }
    }
}

#[cfg(not(feature = "std"))]
fn asked() -> InstructionSet {
    InstructionSet::Avx512
}

/// The unroll width of a loop: the number of rows that the function of the loop gets at a time. It is a constant, so that the optimiser
/// sees all of these rows. 1 means that the function gets all rows of a table at once.
///
/// If the values of a row are single numbers, the plain loop over the rows is vectorised well. For structs of several numbers it is better
/// to unroll two or four rows: the numbers of these rows fill registers without being shuffled first.
///
/// The trait is sealed, because code that visits rows relies on these numbers.
///
/// ```compile_fail,E0277
/// use strata_ecs::simd::UnrollWidth;
///
/// struct Six;
///
/// impl UnrollWidth for Six {
///     const OF_SMALL: usize = 6;
///     const OF_LARGE: usize = 6;
///     const OF_MANY: usize = 6;
/// }
/// ```
#[doc(hidden)]
pub trait UnrollWidth: Sealed + 'static {
    /// The number of rows at a time if no value of a row is larger than eight bytes.
    const OF_SMALL: usize;
    /// The number of rows at a time if a value of a row is larger than eight bytes.
    const OF_LARGE: usize;
    /// The number of rows at a time if there are more than four columns, regardless of the size of their values.
    const OF_MANY: usize;
    /// Whether single numbers are processed in one loop over all rows except the last few. With wide registers the optimiser can replace a
    /// branch around a store by a masked store. It does this only in loops.
    const LOOPS_OVER_SMALL: bool;
}

/// Values up to this size are treated as single numbers, in bytes.
pub(crate) const SMALL: usize = 8;

/// The maximum number of rows that the function gets at a time, unless it gets all rows.
pub(crate) const MOST_ROWS: usize = 64;

mod sealed {
    //! Seals the traits of this module.

    /// A supertrait that code outside of the crate cannot name.
    pub trait Sealed {}
}

pub(crate) use self::sealed::Sealed;

/// An unroll width with the given numbers of rows, optionally with a loop over single numbers.
#[doc(hidden)]
pub struct UnrolledRows<const SMALL: usize, const LARGE: usize, const MANY: usize, const LOOPS: bool = false>;

impl<const SMALL: usize, const LARGE: usize, const MANY: usize, const LOOPS: bool> Sealed
    for UnrolledRows<SMALL, LARGE, MANY, LOOPS>
{
}

impl<const SMALL: usize, const LARGE: usize, const MANY: usize, const LOOPS: bool> UnrollWidth
    for UnrolledRows<SMALL, LARGE, MANY, LOOPS>
{
    const OF_SMALL: usize = checked(SMALL);
    const OF_LARGE: usize = checked(LARGE);
    const OF_MANY: usize = checked(MANY);
    const LOOPS_OVER_SMALL: bool = LOOPS;
}

/// Returns `rows`. Panics if it is not a valid unroll width.
const fn checked(rows: usize) -> usize {
    assert!(rows.is_power_of_two() && rows <= MOST_ROWS, "rows that are left are gone through by halves");
    rows
}

/// The kernel variants of a loop. The trait is sealed, like [`UnrollWidth`].
#[doc(hidden)]
pub trait Variants: Sealed + 'static {
    /// Whether there are other variants than the variant for the baseline.
    const WIDE: bool;
    /// Whether there is a variant for AVX-512. If not, the variant for AVX2 is used.
    const AVX512: bool;
    /// The unroll width for the baseline.
    type Baseline: UnrollWidth;
    /// The unroll width for AVX2.
    type Avx2: UnrollWidth;
    /// The unroll width for AVX-512.
    type Avx512: UnrollWidth;
}

/// The variants with the unroll widths that were the fastest in measurements (`benches/shapes.rs`).
///
/// Many columns are processed in one loop, because blocks were slower when this was measured. At that time long loops were not yet reliably
/// inlined into their variants.
///
/// Only row systems over single numbers have a variant for AVX-512. Loops over vectors and matrices are already limited by memory with
/// AVX2, and some of them are slower with AVX-512.
#[doc(hidden)]
pub struct Wide;

/// The best unroll width with registers of 32 bytes or more.
type BestOfWide = UnrolledRows<32, 8, 1, true>;
/// The plain loop.
type AsWritten = UnrolledRows<1, 1, 1>;
/// The best unroll width for the baseline.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
type BestOfBaseline = UnrolledRows<16, 4, 1>;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
type BestOfBaseline = BestOfWide;
/// The plain loop, because other unroll widths were not measured.
#[cfg(not(target_arch = "x86_64"))]
type BestOfBaseline = AsWritten;

impl Sealed for Wide {}

impl Variants for Wide {
    const WIDE: bool = true;
    const AVX512: bool = false;
    type Baseline = BestOfBaseline;
    type Avx2 = BestOfWide;
    type Avx512 = BestOfWide;
}

/// Only the variant for the baseline, with the plain loop.
#[doc(hidden)]
pub struct Narrow;

impl Sealed for Narrow {}

impl Variants for Narrow {
    const WIDE: bool = false;
    const AVX512: bool = false;
    type Baseline = AsWritten;
    type Avx2 = AsWritten;
    type Avx512 = AsWritten;
}

/// All variants, with the same unroll width. For benchmarks.
#[doc(hidden)]
pub struct Shaped<const COUNT: usize>;

impl<const COUNT: usize> Sealed for Shaped<COUNT> {}

impl<const COUNT: usize> Variants for Shaped<COUNT> {
    const WIDE: bool = true;
    const AVX512: bool = true;
    type Baseline = UnrolledRows<COUNT, COUNT, COUNT>;
    type Avx2 = UnrolledRows<COUNT, COUNT, COUNT>;
    type Avx512 = UnrolledRows<COUNT, COUNT, COUNT>;
}

/// Prevents the vectorisation of the loop that contains the call. It is called in loops over blocks of rows, where the work on a single
/// block is to be vectorised instead.
///
/// The optimiser treats a loop over blocks of eight rows as a loop with a stride of eight. It would shuffle the rows of several blocks into
/// registers, which takes longer than the actual work.
///
/// If it is called after each of two calls of the same function, the optimiser does not merge these two calls.
#[inline(always)]
pub(crate) fn between_blocks() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: there is no instruction, so memory, the stack and the flags are unchanged, as the options say.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = core::hint::black_box(0_u8);
}

/// A function that is compiled for several instruction sets, together with its arguments.
pub(crate) trait KernelJob {
    /// The type of the result.
    type Out;

    /// Runs the job with an unroll width. This function and all functions that it calls must be `#[inline(always)]`: code that is not
    /// inlined is compiled for the baseline.
    fn run<S: UnrollWidth>(self) -> Self::Out;
}

/// Runs a job with the instruction set in use.
#[inline(always)]
pub(crate) fn run<V: Variants, J: KernelJob>(job: J) -> J::Out {
    if V::WIDE { wide::run::<V, J>(job) } else { as_written(job) }
}

/// Like [`run`], for a rare part of a job, which must not be inlined into the function with the rest of the job.
#[cold]
#[inline(never)]
pub(crate) fn run_apart<V: Variants, J: KernelJob>(job: J) -> J::Out {
    run::<V, J>(job)
}

/// Runs the plain loop for the baseline. It is not inlined, for the same reason as [`baseline`].
#[inline(never)]
fn as_written<J: KernelJob>(job: J) -> J::Out {
    job.run::<AsWritten>()
}

/// Runs the variant for the baseline. It is not inlined, so that it is compiled once for all callers.
#[inline(never)]
fn baseline<V: Variants, J: KernelJob>(job: J) -> J::Out {
    job.run::<V::Baseline>()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod wide {
    //! Selection of the variants for instruction sets that not every processor supports.

    use super::{InstructionSet, KernelJob, Variants, baseline};

    pub(super) fn detected() -> InstructionSet {
        macro_rules! has {
            ($($feature:tt)*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
        }
        let avx2 = has!("avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "movbe" "popcnt");
        // If the whole program is compiled for AVX2, there is nothing to select: the baseline already uses it.
        if cfg!(target_feature = "avx2") || !avx2 {
            InstructionSet::Baseline
        } else if !has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
            InstructionSet::Avx2
        } else {
            InstructionSet::Avx512
        }
    }

    #[inline(always)]
    pub(super) fn run<V: Variants, J: KernelJob>(job: J) -> J::Out {
        match InstructionSet::current() {
            InstructionSet::Baseline => baseline::<V, J>(job),
            // SAFETY: a set is in use only if the processor supports it.
            InstructionSet::Avx512 if V::AVX512 => unsafe { avx512::<V, J>(job) },
            // SAFETY: a set is in use only if the processor supports it; processors with AVX-512 support AVX2 and the features
            // introduced with it.
            InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe { avx2::<V, J>(job) },
        }
    }

    /// # Safety
    ///
    /// - The processor supports these features.
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt")]
    fn avx2<V: Variants, J: KernelJob>(job: J) -> J::Out {
        job.run::<V::Avx2>()
    }

    /// # Safety
    ///
    /// - The processor supports these features.
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    fn avx512<V: Variants, J: KernelJob>(job: J) -> J::Out {
        job.run::<V::Avx512>()
    }
}

#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
mod wide {
    //! Selection for targets that have only the baseline. `.ci/run no_std` compiles this module on x86-64, too.

    use super::{InstructionSet, KernelJob, Variants, baseline};

    pub(super) fn detected() -> InstructionSet {
        InstructionSet::Baseline
    }

    #[inline(always)]
    pub(super) fn run<V: Variants, J: KernelJob>(job: J) -> J::Out {
        baseline::<V, J>(job)
    }
}
