//! Schedules, done by `bevy_ecs`. Its parallel executor has as many threads as the machine.

use std::hint::black_box;
use std::mem::swap;

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, ScheduleConfigs, SingleThreadedExecutor};
use bevy_ecs::system::ScheduleSystem;

use crate::bevy::{Position, body};
use crate::schedule::heavy::{self, Columns};
use crate::schedule::many::{HUNDRED, THOUSAND, earlier, hundred, thousand};
use crate::schedule::swaps::{self, LARGE, SMALL, value};
use crate::support::changes::{Outcome, Workload, checked, in_a_row};
use crate::support::{Contestant, Sample, fresh, repeated};

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "schedule/100 empty systems" => both(|| empty_systems(100, false), || empty_systems(100, true)),
        "schedule/1000 empty systems" => both(|| empty_systems(THOUSAND, false), || empty_systems(THOUSAND, true)),
        "schedule/1000 conditions, all false" => both(|| conditions(false), || conditions(true)),
        "schedule/1000 systems in order, built and run once" => both(|| built(false), || built(true)),
        "schedule/schedule3 4 x 10k" => both(|| swapped(SMALL, false), || swapped(SMALL, true)),
        "schedule/schedule3 4 x 500k" => {
            let mut contestants = both(|| swapped(LARGE, false), || swapped(LARGE, true));
            contestants.push(Contestant::new("bevy_ecs: par_iter_mut, parallel", None, || swapped_in_parallel(LARGE)));
            contestants
        }
        "schedule/heavy_compute 1000" => vec![Contestant::new("bevy_ecs: par_iter_mut", None, || {
            in_a_row(checked(Heavy::new(), heavy::ByHand::<false>::new()))
        })],
        _ => Vec::new(),
    }
}

fn both(one: fn() -> Sample, several: fn() -> Sample) -> Vec<Contestant> {
    vec![
        Contestant::new("bevy_ecs: single-threaded", None, one),
        Contestant::new("bevy_ecs: multi-threaded", None, several),
    ]
}

fn schedule(parallel: bool) -> Schedule {
    let mut schedule = Schedule::default();
    if parallel {
        schedule.set_executor(MultiThreadedExecutor::new());
    } else {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    schedule
}

fn world_of_one_table() -> World {
    let mut world = World::new();
    let body = body();
    world.spawn((body.1, body.3));
    world
}

fn empty<const N: usize>(_: Query<&Position>) {
    black_box(N);
}

#[inline(never)]
fn add_empty<const N: usize>(schedule: &mut Schedule) {
    schedule.add_systems(empty::<N>);
}

fn empty_systems(count: usize, parallel: bool) -> Sample {
    let (mut world, mut schedule) = (world_of_one_table(), schedule(parallel));
    macro_rules! add {
        ($number:expr) => {
            if $number < count {
                add_empty::<$number>(&mut schedule);
            }
        };
    }
    thousand!(add);
    assert_eq!(schedule.systems_len(), count);
    repeated(move || schedule.run(black_box(&mut world)))
}

#[derive(Resource)]
struct Switch(usize);

fn beyond<const N: usize>(switch: Res<Switch>) -> bool {
    switch.0 < N
}

/// Runs only if there is a mistake.
fn guarded(_: Query<&Position>) {
    panic!("no condition holds");
}

#[inline(never)]
fn add_conditional<const N: usize>(schedule: &mut Schedule) {
    schedule.add_systems(guarded.run_if(beyond::<N>));
}

fn conditions(parallel: bool) -> Sample {
    let (mut world, mut schedule) = (world_of_one_table(), schedule(parallel));
    world.insert_resource(Switch(THOUSAND));
    macro_rules! add {
        ($number:expr) => {
            add_conditional::<$number>(&mut schedule);
        };
    }
    for _ in 0..THOUSAND / HUNDRED {
        hundred!(add);
    }
    assert_eq!(schedule.systems_len(), THOUSAND);
    repeated(move || schedule.run(black_box(&mut world)))
}

/// The systems `FIRST` and `SECOND` before it are the ones that `earlier` says; the first two systems have fewer.
#[inline(never)]
fn add_ordered<const N: usize, const FIRST: usize, const SECOND: usize>(schedule: &mut Schedule) {
    match N {
        0 => schedule.add_systems(empty::<N>),
        1 => schedule.add_systems(empty::<N>.after(empty::<FIRST>)),
        _ => schedule.add_systems(empty::<N>.after(empty::<FIRST>).after(empty::<SECOND>)),
    };
}

/// The earlier system at a position, or 0 if no such system exists.
const fn earlier_at(system: usize, at: usize) -> usize {
    match earlier(system)[at] {
        Some(before) => before,
        None => 0,
    }
}

fn built(parallel: bool) -> Sample {
    fresh(world_of_one_table, move |mut world| {
        let mut schedule = schedule(parallel);
        macro_rules! add {
            ($number:expr) => {
                add_ordered::<$number, { earlier_at($number, 0) }, { earlier_at($number, 1) }>(&mut schedule);
            };
        }
        thousand!(add);
        schedule.run(black_box(&mut world));
        (world, schedule)
    })
}

#[derive(Clone, Copy, Component)]
struct Lane<const N: u8>(f32);

impl<const N: u8> Lane<N> {
    fn of(row: usize) -> Self {
        Self(value(N, row))
    }
}

fn ab(mut all: Query<(&mut Lane<0>, &mut Lane<1>)>) {
    all.iter_mut().for_each(|(mut a, mut b)| swap(&mut a.0, &mut b.0));
}

fn cd(mut all: Query<(&mut Lane<2>, &mut Lane<3>)>) {
    all.iter_mut().for_each(|(mut c, mut d)| swap(&mut c.0, &mut d.0));
}

fn ce(mut all: Query<(&mut Lane<2>, &mut Lane<4>)>) {
    all.iter_mut().for_each(|(mut c, mut e)| swap(&mut c.0, &mut e.0));
}

fn par_ab(mut all: Query<(&mut Lane<0>, &mut Lane<1>)>) {
    all.par_iter_mut().for_each(|(mut a, mut b)| swap(&mut a.0, &mut b.0));
}

fn par_cd(mut all: Query<(&mut Lane<2>, &mut Lane<3>)>) {
    all.par_iter_mut().for_each(|(mut c, mut d)| swap(&mut c.0, &mut d.0));
}

fn par_ce(mut all: Query<(&mut Lane<2>, &mut Lane<4>)>) {
    all.par_iter_mut().for_each(|(mut c, mut e)| swap(&mut c.0, &mut e.0));
}

struct Swaps {
    world: World,
    schedule: Schedule,
}

impl Swaps {
    fn new(rows: usize, parallel: bool, systems: ScheduleConfigs<ScheduleSystem>) -> Self {
        let (mut world, mut schedule) = (World::new(), schedule(parallel));
        let all = || 0..rows;
        world.spawn_batch(all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row))));
        world.spawn_batch(all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row), Lane::<2>::of(row))));
        world.spawn_batch(
            all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row), Lane::<2>::of(row), Lane::<3>::of(row))),
        );
        world.spawn_batch(
            all().map(|row| (Lane::<0>::of(row), Lane::<1>::of(row), Lane::<2>::of(row), Lane::<4>::of(row))),
        );
        schedule.add_systems(systems);
        Self { world, schedule }
    }

    fn sum<const N: u8>(&mut self) -> u64 {
        let mut query = self.world.query::<&Lane<N>>();
        swaps::sum(query.iter(&self.world).map(|lane| lane.0))
    }
}

impl Workload for Swaps {
    fn run(&mut self) {
        self.schedule.run(black_box(&mut self.world));
    }

    fn outcome(&mut self) -> Outcome {
        swaps::outcome([self.sum::<0>(), self.sum::<1>(), self.sum::<2>(), self.sum::<3>(), self.sum::<4>()])
    }
}

fn swapped(rows: usize, parallel: bool) -> Sample {
    let systems = (ab, (cd, ce).chain()).into_configs();
    in_a_row(checked(Swaps::new(rows, parallel, systems), swaps::ByHand::<false>::new(rows)))
}

fn swapped_in_parallel(rows: usize) -> Sample {
    let systems = (par_ab, (par_cd, par_ce).chain()).into_configs();
    in_a_row(checked(Swaps::new(rows, true, systems), swaps::ByHand::<false>::new(rows)))
}

#[derive(Clone, Copy, Component)]
struct Matrix(Columns);

fn invert(mut all: Query<(&Matrix, &mut Position)>) {
    all.par_iter_mut().for_each(|(matrix, mut position)| heavy::work(&matrix.0, &mut position.0));
}

struct Heavy {
    world: World,
    schedule: Schedule,
}

impl Heavy {
    fn new() -> Self {
        let (mut world, mut schedule) = (World::new(), schedule(true));
        let (_, _, rotation, velocity) = body();
        let entity = |row| (Matrix(heavy::matrix(row)), Position(heavy::start(row)), rotation, velocity);
        world.spawn_batch((0..heavy::ROWS).map(entity));
        schedule.add_systems(invert);
        Self { world, schedule }
    }
}

impl Workload for Heavy {
    fn run(&mut self) {
        self.schedule.run(black_box(&mut self.world));
    }

    fn outcome(&mut self) -> Outcome {
        let mut query = self.world.query::<&Position>();
        heavy::outcome(query.iter(&self.world).map(|position| position.0))
    }
}
