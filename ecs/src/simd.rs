//! The instruction sets that loops are compiled for, and which of them is used.
//!
//! A program is built for the oldest processor that it has to run on: on x86-64 that is one with registers of two `f64`. A
//! loop over rows is therefore compiled more than once: for what the whole program is compiled for, which is called the
//! [baseline](InstructionSet::Baseline), and for wider instruction sets, of which the best one that the processor has is
//! chosen when the program runs. That happens for [`#[system]`](macro@crate::system)s over components, and for internal iteration
//! over queries: `for_each`, `fold`, `sum` and the like of [`QueryIter`](crate::query::QueryIter), also on several threads.
//! `for` loops over queries are compiled for the baseline only, and so is everything without the feature `std` and on other
//! processors than x86-64.
//!
//! The result is the same to the last bit, whichever is chosen: operations are neither reordered nor contracted. What Rust
//! leaves open may differ, as it may between two builds of one program: the sign and the payload of a NaN, and which zero
//! `min` and `max` of `0.0` and `-0.0` give.
//!
//! What a loop calls is compiled with it where the compiler inlines it. A call that is not inlined runs code of the
//! baseline.
//!
//! To find out whether a difference comes from here, the environment variable `STRATA_SIMD` sets the widest set that is
//! used: `off`, which is the baseline, `avx2` or `avx512`; [`InstructionSet::limit`] does the same while the program
//! runs, and `#[system(simd = off)]` for one system.

use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A set of instructions that loops over rows are compiled for, from the narrowest to the widest.
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
    /// What the program is compiled for.
    Baseline = 1,
    /// AVX2 with what came with it (FMA, BMI1, BMI2, F16C, LZCNT, MOVBE, POPCNT): x86-64-v3, processors from 2013 on.
    Avx2 = 2,
    /// AVX-512 (F, BW, CD, DQ, VL): x86-64-v4.
    Avx512 = 3,
}

/// The set that is used; zero if that has not been found out.
static CURRENT: AtomicU8 = AtomicU8::new(0);

impl InstructionSet {
    /// The widest that loops are compiled for and that this processor has.
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

    /// The one that is used from now on: the [`detected`](Self::detected) one, or a narrower one if
    /// [`limit`](Self::limit) or the environment variable `STRATA_SIMD` says so.
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

    /// Sets the widest set that is used from now on, in the whole program: for debugging, and for measuring. Loops that are
    /// being run stay as they are. A set that the processor does not have is not used.
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
        // Another thread may have set a limit meanwhile.
        match CURRENT.compare_exchange(0, found as u8, Relaxed, Relaxed) {
            Ok(_) => found,
            Err(_) => Self::current(),
        }
    }
}

/// The widest set that the user wants.
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

/// The unroll width of a loop: how many rows the function gets at a time, as a constant, so that the optimiser sees
/// all of them; 1 stands for all rows of a table at once, however many they are.
///
/// Where the numbers of a row stand alone, the loop over the rows is vectorised as it is. A struct of several numbers is
/// another matter: with two or four rows written out, one behind the other, their numbers fill registers without being
/// sorted first.
///
/// Sealed: what goes through rows relies on these numbers.
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
    /// The rows at a time where no value of a row has more than eight bytes.
    const OF_SMALL: usize;
    /// The rows at a time where a value has.
    const OF_LARGE: usize;
    /// The rows at a time where there are more than four columns, whatever their values are.
    const OF_MANY: usize;
    /// Whether single numbers are gone through in a loop over all rows but the last few. Wide registers can store some of their
    /// numbers, which the optimiser makes use of in loops only: a branch that stores in some rows becomes none.
    const LOOPS_OVER_SMALL: bool;
}

/// The size up to which values are taken for single numbers, in bytes.
pub(crate) const SMALL: usize = 8;

/// The most rows that the function gets at a time, if not all.
pub(crate) const MOST_ROWS: usize = 64;

mod sealed {
    //! Keeps the traits of this module to its own types.

    /// Has no name outside.
    pub trait Sealed {}
}

pub(crate) use self::sealed::Sealed;

/// So many rows at a time, perhaps with a loop over single numbers.
#[doc(hidden)]
pub struct Rows<const SMALL: usize, const LARGE: usize, const MANY: usize, const LOOPS: bool = false>;

impl<const SMALL: usize, const LARGE: usize, const MANY: usize, const LOOPS: bool> Sealed
    for Rows<SMALL, LARGE, MANY, LOOPS>
{
}

impl<const SMALL: usize, const LARGE: usize, const MANY: usize, const LOOPS: bool> UnrollWidth
    for Rows<SMALL, LARGE, MANY, LOOPS>
{
    const OF_SMALL: usize = checked(SMALL);
    const OF_LARGE: usize = checked(LARGE);
    const OF_MANY: usize = checked(MANY);
    const LOOPS_OVER_SMALL: bool = LOOPS;
}

/// The number, if it can be one of rows at a time.
const fn checked(rows: usize) -> usize {
    assert!(rows.is_power_of_two() && rows <= MOST_ROWS, "rows that are left are gone through by halves");
    rows
}

/// Into which variants a loop is compiled. Sealed, as [`UnrollWidth`].
#[doc(hidden)]
pub trait Variants: Sealed + 'static {
    /// Whether there are others than that for the baseline.
    const WIDE: bool;
    /// Whether there is one for AVX-512, which stands back for that for AVX2 otherwise.
    const AVX512: bool;
    /// The unroll width for the baseline.
    type Baseline: UnrollWidth;
    /// The unroll width for AVX2.
    type Avx2: UnrollWidth;
    /// The unroll width for AVX-512.
    type Avx512: UnrollWidth;
}

/// Each variant in the unroll width that was measured to be best: `benches/shapes.rs`.
///
/// Many columns are gone through in one loop: in blocks they were slower when that was measured, which was before long loops
/// were sure to be inlined into their variants.
///
/// There is one for AVX-512 only for row systems over single numbers. Those over vectors and matrices wait for memory with AVX2
/// already, and some are slower with AVX-512.
#[doc(hidden)]
pub struct Wide;

/// The best unroll width with registers of 32 bytes, or larger ones.
type BestOfWide = Rows<32, 8, 1, true>;
/// The loop as it is written.
type AsWritten = Rows<1, 1, 1>;
/// The best unroll width with what the whole program is compiled for.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
type BestOfBaseline = Rows<16, 4, 1>;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
type BestOfBaseline = BestOfWide;
/// Not measured, so as it is written.
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

/// One plain loop, for the baseline.
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

/// Every variant in the same unroll width, to measure it.
#[doc(hidden)]
pub struct Shaped<const COUNT: usize>;

impl<const COUNT: usize> Sealed for Shaped<COUNT> {}

impl<const COUNT: usize> Variants for Shaped<COUNT> {
    const WIDE: bool = true;
    const AVX512: bool = true;
    type Baseline = Rows<COUNT, COUNT, COUNT>;
    type Avx2 = Rows<COUNT, COUNT, COUNT>;
    type Avx512 = Rows<COUNT, COUNT, COUNT>;
}

/// To stand in a loop that is not to be vectorised itself, because what it does in one step will be.
///
/// A loop over blocks of eight rows looks to the optimiser as one with a stride of eight. It sorts the rows of several
/// blocks into registers, which takes longer than all the work.
///
/// Behind two calls of one function it keeps the optimiser from making one call of them.
#[inline(always)]
pub(crate) fn between_blocks() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: there is no instruction, so nothing is changed, not even memory, the stack and the flags.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = core::hint::black_box(0_u8);
}

/// Something that is compiled for several instruction sets.
pub(crate) trait Job {
    /// What comes of it.
    type Out;

    /// Does it, in an unroll width. To be `#[inline(always)]`, with everything of which it is made: what is not inlined is
    /// compiled for the baseline.
    fn run<S: UnrollWidth>(self) -> Self::Out;
}

/// Does a job with the instruction set that is used now.
#[inline(always)]
pub(crate) fn run<V: Variants, J: Job>(job: J) -> J::Out {
    if V::WIDE { wide::run::<V, J>(job) } else { as_written(job) }
}

/// As [`run`], for a part of a job that is seldom done, and is to be in no function with the rest.
#[cold]
#[inline(never)]
pub(crate) fn run_apart<V: Variants, J: Job>(job: J) -> J::Out {
    run::<V, J>(job)
}

/// The loop as it is written, for the baseline. A function of its own, as below.
#[inline(never)]
fn as_written<J: Job>(job: J) -> J::Out {
    job.run::<AsWritten>()
}

/// The variant for the baseline. A function of its own, so that it is compiled once for all callers.
#[inline(never)]
fn baseline<V: Variants, J: Job>(job: J) -> J::Out {
    job.run::<V::Baseline>()
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod wide {
    //! The variants for instruction sets that not every processor has.

    use super::{InstructionSet, Job, Variants, baseline};

    pub(super) fn detected() -> InstructionSet {
        macro_rules! has {
            ($($feature:tt)*) => { true $(&& std::arch::is_x86_feature_detected!($feature))* };
        }
        let avx2 = has!("avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "movbe" "popcnt");
        // Where the whole program is compiled for AVX2, there is nothing to choose.
        if cfg!(target_feature = "avx2") || !avx2 {
            InstructionSet::Baseline
        } else if !has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
            InstructionSet::Avx2
        } else {
            InstructionSet::Avx512
        }
    }

    #[inline(always)]
    pub(super) fn run<V: Variants, J: Job>(job: J) -> J::Out {
        match InstructionSet::current() {
            InstructionSet::Baseline => baseline::<V, J>(job),
            // SAFETY: a set is current only if the processor has it.
            InstructionSet::Avx512 if V::AVX512 => unsafe { avx512::<V, J>(job) },
            // SAFETY: as above; those with AVX-512 have what comes with AVX2.
            InstructionSet::Avx2 | InstructionSet::Avx512 => unsafe { avx2::<V, J>(job) },
        }
    }

    /// # Safety
    ///
    /// - The processor has these features.
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt")]
    fn avx2<V: Variants, J: Job>(job: J) -> J::Out {
        job.run::<V::Avx2>()
    }

    /// # Safety
    ///
    /// - The processor has these features.
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    fn avx512<V: Variants, J: Job>(job: J) -> J::Out {
        job.run::<V::Avx512>()
    }
}

#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
mod wide {
    //! There is the baseline only. `.ci/run no_std` compiles this on x86-64, too.

    use super::{InstructionSet, Job, Variants, baseline};

    pub(super) fn detected() -> InstructionSet {
        InstructionSet::Baseline
    }

    #[inline(always)]
    pub(super) fn run<V: Variants, J: Job>(job: J) -> J::Out {
        baseline::<V, J>(job)
    }
}
