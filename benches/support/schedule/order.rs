//! A schedule that is built, put in order and run once, beside closures that are sorted by hand.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::empty::{empty, world_of_one_table};
use super::many::{THOUSAND, earlier, thousand};
use super::{bench, schedule};
use crate::support::{Bench, Contestant, Sample, fresh};

/// A closure, and after which others it runs.
type Node = (Box<dyn FnMut(&mut Vec<usize>)>, [Option<usize>; 2]);

#[inline(never)]
fn node<const N: usize>() -> Node {
    (Box::new(|ran| ran.push(N)), earlier(N))
}

/// Closures that note in which order they ran.
fn nodes() -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    macro_rules! push {
        ($number:expr) => {
            nodes.push(node::<$number>());
        };
    }
    thousand!(push);
    nodes
}

/// A closure once all before it have been (Kahn's algorithm).
fn sorted(nodes: &[Node]) -> Vec<usize> {
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut missing = vec![0; nodes.len()];
    for (number, (_, earlier)) in nodes.iter().enumerate() {
        for &before in earlier.iter().flatten() {
            later[before].push(number);
            missing[number] += 1;
        }
    }
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&number| missing[number] == 0).collect();
    let mut next = 0;
    while let Some(&number) = order.get(next) {
        next += 1;
        for &after in &later[number] {
            missing[after] -= 1;
            if missing[after] == 0 {
                order.push(after);
            }
        }
    }
    order
}

/// Whether all run, each after those that it has to run after.
fn is_in_order(order: &[usize]) -> bool {
    let mut done = [false; THOUSAND];
    for &number in order {
        if earlier(number).into_iter().flatten().any(|before| !done[before]) {
            return false;
        }
        done[number] = true;
    }
    order.len() == THOUSAND && done.iter().all(|&done| done)
}

fn by_hand() -> Sample {
    fresh(
        || (),
        |()| {
            let (mut nodes, mut ran) = (nodes(), Vec::new());
            for number in sorted(&nodes) {
                (nodes[number].0)(&mut ran);
            }
            assert!(is_in_order(&ran), "the closures ran in a wrong order");
            (nodes, ran)
        },
    )
}

#[inline(never)]
fn add_ordered<const N: usize, const FIRST: usize, const SECOND: usize>(schedule: &mut Schedule) {
    match N {
        0 => schedule.add_systems(empty::<N>),
        1 => schedule.add_systems(empty::<N>.after(empty::<FIRST>)),
        _ => schedule.add_systems(empty::<N>.after(empty::<FIRST>).after(empty::<SECOND>)),
    };
}

/// The earlier system at a position, or 0 if there is none.
const fn earlier_at(system: usize, at: usize) -> usize {
    match earlier(system)[at] {
        Some(before) => before,
        None => 0,
    }
}

/// The systems with their order.
fn ordered(parallel: bool) -> Schedule {
    let mut schedule = schedule(parallel);
    macro_rules! add {
        ($number:expr) => {
            add_ordered::<$number, { earlier_at($number, 0) }, { earlier_at($number, 1) }>(&mut schedule);
        };
    }
    thousand!(add);
    schedule
}

/// The number of the system `empty::<N>`.
fn number_of(name: &str) -> usize {
    let digits = name.trim_end_matches('>').rsplit('<').next().unwrap_or_default();
    digits.parse().expect("the name of a system ends with its number")
}

fn systems(parallel: bool) -> Sample {
    let mut once = ordered(parallel);
    once.run(&mut world_of_one_table());
    let order: Vec<usize> = once.system_names().iter().map(|name| number_of(name)).collect();
    assert!(is_in_order(&order), "the systems run in a wrong order");
    fresh(world_of_one_table, move |mut world| {
        let mut schedule = ordered(parallel);
        schedule.run(black_box(&mut world));
        (world, schedule)
    })
}

/// What is promised is promised against another library, which sorts a graph of sets too.
pub(super) fn benches() -> Vec<Bench> {
    vec![bench(
        "schedule/1000 systems in order, built and run once",
        THOUSAND,
        vec![
            Contestant::new("closures, sorted by hand", None, by_hand),
            Contestant::new("one thread", None, || systems(false)),
            Contestant::new("parallel", None, || systems(true)),
        ],
    )]
}
