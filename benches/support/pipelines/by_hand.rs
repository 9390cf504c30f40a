//! The chain by hand: three vectors and several loop orders.

use std::hint::black_box;

use super::{DT, Vec3, pool, start, sum};
use crate::support::contest::{Outcome, Workload};

/// Rows per block: 72 KB of three columns, much less than second-level caches hold, and enough to hide the cost of starting a block.
pub(crate) const BLOCK: usize = 2048;

/// The columns, or slices of the same rows of each.
pub(crate) struct Rows<'a> {
    positions: &'a mut [Vec3],
    velocities: &'a mut [Vec3],
    accelerations: &'a [Vec3],
}

impl Rows<'_> {
    fn halves(&mut self) -> (Rows<'_>, Rows<'_>) {
        let row = self.positions.len() / 2;
        let (positions, more_positions) = self.positions.split_at_mut(row);
        let (velocities, more_velocities) = self.velocities.split_at_mut(row);
        let (accelerations, more_accelerations) = self.accelerations.split_at(row);
        (
            Rows { positions, velocities, accelerations },
            Rows { positions: more_positions, velocities: more_velocities, accelerations: more_accelerations },
        )
    }

    #[inline(always)]
    fn blocks(&mut self) -> impl Iterator<Item = Rows<'_>> {
        let columns = self.positions.chunks_mut(BLOCK).zip(self.velocities.chunks_mut(BLOCK));
        let columns = columns.zip(self.accelerations.chunks(BLOCK));
        columns.map(|((positions, velocities), accelerations)| Rows { positions, velocities, accelerations })
    }
}

#[inline(never)]
fn damp(velocities: &mut [Vec3]) {
    for velocity in velocities {
        velocity.damp();
    }
}

#[inline(never)]
fn advance(values: &mut [Vec3], rates: &[Vec3], dt: f32) {
    for (value, rate) in values.iter_mut().zip(rates) {
        value.advance(*rate, dt);
    }
}

#[inline(never)]
fn confine(positions: &mut [Vec3]) {
    for position in positions {
        position.confine();
    }
}

/// The third loop alone.
pub(crate) fn movement(rows: Rows<'_>) {
    advance(rows.positions, rows.velocities, DT);
}

/// Four loops over all rows.
pub(crate) fn in_turn(rows: Rows<'_>) {
    damp(rows.velocities);
    advance(rows.velocities, rows.accelerations, DT);
    advance(rows.positions, rows.velocities, DT);
    confine(rows.positions);
}

/// Four loops over one block, then over the next block.
pub(crate) fn by_blocks(mut rows: Rows<'_>) {
    rows.blocks().for_each(in_turn);
}

/// One loop that runs all four steps on each row.
#[inline(never)]
pub(crate) fn in_one_loop(rows: Rows<'_>) {
    let columns = rows.positions.iter_mut().zip(rows.velocities).zip(rows.accelerations);
    for ((position, velocity), acceleration) in columns {
        velocity.damp();
        velocity.advance(*acceleration, DT);
        position.advance(*velocity, DT);
        position.confine();
    }
}

/// As [`by_blocks`], with the instructions of AVX2 where the processor has them.
pub(crate) fn by_blocks_wide(rows: Rows<'_>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the caller of what is compiled for AVX2 says that there is AVX2")]
        // SAFETY: AVX2, the only feature that the callee requires, was detected above.
        return unsafe { avx2::by_blocks(rows) };
    }
    by_blocks(rows);
}

/// Four loops over all rows with the instructions of AVX2 where the processor has them.
pub(crate) fn in_turn_wide(rows: Rows<'_>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the caller of what is compiled for AVX2 says that there is AVX2")]
        // SAFETY: AVX2, the only feature that the callee requires, was detected above.
        return unsafe { avx2::in_turn(rows) };
    }
    in_turn(rows);
}

/// The loops once more, compiled for AVX2.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{DT, Rows, Vec3};

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn damp(velocities: &mut [Vec3]) {
        for velocity in velocities {
            velocity.damp();
        }
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn advance(values: &mut [Vec3], rates: &[Vec3], dt: f32) {
        for (value, rate) in values.iter_mut().zip(rates) {
            value.advance(*rate, dt);
        }
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn confine(positions: &mut [Vec3]) {
        for position in positions {
            position.confine();
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn in_turn(rows: Rows<'_>) {
        damp(rows.velocities);
        advance(rows.velocities, rows.accelerations, DT);
        advance(rows.positions, rows.velocities, DT);
        confine(rows.positions);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn by_blocks(mut rows: Rows<'_>) {
        for block in rows.blocks() {
            in_turn(block);
        }
    }
}

/// Half of the rows on each of two threads, which wait for each other after each loop.
pub(crate) fn in_turn_on_threads(mut rows: Rows<'_>) {
    let (one, other) = rows.halves();
    pool().install(|| {
        rayon::join(|| damp(one.velocities), || damp(other.velocities));
        rayon::join(
            || advance(one.velocities, one.accelerations, DT),
            || advance(other.velocities, other.accelerations, DT),
        );
        rayon::join(|| advance(one.positions, one.velocities, DT), || advance(other.positions, other.velocities, DT));
        rayon::join(|| confine(one.positions), || confine(other.positions));
    });
}

/// Half of the rows on each of two threads, block by block.
pub(crate) fn by_blocks_on_threads(mut rows: Rows<'_>) {
    let (one, other) = rows.halves();
    pool().install(|| rayon::join(|| by_blocks(one), || by_blocks(other)));
}

/// Three vectors, and the loop that visits them.
pub(crate) struct ByHand {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    accelerations: Vec<Vec3>,
    pass: fn(Rows<'_>),
}

impl ByHand {
    pub(crate) fn new(rows: usize, pass: fn(Rows<'_>)) -> Self {
        let column = |column: usize| (0..rows).map(|row| start(row)[column]).collect();
        Self { positions: column(0), velocities: column(1), accelerations: column(2), pass }
    }
}

impl Workload for ByHand {
    fn run(&mut self) {
        let Self { positions, velocities, accelerations, pass } = black_box(self);
        pass(Rows { positions, velocities, accelerations });
    }

    fn outcome(&mut self) -> Outcome {
        [sum(self.positions.iter()), sum(self.velocities.iter()), sum(self.accelerations.iter())]
    }
}
