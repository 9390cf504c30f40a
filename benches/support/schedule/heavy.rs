//! `heavy_compute` of `ecs_bench_suite`: a thousand entities, each with enough work to be worth a thread.

use std::hint::black_box;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};
use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

use super::{bench, pool, schedule, world};
use crate::support::changes::{Outcome, Workload, checked, in_a_row};
use crate::support::data::{BODY, Position, Rotation, Vec3, Velocity};
use crate::support::{Bench, Contestant};

/// The number of entities.
pub(crate) const ROWS: usize = 1000;
/// The number of rows that a thread takes at once.
pub(crate) const CHUNK: usize = 64;

/// Four columns of four.
pub(crate) type Columns = [[f32; 4]; 4];

/// The matrix that is inverted.
#[derive(Clone, Copy, Component)]
struct Matrix(Columns);

/// The matrix of an entity: a rotation about the first axis by an angle that depends on the entity.
pub(crate) fn matrix(row: usize) -> Columns {
    let (sin, cos) = (1.2 + row as f32 * 1e-3).sin_cos();
    [[1.0, 0.0, 0.0, 0.0], [0.0, cos, sin, 0.0], [0.0, -sin, cos, 0.0], [0.0, 0.0, 0.0, 1.0]]
}

/// The inverse of an invertible matrix: its adjugate over its determinant (Laplace's expansion by the determinants of the 2 x 2 blocks of
/// the first two columns and of the last two).
#[inline]
fn inverse(&[a, b, c, d]: &Columns) -> Columns {
    let block = |p: [f32; 4], q: [f32; 4], i: usize, j: usize| p[i] * q[j] - q[i] * p[j];
    let s = [
        block(a, b, 0, 1),
        block(a, b, 0, 2),
        block(a, b, 0, 3),
        block(a, b, 1, 2),
        block(a, b, 1, 3),
        block(a, b, 2, 3),
    ];
    let t = [
        block(c, d, 0, 1),
        block(c, d, 0, 2),
        block(c, d, 0, 3),
        block(c, d, 1, 2),
        block(c, d, 1, 3),
        block(c, d, 2, 3),
    ];
    let determinant = s[0] * t[5] - s[1] * t[4] + s[2] * t[3] + s[3] * t[2] - s[4] * t[1] + s[5] * t[0];
    let scale = 1.0 / determinant;
    let three = |x: f32, y: f32, z: f32| (x - y + z) * scale;
    [
        [
            three(b[1] * t[5], b[2] * t[4], b[3] * t[3]),
            -three(a[1] * t[5], a[2] * t[4], a[3] * t[3]),
            three(d[1] * s[5], d[2] * s[4], d[3] * s[3]),
            -three(c[1] * s[5], c[2] * s[4], c[3] * s[3]),
        ],
        [
            -three(b[0] * t[5], b[2] * t[2], b[3] * t[1]),
            three(a[0] * t[5], a[2] * t[2], a[3] * t[1]),
            -three(d[0] * s[5], d[2] * s[2], d[3] * s[1]),
            three(c[0] * s[5], c[2] * s[2], c[3] * s[1]),
        ],
        [
            three(b[0] * t[4], b[1] * t[2], b[3] * t[0]),
            -three(a[0] * t[4], a[1] * t[2], a[3] * t[0]),
            three(d[0] * s[4], d[1] * s[2], d[3] * s[0]),
            -three(c[0] * s[4], c[1] * s[2], c[3] * s[0]),
        ],
        [
            -three(b[0] * t[3], b[1] * t[1], b[2] * t[0]),
            three(a[0] * t[3], a[1] * t[1], a[2] * t[0]),
            -three(d[0] * s[3], d[1] * s[1], d[2] * s[0]),
            three(c[0] * s[3], c[1] * s[1], c[2] * s[0]),
        ],
    ]
}

/// Whether the product of a matrix and its inverse is the identity.
fn inverse_is_right(m: &Columns) -> bool {
    let inverse = inverse(m);
    let entry = |row: usize, column: usize| (0..4).map(|at| m[at][row] * inverse[column][at]).sum::<f32>();
    let is_right = |row, column| (entry(row, column) - f32::from(u8::from(row == column))).abs() < 1e-4;
    (0..16).all(|at| is_right(at / 4, at % 4))
}

/// The work for each entity: inverts its matrix a hundred times and applies the result to its position. All contestants call this function,
/// so they run the same machine code.
///
/// The matrix is not modified, so that rounding errors do not accumulate from run to run.
#[inline(never)]
pub(crate) fn work(matrix: &Columns, position: &mut Vec3) {
    let m = (0..100).fold(*matrix, |matrix, _| inverse(&matrix));
    let Vec3 { x, y, z } = *position;
    let row = |row: usize| m[0][row] * x + m[1][row] * y + m[2][row] * z;
    *position = Vec3 { x: row(0), y: row(1), z: row(2) };
}

/// The initial position of an entity.
pub(crate) fn start(row: usize) -> Vec3 {
    Vec3 { x: 1.0, y: row as f32, z: -1.0 }
}

/// The order-independent checksum of the positions.
pub(crate) fn outcome(positions: impl Iterator<Item = Vec3>) -> Outcome {
    positions.fold([0; 3], |sum, position| {
        let bits = [position.x, position.y, position.z].map(|lane| u64::from(lane.to_bits()));
        std::array::from_fn(|lane| sum[lane] + bits[lane])
    })
}

/// A vector of the matrices and one of the positions.
pub(crate) struct ByHand<const THREADS: bool> {
    matrices: Vec<Columns>,
    positions: Vec<Vec3>,
}

impl<const THREADS: bool> ByHand<THREADS> {
    pub(crate) fn new() -> Self {
        let general = [[2.0, 1.0, 0.5, -1.0], [0.25, 3.0, 1.0, 2.0], [-1.0, 0.5, 4.0, 1.5], [1.0, -2.0, 0.75, 5.0]];
        assert!(inverse_is_right(&general) && inverse_is_right(&matrix(7)));
        Self { matrices: (0..ROWS).map(matrix).collect(), positions: (0..ROWS).map(start).collect() }
    }
}

fn work_on(matrices: &[Columns], positions: &mut [Vec3]) {
    for (matrix, position) in matrices.iter().zip(positions) {
        work(matrix, position);
    }
}

impl<const THREADS: bool> Workload for ByHand<THREADS> {
    fn run(&mut self) {
        let (matrices, positions) = (black_box(&self.matrices), &mut self.positions);
        if THREADS {
            pool().install(|| {
                let chunks = positions.par_chunks_mut(CHUNK).zip(matrices.par_chunks(CHUNK));
                chunks.for_each(|(positions, matrices)| work_on(matrices, positions));
            });
        } else {
            work_on(matrices, positions);
        }
    }

    fn outcome(&mut self) -> Outcome {
        outcome(self.positions.iter().copied())
    }
}

#[system]
fn invert(matrix: &Matrix, position: &mut Position) {
    work(&matrix.0, &mut position.0);
}

/// The rows are divided among several threads.
#[system(par)]
fn invert_split(matrix: &Matrix, position: &mut Position) {
    work(&matrix.0, &mut position.0);
}

/// As [`invert_split`], by a loop over a query.
fn invert_in_query(mut all: Query<'_, '_, (&Matrix, &mut Position)>) {
    all.par_iter_mut().for_each(|(matrix, mut position)| work(&matrix.0, &mut position.0));
}

struct System {
    world: World,
    schedule: Schedule,
}

impl System {
    fn new<Marker>(parallel: bool, system: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Self {
        let (mut world, mut schedule) = (world(), schedule(parallel));
        let entity = |row| (Matrix(matrix(row)), Position(start(row)), BODY.2, BODY.3);
        world.spawn_batch((0..ROWS).map(|row| -> (Matrix, Position, Rotation, Velocity) { entity(row) }));
        schedule.add_systems(system);
        Self { world, schedule }
    }
}

impl Workload for System {
    fn run(&mut self) {
        self.schedule.run(black_box(&mut self.world));
    }

    fn outcome(&mut self) -> Outcome {
        let mut query = self.world.query::<&Position>();
        outcome(query.iter(&self.world).map(|position| position.0))
    }
}

pub(super) fn benches() -> Vec<Bench> {
    vec![bench(
        "schedule/heavy_compute 1000",
        ROWS,
        vec![
            Contestant::new("rayon by hand, two threads", None, || {
                in_a_row(checked(ByHand::<true>::new(), ByHand::<false>::new()))
            }),
            Contestant::new("slices by hand, one thread", None, || in_a_row(ByHand::<false>::new())),
            Contestant::new("row system, one thread", None, || {
                in_a_row(checked(System::new(false, invert), ByHand::<false>::new()))
            }),
            Contestant::new("row system, split on two threads", Some(1.05), || {
                in_a_row(checked(System::new(true, invert_split), ByHand::<false>::new()))
            }),
            Contestant::new("par_iter_mut, two threads", Some(1.05), || {
                in_a_row(checked(System::new(true, invert_in_query), ByHand::<false>::new()))
            }),
        ],
    )]
}
