//! `heavy_compute` with the matrices of a library, whose functions are inlined into the loop: a long body, which is compiled
//! for each instruction set.

use std::hint::black_box;

use cgmath::{Matrix4, Rad, SquareMatrix, Transform, Vector3};
use strata_ecs::prelude::*;

use super::{bench, schedule};
use crate::support::changes::{Outcome, Workload, checked, in_a_row};
use crate::support::{Bench, Contestant};

/// The number of entities.
const ROWS: usize = 1000;

#[derive(Clone, Copy, Component)]
struct Matrix(Matrix4<f32>);

#[derive(Clone, Copy, Component)]
struct Position(Vector3<f32>);

#[derive(Clone, Copy, Component)]
struct Rest([Vector3<f32>; 2]);

fn matrix(row: usize) -> Matrix {
    Matrix(Matrix4::from_angle_x(Rad(1.2 + row as f32 * 1e-3)))
}

fn position(row: usize) -> Position {
    Position(Vector3::new(1.0, row as f32, -1.0))
}

/// Inlined into each loop, as a user's code is.
#[inline(always)]
fn work(Matrix(matrix): &mut Matrix, Position(position): &mut Position) {
    for _ in 0..100 {
        *matrix = matrix.invert().expect("a rotation has an inverse");
    }
    *position = matrix.transform_vector(*position);
}

fn outcome(positions: impl Iterator<Item = Position>) -> Outcome {
    positions.fold([0; 3], |sum, Position(position)| {
        let bits = [position.x, position.y, position.z].map(|lane| u64::from(lane.to_bits()));
        std::array::from_fn(|lane| sum[lane] + bits[lane])
    })
}

struct ByHand {
    matrices: Vec<Matrix>,
    positions: Vec<Position>,
}

impl ByHand {
    fn new() -> Self {
        Self { matrices: (0..ROWS).map(matrix).collect(), positions: (0..ROWS).map(position).collect() }
    }
}

#[inline(never)]
fn work_on(matrices: &mut [Matrix], positions: &mut [Position]) {
    for (matrix, position) in matrices.iter_mut().zip(positions) {
        work(matrix, position);
    }
}

impl Workload for ByHand {
    fn run(&mut self) {
        work_on(black_box(&mut self.matrices), black_box(&mut self.positions));
    }

    fn outcome(&mut self) -> Outcome {
        outcome(self.positions.iter().copied())
    }
}

#[system]
fn invert(matrix: &mut Matrix, position: &mut Position) {
    work(matrix, position);
}

#[system(simd = off)]
fn invert_off(matrix: &mut Matrix, position: &mut Position) {
    work(matrix, position);
}

fn invert_for_each(mut rows: Query<'_, '_, (&mut Matrix, &mut Position)>) {
    rows.iter_mut().for_each(|(mut matrix, mut position)| work(&mut matrix, &mut position));
}

fn invert_plain_for(mut rows: Query<'_, '_, (&mut Matrix, &mut Position)>) {
    for (mut matrix, mut position) in &mut rows {
        work(&mut matrix, &mut position);
    }
}

struct Systems {
    world: World,
    schedule: Schedule,
}

impl Systems {
    fn new<Marker>(system: impl IntoScheduleConfigs<strata_ecs::schedule::ScheduleSystem, Marker>) -> Self {
        let (mut world, mut schedule) = (World::new(), schedule(false));
        world.spawn_batch((0..ROWS).map(|row| (matrix(row), position(row), Rest([position(row).0; 2]))));
        schedule.add_systems(system);
        Self { world, schedule }
    }
}

impl Workload for Systems {
    fn run(&mut self) {
        self.schedule.run(black_box(&mut self.world));
    }

    fn outcome(&mut self) -> Outcome {
        let mut query = self.world.query::<&Position>();
        outcome(query.iter(&self.world).copied())
    }
}

pub(super) fn benches() -> Vec<Bench> {
    vec![bench(
        "schedule/heavy_compute 1000, inlined",
        ROWS,
        vec![
            Contestant::new("slices by hand", None, || in_a_row(ByHand::new())),
            Contestant::new("row system", Some(1.0), || in_a_row(checked(Systems::new(invert), ByHand::new()))),
            Contestant::new("row system, simd = off", None, || {
                in_a_row(checked(Systems::new(invert_off), ByHand::new()))
            }),
            Contestant::new("for_each", Some(1.0), || in_a_row(checked(Systems::new(invert_for_each), ByHand::new()))),
            Contestant::new("plain for", None, || in_a_row(checked(Systems::new(invert_plain_for), ByHand::new()))),
        ],
    )]
}
