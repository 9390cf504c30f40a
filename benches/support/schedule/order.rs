//! A schedule that is built, sorted and run once, compared with closures that are sorted by hand.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::empty::world_of_one_table;
use super::many::{THOUSAND, earlier};
use super::{bench, schedule};
use crate::support::data::Position;
use crate::support::{Bench, Contestant, Sample, fresh};

/// A closure, and the indices of the closures that it runs after.
type Node = (Box<dyn FnMut(&mut Vec<usize>)>, [Option<usize>; 2]);

/// Closures that record the order in which they ran.
fn nodes() -> Vec<Node> {
    let node = |number: usize| -> Node { (Box::new(move |ran| ran.push(number)), earlier(number)) };
    (0..THOUSAND).map(node).collect()
}

/// Each closure after all its predecessors (Kahn's algorithm).
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

/// Whether all have run, each after its predecessors.
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

/// The set of a system, by which others are ordered.
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Nth(usize);

/// The order in which systems ran.
#[derive(Default, Resource)]
struct Ran(Vec<usize>);

/// A thousand systems with their ordering, each created by a function that gets its number.
fn ordered<M, S: IntoSystem<(), (), M>>(parallel: bool, system: impl Fn(usize) -> S) -> Schedule {
    let mut schedule = schedule(parallel);
    for number in 0..THOUSAND {
        let system = system(number).in_set(Nth(number));
        match earlier(number) {
            [None, _] => schedule.add_systems(system),
            [Some(first), None] => schedule.add_systems(system.after(Nth(first))),
            [Some(first), Some(second)] => schedule.add_systems(system.after(Nth(first)).after(Nth(second))),
        };
    }
    schedule
}

/// Checks the order.
fn check(parallel: bool) {
    let mut world = world_of_one_table();
    world.init_resource::<Ran>();
    ordered(parallel, |number| move |mut ran: ResMut<'_, Ran>| ran.0.push(number)).run(&mut world);
    assert!(is_in_order(&world.resource::<Ran>().0), "the systems ran in a wrong order");
}

fn empty(number: usize) -> impl FnMut(Query<'_, '_, &Position>) + Send + Sync + 'static {
    move |_: Query<'_, '_, &Position>| _ = black_box(number)
}

fn systems(parallel: bool) -> Sample {
    check(parallel);
    fresh(world_of_one_table, move |mut world| {
        let mut schedule = ordered(parallel, empty);
        schedule.run(black_box(&mut world));
        (world, schedule)
    })
}

/// The promised limit is relative to another library, which sorts a graph of sets too.
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
