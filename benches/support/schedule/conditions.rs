//! Conditions that do not hold, compared with boxed closures that return `false`: ten of each of a hundred types.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::empty::world_of_one_table;
use super::many::{HUNDRED, THOUSAND, hundred};
use super::{bench, schedule};
use crate::support::data::{BODY, Position};
use crate::support::{Bench, Contestant, Sample, repeated};

/// The input of the conditions. It is greater than the number of every condition, so no condition holds.
#[derive(Clone, Copy, Resource)]
pub(crate) struct Switch(pub(crate) usize);

type Conditional = (Box<dyn FnMut(&Switch) -> bool>, fn(&Position));

fn beyond<const N: usize>(switch: Res<'_, Switch>) -> bool {
    switch.0 < N
}

/// Must not run: panics if its condition holds.
fn guarded(_: Query<'_, '_, &Position>) {
    panic!("no condition holds");
}

#[inline(never)]
fn conditional<const N: usize>() -> Conditional {
    (Box::new(|switch| switch.0 < N), |_| panic!("no condition holds"))
}

#[inline(never)]
fn add<const N: usize>(schedule: &mut Schedule) {
    schedule.add_systems(guarded.run_if(beyond::<N>));
}

fn by_hand() -> Sample {
    let mut all: Vec<Conditional> = Vec::new();
    macro_rules! push {
        ($number:expr) => {
            all.push(conditional::<$number>());
        };
    }
    for _ in 0..THOUSAND / HUNDRED {
        hundred!(push);
    }
    let (switch, position) = (Switch(THOUSAND), BODY.1);
    repeated(move || {
        let switch = black_box(&switch);
        for (condition, system) in black_box(&mut all) {
            if condition(switch) {
                system(&position);
            }
        }
    })
}

fn systems(parallel: bool) -> Sample {
    let (mut world, mut schedule) = (world_of_one_table(), schedule(parallel));
    world.insert_resource(Switch(THOUSAND));
    macro_rules! add {
        ($number:expr) => {
            add::<$number>(&mut schedule);
        };
    }
    for _ in 0..THOUSAND / HUNDRED {
        hundred!(add);
    }
    assert_eq!(schedule.systems_len(), THOUSAND);
    repeated(move || schedule.run(black_box(&mut world)))
}

pub(super) fn benches() -> Vec<Bench> {
    vec![bench(
        "schedule/1000 conditions, all false",
        THOUSAND,
        vec![
            Contestant::new("boxed closures", None, by_hand),
            Contestant::new("one thread", Some(3.0), || systems(false)),
            Contestant::new("parallel", None, || systems(true)),
        ],
    )]
}
