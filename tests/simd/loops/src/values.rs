//! Random values, with those that loops get wrong more often than chance has it.

/// A generator of values: SplitMix64, by Steele, Lea and Flood.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The values that belong to a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Whether something that happens once in so many times happens.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.bits().is_multiple_of(times)
    }

    fn among<T: Copy>(&mut self, values: &[T]) -> T {
        values[(self.bits() % values.len() as u64) as usize]
    }

    /// A number with a random significand, of a size that can be computed with.
    pub(crate) fn finite(&mut self) -> f32 {
        let significand = (self.bits() >> 40) as f32 / (1u64 << 24) as f32;
        let sign = self.among(&[1.0f32, -1.0]);
        sign * (1.0 + significand) * self.among(&[0.001f32, 0.1, 1.0, 3.0, 1000.0, 1.0e6])
    }

    /// Any `f32`.
    pub(crate) fn single(&mut self) -> f32 {
        let bits = self.bits();
        match bits % 16 {
            0 | 1 => self.among(&SINGLES),
            2 => f32::from_bits((bits >> 32) as u32),
            // Subnormal.
            3 => f32::from_bits((bits >> 32) as u32 & 0x807f_ffff),
            4 => ((bits >> 32) as i32 >> 16) as f32 + 0.5,
            _ => self.finite(),
        }
    }

    /// Any `f64`.
    pub(crate) fn double(&mut self) -> f64 {
        let bits = self.bits();
        match bits % 16 {
            0 | 1 => self.among(&DOUBLES),
            2 => f64::from_bits(self.bits()),
            3 => f64::from_bits(self.bits() & 0x800f_ffff_ffff_ffff),
            4 => (bits >> 8) as f64 + 0.5,
            _ => f64::from(self.finite()) + f64::from(self.finite()) * 1.0e-9,
        }
    }

    /// Any integer: the low bits of this one count.
    pub(crate) fn integer(&mut self) -> u64 {
        let bits = self.bits();
        match bits % 8 {
            0 => self.among(&[
                0,
                1,
                u64::MAX,
                i64::MAX as u64,
                i64::MIN as u64,
                0x7fff_ffff,
                0x8000_0000,
                0x7f,
                0x80,
                0xff,
            ]),
            1 => bits >> 56,
            _ => self.bits(),
        }
    }
}

const SINGLES: [f32; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::from_bits(0xffc0_0000),
    // With a payload; signalling.
    f32::from_bits(0x7fc1_2345),
    f32::from_bits(0x7f80_0001),
    f32::from_bits(0xff80_0001),
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    2_147_483_648.0,
    -2_147_483_648.0,
    255.5,
    8_388_609.0,
    // The greatest number below one half: `(x + 0.5).floor()` rounds it up.
    0.499_999_97,
];

const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::from_bits(0xfff8_0000_0000_0000),
    f64::from_bits(0x7ff0_0000_0000_0001),
    f64::MAX,
    f64::MIN_POSITIVE,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    18_446_744_073_709_551_616.0,
    4_503_599_627_370_497.5,
    0.1,
];
