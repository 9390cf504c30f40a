//! Division of numbers that are known to be multiples of the divisor.

/// Divides numbers that are multiples of another one: by a shift and a multiplication, which is faster than a division that may leave
/// a rest, and leaves more registers to a loop.
#[derive(Clone, Copy)]
pub(crate) struct ExactDivision {
    shift: u32,
    /// Of the odd part of the divisor, modulo 2 to the number of bits.
    inverse: usize,
}

impl ExactDivision {
    /// By this number. By zero nothing can be divided.
    pub(crate) const fn by(divisor: usize) -> Self {
        if divisor == 0 {
            return Self { shift: 0, inverse: 0 };
        }
        let shift = divisor.trailing_zeros();
        let odd = divisor >> shift;
        // An odd number is its own inverse modulo 8, and each step of Newton's doubles the bits that are right.
        let (mut inverse, mut bits) = (odd, 3);
        while bits < usize::BITS {
            inverse = inverse.wrapping_mul(2_usize.wrapping_sub(odd.wrapping_mul(inverse)));
            bits *= 2;
        }
        Self { shift, inverse }
    }

    /// How often the divisor is in a multiple of it.
    #[inline(always)]
    pub(crate) const fn of(self, multiple: usize) -> usize {
        (multiple >> self.shift).wrapping_mul(self.inverse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_divided_exactly() {
        for divisor in (1..500).chain([12_345, 1 << 20, (1 << 20) + 7, usize::MAX / 3]) {
            let division = ExactDivision::by(divisor);
            for times in [0, 1, 2, 3, 63, 64, 1000, usize::MAX / divisor] {
                if let Some(multiple) = divisor.checked_mul(times) {
                    assert_eq!(division.of(multiple), times, "{times} times {divisor}");
                }
            }
        }
    }
}
