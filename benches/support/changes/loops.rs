//! simple_iter, with and without a system that watches what the loop writes.
//!
//! Each loop exists in four copies, because code placement changes the time by more than the two percent that are promised: see [`placed`].

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::super::data::{BODY, Rotation, Transform, Vec3};
use super::super::{Bench, Contestant, Sample, placed};
use super::{Outcome, THOUSANDS, Workload, apart, checked, in_a_row};

pub(crate) const UNWATCHED: &str = "changes: simple_iter 10k, unwatched";
pub(crate) const WATCHED: &str = "changes: simple_iter 10k, watched";

/// The component that one copy of the loop writes.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Position<const COPY: usize>(pub(crate) Vec3);

/// The component that one copy of the loop reads.
#[derive(Clone, Copy, Component, Debug)]
pub(crate) struct Velocity<const COPY: usize>(pub(crate) Vec3);

impl<const COPY: usize> Position<COPY> {
    /// `pos += vel`, or an operation of equal cost: the compiler would merge copies that do the same.
    #[inline]
    pub(crate) fn advance(&mut self, velocity: Velocity<COPY>) {
        let step = |lane: &mut f32, by: f32| match COPY {
            0 => *lane += by,
            1 => *lane -= by,
            2 => *lane = by - *lane,
            _ => *lane *= by,
        };
        step(&mut self.0.x, velocity.0.x);
        step(&mut self.0.y, velocity.0.y);
        step(&mut self.0.z, velocity.0.z);
    }

    /// A part of the checksum that verifies the loop and the reads of a watcher.
    #[inline]
    pub(crate) fn weight(&self) -> u64 {
        u64::from(self.0.x.to_bits())
    }
}

/// An entity of `simple_iter`.
pub(crate) type Body<const COPY: usize> = (Transform, Position<COPY>, Rotation, Velocity<COPY>);

pub(crate) fn body<const COPY: usize>() -> Body<COPY> {
    let (transform, position, rotation, velocity) = BODY;
    black_box((transform, Position(position.0), rotation, Velocity(velocity.0)))
}

/// Only two vectors.
pub(crate) struct ByHand<const COPY: usize> {
    positions: Vec<Position<COPY>>,
    velocities: Vec<Velocity<COPY>>,
}

impl<const COPY: usize> ByHand<COPY> {
    pub(crate) fn new() -> Self {
        let (_, position, _, velocity) = body();
        Self { positions: vec![position; THOUSANDS], velocities: vec![velocity; THOUSANDS] }
    }

    fn sum(&self) -> u64 {
        self.positions.iter().map(Position::weight).sum()
    }
}

#[inline(never)]
fn movement_by_hand<const COPY: usize>(positions: &mut [Position<COPY>], velocities: &[Velocity<COPY>]) {
    for (position, velocity) in positions.iter_mut().zip(velocities) {
        position.advance(*velocity);
    }
}

impl<const COPY: usize> Workload for ByHand<COPY> {
    fn run(&mut self) {
        movement_by_hand(&mut self.positions, &self.velocities);
    }

    fn outcome(&mut self) -> Outcome {
        [self.sum(), 0, 0]
    }
}

/// As above, but between the runs all positions are read, as by a watcher that finds all of them changed.
pub(crate) struct ByHandRead<const COPY: usize> {
    bodies: ByHand<COPY>,
    seen: u64,
}

impl<const COPY: usize> ByHandRead<COPY> {
    pub(crate) fn new() -> Self {
        Self { bodies: ByHand::new(), seen: 0 }
    }
}

impl<const COPY: usize> Workload for ByHandRead<COPY> {
    fn before(&mut self) {
        self.seen += self.bodies.sum();
    }

    fn run(&mut self) {
        self.bodies.run();
    }

    fn outcome(&mut self) -> Outcome {
        [self.seen, 0, 0]
    }
}

#[system]
pub(crate) fn movement<const COPY: usize>(position: &mut Position<COPY>, velocity: &Velocity<COPY>) {
    position.advance(*velocity);
}

pub(crate) fn world<const COPY: usize>() -> World {
    let mut world = World::new();
    world.spawn_batch((0..THOUSANDS).map(|_| body::<COPY>()));
    world
}

/// A world in which no system asks for changes.
struct RowSystem<const COPY: usize> {
    world: World,
    schedule: Schedule,
}

impl<const COPY: usize> Workload for RowSystem<COPY> {
    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn outcome(&mut self) -> Outcome {
        let mut positions = self.world.query::<&Position<COPY>>();
        [positions.iter(&self.world).map(Position::weight).sum(), 0, 0]
    }
}

fn row_system<const COPY: usize>() -> Sample {
    let mut schedule = Schedule::default();
    schedule.add_systems(movement::<COPY>);
    in_a_row(checked(RowSystem::<COPY> { world: world::<COPY>(), schedule }, ByHand::<COPY>::new()))
}

struct ForEach<const COPY: usize> {
    world: World,
    query: QueryState<(&'static mut Position<COPY>, &'static Velocity<COPY>)>,
}

impl<const COPY: usize> Workload for ForEach<COPY> {
    fn run(&mut self) {
        self.query.iter_mut(&mut self.world).for_each(|(mut position, velocity)| position.advance(*velocity));
    }

    fn outcome(&mut self) -> Outcome {
        let mut positions = self.world.query::<&Position<COPY>>();
        [positions.iter(&self.world).map(Position::weight).sum(), 0, 0]
    }
}

fn for_each<const COPY: usize>() -> Sample {
    let mut world = world::<COPY>();
    let query = world.query();
    in_a_row(checked(ForEach::<COPY> { world, query }, ByHand::<COPY>::new()))
}

fn by_hand<const COPY: usize>() -> Sample {
    in_a_row(ByHand::<COPY>::new())
}

fn by_hand_read<const COPY: usize>() -> Sample {
    apart(ByHandRead::<COPY>::new())
}

pub(super) fn unwatched() -> Bench {
    Bench {
        file: "changes",
        name: UNWATCHED,
        rows: THOUSANDS,
        contestants: vec![
            Contestant::new("slices by hand", None, || {
                placed([by_hand::<0>(), by_hand::<1>(), by_hand::<2>(), by_hand::<3>()])
            }),
            Contestant::new("row system", Some(1.02), || {
                placed([row_system::<0>(), row_system::<1>(), row_system::<2>(), row_system::<3>()])
            }),
            Contestant::new("for_each", None, || {
                placed([for_each::<0>(), for_each::<1>(), for_each::<2>(), for_each::<3>()])
            }),
        ],
    }
}

pub(super) fn watched() -> Bench {
    Bench {
        file: "changes",
        name: WATCHED,
        rows: THOUSANDS,
        contestants: vec![Contestant::new("slices by hand", None, || {
            placed([by_hand_read::<0>(), by_hand_read::<1>(), by_hand_read::<2>(), by_hand_read::<3>()])
        })],
    }
}
