//! The values of the columns: numbers, and arrays of numbers.

use strata_ecs::prelude::*;

/// One of several columns, distinguished by the const parameter.
#[derive(Clone, Copy, Component, Debug)]
pub(super) struct Column<const NUMBER: u8, T: Value>(pub(super) T);

/// A value of a column.
pub(super) trait Value: Copy + Send + Sync + 'static {
    /// The next pseudo-random value.
    fn next(state: &mut u64) -> Self;

    /// Mixes the bits into a hash.
    fn mix(self, hash: &mut u64);
}

/// The next number of Marsaglia's xorshift generator (2003).
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

macro_rules! numbers {
    ($($T:ty: |$bits:ident| $make:expr, |$value:ident| $mixed:expr;)*) => {$(
        impl Value for $T {
            fn next(state: &mut u64) -> Self {
                let $bits = random(state) >> 24;
                $make
            }

            fn mix(self, hash: &mut u64) {
                let $value = self;
                // FNV-1a's prime.
                *hash = (*hash ^ u64::from($mixed)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    )*};
}

numbers! {
    u8: |bits| bits as u8, |value| value;
    u16: |bits| bits as u16, |value| value;
    u32: |bits| bits as u32, |value| value;
    u64: |bits| bits, |value| value;
    f32: |bits| bits as f32 / (1_u64 << 39) as f32 - 1.0, |value| value.to_bits();
    f64: |bits| bits as f64 / (1_u64 << 39) as f64 - 1.0, |value| value.to_bits();
}

impl<T: Value, const COUNT: usize> Value for [T; COUNT] {
    fn next(state: &mut u64) -> Self {
        std::array::from_fn(|_| T::next(state))
    }

    fn mix(self, hash: &mut u64) {
        for value in self {
            value.mix(hash);
        }
    }
}
