//! The bodies of the loops: one for each operation that could differ between instruction sets.

use strata_ecs::prelude::*;

use crate::rows::*;
use crate::ways::{Loop, Way, loops, more_ways};

loops! {
    main fn add(a: &mut A, b: &B) {
        a.0 += b.0;
    }

    /// With one rounding in place of two, nearly every row differs.
    every fn multiply_and_add(a: &mut A, b: &B, c: &C) {
        a.0 = a.0 * b.0 + c.0;
        a.0 = c.0 - a.0 * 0.3;
        a.0 = a.0 * a.0 - b.0;
    }

    main fn multiply_and_add_doubles(d: &mut D, e: &E) {
        d.0 = d.0 * e.0 + 0.1;
        d.0 = e.0 * e.0 - d.0 * 3.0;
    }

    /// One rounding: a function of the C library where the instruction is missing.
    main fn fused(a: &mut A, b: &B, c: &C) {
        a.0 = a.0.mul_add(b.0, c.0);
    }

    every fn smaller_and_greater(chosen: &mut Chosen, a: &A, b: &B) {
        chosen.0.0 = a.0.min(b.0).max(chosen.0.0);
    }

    main fn clamped(chosen: &mut Chosen, a: &A) {
        chosen.0.0 = a.0.clamp(-2.0, 2.0);
    }

    main fn roots_and_quotients(a: &mut A, b: &B, c: &C) {
        a.0 = b.0.sqrt() / c.0 + 1.0 / a.0;
    }

    main fn reciprocal_roots(d: &mut D, e: &E) {
        d.0 = 1.0 / (d.0 * d.0 + e.0 * e.0).sqrt();
    }

    every fn rounded(vector: &mut Vector, a: &A) {
        vector.0 = [a.0.floor(), a.0.ceil(), a.0.trunc(), a.0.round()];
    }

    main fn rounded_to_even(d: &mut D, e: &E) {
        d.0 = e.0.round_ties_even() + e.0.fract();
    }

    main fn cast_to_int(i: &mut I, a: &A) {
        i.0 = a.0 as i32;
    }

    main fn cast_to_byte(byte: &mut Byte, a: &A) {
        byte.0 = a.0 as u8;
    }

    main fn cast_to_long(long: &mut Long, d: &D) {
        long.0 = d.0 as i64;
    }

    main fn cast_to_unsigned(unsigned: &mut Unsigned, d: &D, a: &A) {
        unsigned.0 = (d.0 as u64) ^ (a.0 as u64);
    }

    main fn cast_from_integers(vector: &mut Vector, i: &I, long: &Long, unsigned: &Unsigned, short: &Short) {
        vector.0 = [i.0 as f32, long.0 as f32, unsigned.0 as f32, f32::from(short.0)];
    }

    main fn cast_between_floats(a: &mut A, d: &D, b: &B) {
        a.0 = (d.0 * f64::from(b.0)) as f32;
    }

    every fn mixed_widths(d: &mut D, a: &A, i: &I, byte: &Byte) {
        d.0 += f64::from(a.0) * f64::from(i.0) - f64::from(byte.0);
    }

    main fn integers(i: &mut I, j: &J) {
        i.0 = i.0.wrapping_mul(j.0).wrapping_add(77).rotate_left(5) ^ j.0.wrapping_shl(i.0 as u32);
        i.0 = i.0.wrapping_abs().min(j.0).wrapping_shr(3);
    }

    main fn long_integers(long: &mut Long, unsigned: &Unsigned, byte: &Byte) {
        long.0 = long.0.wrapping_mul(unsigned.0 as i64).wrapping_shr(u32::from(byte.0));
        long.0 ^= i64::from(unsigned.0.count_ones() + unsigned.0.leading_zeros() * 64 + unsigned.0.trailing_zeros() * 4096);
    }

    every fn saturating(byte: &mut Byte, octet: &Octet) {
        byte.0 = byte.0.saturating_add(octet.0).abs_diff(octet.0 / 3).saturating_sub(7);
    }

    main fn short_integers(short: &mut Short, word: &Word, octet: &Octet) {
        short.0 = short.0.saturating_mul(word.0 as i16).wrapping_add(i16::from(octet.0) >> 2);
    }

    main fn quotients_of_integers(i: &mut I, j: &J) {
        i.0 = i.0.wrapping_div(j.0 | 1) + i.0.wrapping_rem(10);
    }

    every fn branches(a: &mut A, b: &B, c: &C) {
        a.0 = if b.0 > 0.0 {
            a.0 - b.0
        } else if b.0 < -1.0 || c.0 >= a.0 {
            b.0 * 0.1 + c.0
        } else {
            c.0.copysign(b.0)
        };
    }

    main fn some_rows_are_left_alone(a: &mut A, b: &B, i: &I) {
        if i.0 % 3 == 0 {
            return;
        }
        if b.0.is_nan() {
            a.0 = 0.0;
        } else {
            a.0 += b.0 * b.0;
        }
    }

    every fn movement(position: &mut Position, velocity: &Velocity) {
        for (at, by) in position.0.iter_mut().zip(&velocity.0) {
            *at += by * 0.016;
        }
    }

    main fn normalised(position: &mut Position, velocity: &Velocity) {
        let [x, y, z] = velocity.0;
        let length = (x * x + y * y + z * z).sqrt();
        position.0 = [x / length, y / length, z / length];
    }

    every fn transformed(vector: &mut Vector, matrix: &Matrix) {
        let [x, y, z, w] = vector.0;
        for (row, to) in vector.0.iter_mut().enumerate() {
            let column = |column: usize| matrix.0[column * 4 + row];
            *to = column(0) * x + column(1) * y + column(2) * z + column(3) * w;
        }
    }

    main fn matrices_multiplied(matrix: &mut Matrix, vector: &Vector) {
        let left = matrix.0;
        for (at, to) in matrix.0.iter_mut().enumerate() {
            *to = (0..4).map(|k| left[at / 4 * 4 + k] * left[k * 4 + at % 4]).sum::<f32>() * vector.0[3];
        }
    }

    /// The function is compiled once, for the baseline.
    main fn a_function_is_called(a: &mut A, b: &B) {
        a.0 = helper(a.0 * 0.7 + b.0) * 1.3 - b.0;
    }

    /// Functions of the C library.
    main fn waves(a: &mut A, b: &B) {
        a.0 = b.0.sin() * a.0 + b.0.powi(3);
    }
}

#[inline(never)]
fn helper(x: f32) -> f32 {
    x * x - 0.1 * x
}
