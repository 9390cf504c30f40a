//! `schedule` of `ecs_bench_suite`: three systems, each of which swaps two components. The second and the third write a common component.

use std::hint::black_box;
use std::mem::swap;

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

use super::{bench, pool, schedule, world};
use crate::support::changes::{Outcome, Workload, checked, in_a_row};
use crate::support::{Bench, Contestant, Sample};

/// The number of entities in each of the four tables, for the small size.
pub(crate) const SMALL: usize = 10_000;
/// The number of entities in each of the four tables, for the large size: more than caches hold.
pub(crate) const LARGE: usize = 500_000;

/// One of five components.
#[derive(Clone, Copy, Component)]
struct Lane<const N: u8>(f32);

type A = Lane<0>;
type B = Lane<1>;
type C = Lane<2>;
type D = Lane<3>;
type E = Lane<4>;

/// The initial value of a component in a row.
pub(crate) fn value(lane: u8, row: usize) -> f32 {
    row as f32 + f32::from(lane) * 0.125
}

/// The components, of the five, in each table.
pub(crate) const SHAPES: [&[u8]; 4] = [&[0, 1], &[0, 1, 2], &[0, 1, 2, 3], &[0, 1, 2, 4]];

/// The checksum of the five components.
pub(crate) fn outcome(sums: [u64; 5]) -> Outcome {
    [sums[0] + 3 * sums[1], sums[2], sums[3] + 3 * sums[4]]
}

/// The order-independent checksum of values.
pub(crate) fn sum(values: impl Iterator<Item = f32>) -> u64 {
    values.map(|value| u64::from(value.to_bits())).sum()
}

/// The columns of four tables; those of components that a table does not have are empty.
pub(crate) struct ByHand<const THREADS: bool>(Vec<[Vec<f32>; 5]>);

impl<const THREADS: bool> ByHand<THREADS> {
    pub(crate) fn new(rows: usize) -> Self {
        let column = |lane| (0..rows).map(|row| value(lane, row)).collect();
        let table = |shape: &[u8]| {
            std::array::from_fn(|lane| {
                let lane = lane as u8;
                if shape.contains(&lane) { column(lane) } else { Vec::new() }
            })
        };
        Self(SHAPES.into_iter().map(table).collect())
    }
}

#[inline(never)]
fn exchange(first: &mut [f32], second: &mut [f32]) {
    for (first, second) in first.iter_mut().zip(second) {
        swap(first, second);
    }
}

/// Two columns of a table.
fn two<const FIRST: usize, const SECOND: usize>(table: &mut [Vec<f32>; 5]) -> [&mut [f32]; 2] {
    let columns = table.get_disjoint_mut([FIRST, SECOND]).expect("they are two columns");
    columns.map(Vec::as_mut_slice)
}

/// A loop over all tables that have both columns, split between two threads if `threads`.
fn exchange_all<const FIRST: usize, const SECOND: usize>(tables: &mut [[Vec<f32>; 5]], threads: bool) {
    for table in tables.iter_mut().filter(|table| !table[FIRST].is_empty() && !table[SECOND].is_empty()) {
        let [first, second] = two::<FIRST, SECOND>(table);
        if threads {
            let half = first.len() / 2;
            let ((first, more_first), (second, more_second)) = (first.split_at_mut(half), second.split_at_mut(half));
            rayon::join(|| exchange(first, second), || exchange(more_first, more_second));
        } else {
            exchange(first, second);
        }
    }
}

impl<const THREADS: bool> Workload for ByHand<THREADS> {
    fn run(&mut self) {
        let tables = black_box(&mut self.0);
        let mut loops = || {
            exchange_all::<0, 1>(tables, THREADS);
            exchange_all::<2, 3>(tables, THREADS);
            exchange_all::<2, 4>(tables, THREADS);
        };
        if THREADS { pool().install(loops) } else { loops() }
    }

    fn outcome(&mut self) -> Outcome {
        outcome(std::array::from_fn(|lane| self.0.iter().map(|table| sum(table[lane].iter().copied())).sum()))
    }
}

/// As above, with a plain `for` over the rows of all tables. The iterator advances from table to table in its `next`, and the compiler does
/// not vectorize such a loop.
struct ByIterator(ByHand<false>);

#[inline(never)]
fn exchange_by_iterator<const FIRST: usize, const SECOND: usize>(tables: &mut [[Vec<f32>; 5]]) {
    for (first, second) in tables.iter_mut().flat_map(|table| {
        let [first, second] = two::<FIRST, SECOND>(table);
        first.iter_mut().zip(second)
    }) {
        swap(first, second);
    }
}

impl Workload for ByIterator {
    fn run(&mut self) {
        let tables = black_box(&mut self.0.0);
        exchange_by_iterator::<0, 1>(tables);
        exchange_by_iterator::<2, 3>(tables);
        exchange_by_iterator::<2, 4>(tables);
    }

    fn outcome(&mut self) -> Outcome {
        self.0.outcome()
    }
}

#[system]
fn ab(a: &mut A, b: &mut B) {
    swap(&mut a.0, &mut b.0);
}

#[system]
fn cd(c: &mut C, d: &mut D) {
    swap(&mut c.0, &mut d.0);
}

#[system]
fn ce(c: &mut C, e: &mut E) {
    swap(&mut c.0, &mut e.0);
}

/// The three systems, with rows divided among several threads.
mod split {
    use std::mem::swap;

    use strata_ecs::prelude::*;

    use super::{A, B, C, D, E};

    #[system(par)]
    pub(super) fn ab(a: &mut A, b: &mut B) {
        swap(&mut a.0, &mut b.0);
    }

    #[system(par)]
    pub(super) fn cd(c: &mut C, d: &mut D) {
        swap(&mut c.0, &mut d.0);
    }

    #[system(par)]
    pub(super) fn ce(c: &mut C, e: &mut E) {
        swap(&mut c.0, &mut e.0);
    }
}

struct Systems {
    world: World,
    schedule: Schedule,
}

impl Systems {
    fn new<Marker>(rows: usize, parallel: bool, systems: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Self {
        let (mut world, mut schedule) = (world(), schedule(parallel));
        world.spawn_batch((0..rows).map(|row| (Lane::<0>(value(0, row)), Lane::<1>(value(1, row)))));
        world.spawn_batch(
            (0..rows).map(|row| (Lane::<0>(value(0, row)), Lane::<1>(value(1, row)), Lane::<2>(value(2, row)))),
        );
        world.spawn_batch((0..rows).map(|row| {
            (Lane::<0>(value(0, row)), Lane::<1>(value(1, row)), Lane::<2>(value(2, row)), Lane::<3>(value(3, row)))
        }));
        world.spawn_batch((0..rows).map(|row| {
            (Lane::<0>(value(0, row)), Lane::<1>(value(1, row)), Lane::<2>(value(2, row)), Lane::<4>(value(4, row)))
        }));
        schedule.add_systems(systems);
        Self { world, schedule }
    }

    fn sum<const N: u8>(&mut self) -> u64 {
        let mut query = self.world.query::<&Lane<N>>();
        sum(query.iter(&self.world).map(|lane| lane.0))
    }
}

impl Workload for Systems {
    fn run(&mut self) {
        self.schedule.run(black_box(&mut self.world));
    }

    fn outcome(&mut self) -> Outcome {
        outcome([self.sum::<0>(), self.sum::<1>(), self.sum::<2>(), self.sum::<3>(), self.sum::<4>()])
    }
}

/// The three systems as plain functions with a loop each.
macro_rules! functions {
    ($($name:ident $First:ident $Second:ident $rows:ident => $loop:expr;)*) => {
        $(fn $name(mut $rows: Query<'_, '_, (&mut $First, &mut $Second)>) {
            $loop
        })*
    };
}

mod with_for {
    use super::*;

    functions! {
        ab A B rows => for (mut a, mut b) in &mut rows { swap(&mut a.0, &mut b.0); };
        cd C D rows => for (mut c, mut d) in &mut rows { swap(&mut c.0, &mut d.0); };
        ce C E rows => for (mut c, mut e) in &mut rows { swap(&mut c.0, &mut e.0); };
    }

    pub(super) fn systems(rows: usize) -> Sample {
        in_a_row(checked(Systems::new(rows, false, (ab, (cd, ce).chain())), ByHand::<false>::new(rows)))
    }
}

mod with_for_each {
    use super::*;

    functions! {
        ab A B rows => rows.iter_mut().for_each(|(mut a, mut b)| swap(&mut a.0, &mut b.0));
        cd C D rows => rows.iter_mut().for_each(|(mut c, mut d)| swap(&mut c.0, &mut d.0));
        ce C E rows => rows.iter_mut().for_each(|(mut c, mut e)| swap(&mut c.0, &mut e.0));
    }

    pub(super) fn systems(rows: usize) -> Sample {
        in_a_row(checked(Systems::new(rows, false, (ab, (cd, ce).chain())), ByHand::<false>::new(rows)))
    }
}

/// The systems run one after the other in each contestant: the third reads the output of the second.
fn whole(rows: usize, parallel: bool) -> Sample {
    in_a_row(checked(Systems::new(rows, parallel, (ab, (cd, ce).chain())), ByHand::<false>::new(rows)))
}

fn split(rows: usize) -> Sample {
    in_a_row(checked(Systems::new(rows, true, (split::ab, (split::cd, split::ce).chain())), ByHand::<false>::new(rows)))
}

fn by_hand(rows: usize) -> Sample {
    in_a_row(ByHand::<false>::new(rows))
}

/// The cost of a plain `for` over several tables, by hand.
fn by_hand_with_for(rows: usize) -> Sample {
    in_a_row(checked(ByIterator(ByHand::new(rows)), ByHand::<false>::new(rows)))
}

fn by_hand_on_threads(rows: usize) -> Sample {
    in_a_row(checked(ByHand::<true>::new(rows), ByHand::<false>::new(rows)))
}

pub(super) fn benches() -> Vec<Bench> {
    vec![
        bench(
            "schedule/schedule3 4 x 10k",
            6 * SMALL,
            vec![
                Contestant::new("slices by hand", None, || by_hand(SMALL)),
                Contestant::new("row systems, one thread", Some(1.1), || whole(SMALL, false)),
                Contestant::new("row systems, parallel", Some(1.1), || whole(SMALL, true)),
                Contestant::new("row systems, split", None, || split(SMALL)),
                Contestant::new("plain functions, for", Some(2.5), || with_for::systems(SMALL)),
                Contestant::new("plain functions, for_each", Some(1.1), || with_for_each::systems(SMALL)),
                Contestant::new("honest limit: one iterator by hand", None, || by_hand_with_for(SMALL)),
            ],
        ),
        bench(
            "schedule/schedule3 4 x 500k",
            6 * LARGE,
            vec![
                Contestant::new("slices by hand, one thread", None, || by_hand(LARGE)),
                Contestant::new("slices by hand, two threads", None, || by_hand_on_threads(LARGE)),
                Contestant::new("row systems, one thread", None, || whole(LARGE, false)),
                Contestant::new("row systems, two threads", None, || whole(LARGE, true)),
                Contestant::new("row systems, split on two threads", Some(0.6), || split(LARGE)),
            ],
        ),
    ]
}
