//! Systems that do nothing, compared with boxed closures that do nothing: the cost of running a system. There are a hundred types.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::many::{HUNDRED, THOUSAND, hundred};
use super::{bench, schedule, world};
use crate::support::data::{BODY, Position, Velocity};
use crate::support::{Bench, Contestant, Sample, repeated};

/// The argument of the closures, the counterpart of the systems' query.
#[derive(Default)]
struct Slices {
    #[expect(dead_code, reason = "the closures are empty")]
    positions: Vec<Position>,
}

type Closure = Box<dyn FnMut(&mut Slices)>;

/// The const parameter keeps the compiler from merging the functions.
fn empty<const N: usize>(_: Query<'_, '_, &Position>) {
    black_box(N);
}

#[system]
fn empty_rows<const N: usize>(_: &Velocity) {
    black_box(N);
}

// Separate functions, here and below: one function that does all this a thousand times takes much longer to compile.

#[inline(never)]
fn closure<const N: usize>() -> Closure {
    Box::new(|_| {
        black_box(N);
    })
}

#[inline(never)]
fn add<const N: usize>(schedule: &mut Schedule) {
    schedule.add_systems(empty::<N>);
}

#[inline(never)]
fn add_rows<const N: usize>(schedule: &mut Schedule) {
    schedule.add_systems(empty_rows::<N>);
}

fn closures(count: usize) -> Vec<Closure> {
    let mut closures = Vec::new();
    macro_rules! push {
        ($number:expr) => {
            closures.push(closure::<$number>());
        };
    }
    for _ in 0..count / HUNDRED {
        hundred!(push);
    }
    closures
}

pub(super) fn world_of_one_table() -> World {
    let mut world = world();
    world.spawn((BODY.1, BODY.3));
    world
}

fn by_hand(count: usize) -> Sample {
    let (mut closures, mut slices) = (closures(count), Slices::default());
    repeated(move || {
        for closure in black_box(&mut closures) {
            closure(&mut slices);
        }
    })
}

fn systems(count: usize, parallel: bool) -> Sample {
    let (mut world, mut schedule) = (world_of_one_table(), schedule(parallel));
    macro_rules! add {
        ($number:expr) => {
            add::<$number>(&mut schedule);
        };
    }
    for _ in 0..count / HUNDRED {
        hundred!(add);
    }
    assert_eq!(schedule.systems_len(), count);
    repeated(move || schedule.run(black_box(&mut world)))
}

/// Row systems, in a world without matching rows.
fn row_systems(count: usize) -> Sample {
    let (mut world, mut schedule) = (world(), schedule(false));
    world.spawn((BODY.1,));
    macro_rules! add {
        ($number:expr) => {
            add_rows::<$number>(&mut schedule);
        };
    }
    for _ in 0..count / HUNDRED {
        hundred!(add);
    }
    assert_eq!(schedule.systems_len(), count);
    repeated(move || schedule.run(black_box(&mut world)))
}

pub(super) fn benches() -> Vec<Bench> {
    vec![
        bench(
            "schedule/100 empty systems",
            100,
            vec![
                Contestant::new("boxed closures", None, || by_hand(100)),
                Contestant::new("one thread", Some(3.0), || systems(100, false)),
                Contestant::new("row systems, one thread", Some(4.0), || row_systems(100)),
                Contestant::new("parallel", Some(8.0), || systems(100, true)),
            ],
        ),
        bench(
            "schedule/1000 empty systems",
            THOUSAND,
            vec![
                Contestant::new("boxed closures", None, || by_hand(THOUSAND)),
                Contestant::new("one thread", Some(3.0), || systems(THOUSAND, false)),
                Contestant::new("row systems, one thread", Some(4.0), || row_systems(THOUSAND)),
                Contestant::new("parallel", Some(8.0), || systems(THOUSAND, true)),
            ],
        ),
    ]
}
