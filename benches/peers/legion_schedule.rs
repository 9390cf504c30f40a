//! Schedules, done by `legion`. Its parallel schedule runs in the pool of the other contestants; on one thread each system
//! is added as one of the main thread.

use std::hint::black_box;
use std::mem::swap;

use legion::systems::{Builder, ParallelRunnable};
use legion::{IntoQuery, Resources, Schedule, SystemBuilder, World};

use crate::schedule::heavy::{self, Columns};
use crate::schedule::many::{THOUSAND, thousand};
use crate::schedule::pool;
use crate::schedule::swaps::{self, LARGE, SMALL, value};
use crate::support::changes::{Outcome, Workload, checked, in_a_row};
use crate::support::data::Vec3;
use crate::support::{Contestant, Sample, repeated};

#[derive(Clone, Copy)]
struct Position(Vec3);

#[derive(Clone, Copy)]
struct Velocity(#[expect(dead_code, reason = "only there to take room")] Vec3);

#[derive(Clone, Copy)]
struct Rotation(#[expect(dead_code, reason = "only there to take room")] Vec3);

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "schedule/100 empty systems" => both(|| empty_systems(100, false), || empty_systems(100, true)),
        "schedule/1000 empty systems" => both(|| empty_systems(THOUSAND, false), || empty_systems(THOUSAND, true)),
        "schedule/schedule3 4 x 10k" => both(|| swapped(SMALL, false), || swapped(SMALL, true)),
        "schedule/schedule3 4 x 500k" => {
            let mut contestants = both(|| swapped(LARGE, false), || swapped(LARGE, true));
            let split: fn() -> Sample = || in_a_row(checked(Swaps::split(LARGE), swaps::ByHand::<false>::new(LARGE)));
            contestants.push(Contestant::new("legion: par_for_each_mut, parallel", None, split));
            contestants
        }
        "schedule/heavy_compute 1000" => vec![Contestant::new("legion: par_for_each_mut", None, || {
            in_a_row(checked(Heavy::new(), heavy::ByHand::<false>::new()))
        })],
        _ => Vec::new(),
    }
}

fn both(one: fn() -> Sample, several: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new("legion: thread-local", None, one), Contestant::new("legion: parallel", None, several)]
}

/// A world and a schedule for it.
struct Program {
    world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Program {
    fn new(world: World, schedule: Schedule) -> Self {
        Self { world, resources: Resources::default(), schedule }
    }

    fn run(&mut self) {
        let world = black_box(&mut self.world);
        self.schedule.execute_in_thread_pool(world, &mut self.resources, &pool());
    }
}

fn add(builder: &mut Builder, parallel: bool, system: impl ParallelRunnable + 'static) {
    if parallel {
        builder.add_system(system);
    } else {
        builder.add_thread_local(system);
    }
}

#[inline(never)]
fn add_empty<const N: usize>(builder: &mut Builder, parallel: bool) {
    let empty = SystemBuilder::new("empty").with_query(<&Position>::query()).build(|_, _, _, _| {
        black_box(N);
    });
    add(builder, parallel, empty);
}

fn empty_systems(count: usize, parallel: bool) -> Sample {
    let (mut world, mut builder) = (World::default(), Schedule::builder());
    let vector = Vec3::splat(1.0);
    world.push((Position(vector), Velocity(vector)));
    macro_rules! add {
        ($number:expr) => {
            if $number < count {
                add_empty::<$number>(&mut builder, parallel);
            }
        };
    }
    thousand!(add);
    let mut program = Program::new(world, builder.build());
    repeated(move || program.run())
}

#[derive(Clone, Copy)]
struct Lane<const N: u8>(f32);

impl<const N: u8> Lane<N> {
    fn of(row: usize) -> Self {
        Self(value(N, row))
    }
}

fn exchange<const A: u8, const B: u8>() -> impl ParallelRunnable + 'static {
    let query = <(&mut Lane<A>, &mut Lane<B>)>::query();
    SystemBuilder::new("exchange").with_query(query).build(|_, world, _, query| {
        query.for_each_mut(world, |(a, b)| swap(&mut a.0, &mut b.0));
    })
}

fn exchange_in_parallel<const A: u8, const B: u8>() -> impl ParallelRunnable + 'static {
    let query = <(&mut Lane<A>, &mut Lane<B>)>::query();
    SystemBuilder::new("exchange").with_query(query).build(|_, world, _, query| {
        query.par_for_each_mut(world, |(a, b)| swap(&mut a.0, &mut b.0));
    })
}

struct Swaps(Program);

impl Swaps {
    fn world(rows: usize) -> World {
        let mut world = World::default();
        let all = || 0..rows;
        world.extend(all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row))));
        world.extend(all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row), Lane::<2>::of(row))));
        world.extend(all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row), Lane::<2>::of(row), Lane::<3>::of(row))));
        world.extend(all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row), Lane::<2>::of(row), Lane::<4>::of(row))));
        world
    }

    fn new(rows: usize, parallel: bool) -> Self {
        let mut builder = Schedule::builder();
        add(&mut builder, parallel, exchange::<0, 1>());
        add(&mut builder, parallel, exchange::<2, 3>());
        add(&mut builder, parallel, exchange::<2, 4>());
        Self(Program::new(Self::world(rows), builder.build()))
    }

    fn split(rows: usize) -> Self {
        let mut builder = Schedule::builder();
        builder.add_system(exchange_in_parallel::<0, 1>());
        builder.add_system(exchange_in_parallel::<2, 3>());
        builder.add_system(exchange_in_parallel::<2, 4>());
        Self(Program::new(Self::world(rows), builder.build()))
    }

    fn sum<const N: u8>(&self) -> u64 {
        swaps::sum(<&Lane<N>>::query().iter(&self.0.world).map(|lane| lane.0))
    }
}

impl Workload for Swaps {
    fn run(&mut self) {
        self.0.run();
    }

    fn outcome(&mut self) -> Outcome {
        swaps::outcome([self.sum::<0>(), self.sum::<1>(), self.sum::<2>(), self.sum::<3>(), self.sum::<4>()])
    }
}

fn swapped(rows: usize, parallel: bool) -> Sample {
    in_a_row(checked(Swaps::new(rows, parallel), swaps::ByHand::<false>::new(rows)))
}

#[derive(Clone, Copy)]
struct Matrix(Columns);

struct Heavy(Program);

impl Heavy {
    fn new() -> Self {
        let (mut world, vector) = (World::default(), Vec3::splat(1.0));
        let entity =
            |row| (Matrix(heavy::matrix(row)), Position(heavy::start(row)), Rotation(vector), Velocity(vector));
        world.extend((0..heavy::ROWS).map(entity));
        let query = <(&Matrix, &mut Position)>::query();
        let invert = SystemBuilder::new("invert").with_query(query).build(|_, world, _, query| {
            query.par_for_each_mut(world, |(matrix, position)| heavy::work(&matrix.0, &mut position.0));
        });
        Self(Program::new(world, Schedule::builder().add_system(invert).build()))
    }
}

impl Workload for Heavy {
    fn run(&mut self) {
        self.0.run();
    }

    fn outcome(&mut self) -> Outcome {
        heavy::outcome(<&Position>::query().iter(&self.0.world).map(|position| position.0))
    }
}
