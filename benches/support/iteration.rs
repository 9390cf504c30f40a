//! Loops over components.

use std::hint::black_box;
use std::slice;

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

use super::baseline::Bodies;
use super::data::{BODY, Data, Fragment, Position, SparseData, Vec3, Velocity, Wide};
use super::limits::honest;
use super::{Bench, Contestant, Sample, placed, repeated};

const THOUSANDS: usize = 10_000;
const MILLION: usize = 1_000_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![simple_10k(), simple_1m(), fragmented(), heavily_fragmented(), wide()]
}

// simple_iter: 10,000 entities with a 64-byte matrix and three vectors; a million with two vectors. pos += vel.

#[system]
fn movement(position: &mut Position, velocity: &Velocity) {
    position.0.add(velocity.0);
}

#[inline(never)]
fn movement_by_hand(positions: &mut [Position], velocities: &[Velocity]) {
    for (position, velocity) in positions.iter_mut().zip(velocities) {
        position.0.add(velocity.0);
    }
}

fn bodies() -> World {
    let mut world = World::new();
    world.spawn_batch((0..THOUSANDS).map(|_| BODY));
    world
}

fn points() -> World {
    let mut world = World::new();
    world.spawn_batch((0..MILLION).map(|_| (BODY.1, BODY.3)));
    world
}

fn row_system(mut world: World) -> Sample {
    let mut schedule = Schedule::default();
    schedule.add_systems(movement);
    repeated(move || schedule.run(black_box(&mut world)))
}

fn for_each(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        query.iter_mut(black_box(&mut world)).for_each(|(mut position, velocity)| position.0.add(velocity.0));
    })
}

fn slices(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        for (positions, velocities) in query.contiguous_iter_mut(black_box(&mut world)) {
            for (position, velocity) in positions.iter_mut().zip(velocities) {
                position.0.add(velocity.0);
            }
        }
    })
}

fn plain_for(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        for (mut position, velocity) in query.iter_mut(black_box(&mut world)) {
            position.0.add(velocity.0);
        }
    })
}

/// Loops that cannot be written as a plain `for` over all rows.
fn while_let(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        let mut rows = query.iter_mut(black_box(&mut world));
        // The first row is taken before the loop, as in code that treats it differently.
        let mut next = rows.next();
        while let Some((mut position, velocity)) = next {
            position.0.add(velocity.0);
            next = rows.next();
        }
    })
}

fn adapted(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        for (position, velocity) in query.iter_mut(black_box(&mut world)).map(|(p, v)| (p.into_inner(), v)) {
            position.0.add(velocity.0);
        }
    })
}

fn simple_10k() -> Bench {
    let by_hand = || {
        let mut bodies = Bodies::default();
        (0..THOUSANDS).for_each(|_| {
            bodies.spawn(BODY);
        });
        repeated(move || {
            let bodies = black_box(&mut bodies);
            movement_by_hand(&mut bodies.positions, &bodies.velocities);
        })
    };
    Bench {
        file: "iteration",
        name: "simple_iter 10k",
        rows: THOUSANDS,
        contestants: vec![
            Contestant::new("slices by hand", None, by_hand),
            Contestant::new("row system", Some(0.5), || row_system(bodies())),
            Contestant::new("for_each", Some(0.5), || for_each(bodies())),
            Contestant::new("contiguous_iter_mut", Some(1.05), || slices(bodies())),
            Contestant::new("plain for", Some(1.15), || plain_for(bodies())),
            Contestant::new("while let", Some(1.15), || while_let(bodies())),
            Contestant::new("for over map", Some(1.15), || adapted(bodies())),
        ],
    }
}

fn simple_1m() -> Bench {
    let by_hand = || {
        let mut positions = vec![BODY.1; MILLION];
        let velocities = vec![BODY.3; MILLION];
        repeated(move || movement_by_hand(black_box(&mut positions), black_box(&velocities)))
    };
    Bench {
        file: "iteration",
        name: "simple_iter 1M",
        rows: MILLION,
        contestants: vec![
            Contestant::new("slices by hand", None, by_hand),
            Contestant::new("row system", Some(1.05), || row_system(points())),
            Contestant::new("for_each", Some(1.05), || for_each(points())),
            Contestant::new("contiguous_iter_mut", Some(1.05), || slices(points())),
            Contestant::new("plain for", None, || plain_for(points())),
        ],
    }
}

// fragmented_iter: 26 tables of 20 rows. heavily_fragmented: 1024 tables of 4 rows, half of which match.

#[system]
fn scale<const COPY: usize>(data: &mut Data<COPY>) {
    data.scale();
}

#[system(with(Fragment<0>))]
fn scale_marked<const COPY: usize>(data: &mut Data<COPY>) {
    data.scale();
}

#[system]
fn scale_sparse<const COPY: usize>(data: &mut SparseData<COPY>) {
    data.scale();
}

#[inline(never)]
fn scale_by_hand<const COPY: usize>(tables: &mut [Vec<Data<COPY>>]) {
    for table in tables {
        for data in table {
            data.scale();
        }
    }
}

/// A column of which only the type of its values is known in advance.
struct HonestColumn<const COPY: usize> {
    values: Vec<Data<COPY>>,
    /// The change tick of each value, if tracked.
    ticks: Option<Vec<u32>>,
    /// The newest change tick of any value.
    visited: u32,
}

/// A table; a loop knows the position of its column in it.
struct HonestTable<const COPY: usize> {
    ids: Vec<u64>,
    column: Box<HonestColumn<COPY>>,
}

/// The loop with the library's work for each table: it knows the indices of the matching tables, looks up the column, records the tick of
/// the change, and checks whether rows have change ticks.
#[inline(never)]
fn scale_honestly<const COPY: usize>(tables: &mut [HonestTable<COPY>], matches: &[u32], now: u32) {
    for &number in matches {
        let HonestTable { ids, column } = &mut tables[number as usize];
        let HonestColumn { values, ticks, visited } = &mut **column;
        *visited = now;
        if let Some(ticks) = ticks {
            ticks.fill(now);
        }
        for data in &mut values[..ids.len()] {
            data.scale();
        }
    }
}

fn honest_tables<const COPY: usize>(rows: usize, tables: usize) -> Vec<HonestTable<COPY>> {
    let table = |_| HonestTable {
        ids: vec![0; rows],
        column: Box::new(HonestColumn { values: vec![Data(1.0); rows], ticks: None, visited: 0 }),
    };
    (0..tables).map(table).collect()
}

/// Every `one_of`th of the tables matches.
fn tables_honestly<const COPY: usize>(rows: usize, tables: usize, one_of: usize) -> Sample {
    let mut all = honest_tables::<COPY>(rows, tables);
    let matches: Vec<u32> = (0..tables as u32).step_by(one_of).collect();
    let mut now = 0;
    repeated(move || {
        now += 1;
        scale_honestly(black_box(&mut all), black_box(&matches), now);
    })
}

/// The rows of a table, each with its change tick, if tracked.
struct HonestRows<'a, const COPY: usize> {
    values: slice::IterMut<'a, Data<COPY>>,
    ticks: Option<slice::IterMut<'a, u32>>,
}

impl<'a, const COPY: usize> Iterator for HonestRows<'a, COPY> {
    type Item = (&'a mut Data<COPY>, Option<&'a mut u32>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let data = self.values.next()?;
        Some((data, self.ticks.as_mut().and_then(Iterator::next)))
    }
}

/// The loop as a plain `for` over the rows of all tables: the cost of an iterator that advances from table to table in its `next`.
#[inline(never)]
fn scale_by_iterator<const COPY: usize>(tables: &mut [HonestTable<COPY>], one_of: usize, now: u32) {
    let rows = tables.iter_mut().step_by(one_of).flat_map(|HonestTable { ids, column }| {
        let HonestColumn { values, ticks, visited } = &mut **column;
        *visited = now;
        HonestRows { values: values[..ids.len()].iter_mut(), ticks: ticks.as_mut().map(|ticks| ticks.iter_mut()) }
    });
    for (data, tick) in rows {
        if let Some(tick) = tick {
            *tick = now;
        }
        data.scale();
    }
}

fn tables_by_iterator<const COPY: usize>(rows: usize, tables: usize, one_of: usize) -> Sample {
    let mut all = honest_tables::<COPY>(rows, tables);
    let mut now = 0;
    repeated(move || {
        now += 1;
        scale_by_iterator(black_box(&mut all), black_box(one_of), now);
    })
}

macro_rules! spawn_fragments {
    ($world:ident, $rows:literal, $($number:literal)*) => {$(
        for _ in 0..$rows {
            $world.spawn((Fragment::<$number>(1.0), Data::<COPY>(1.0)));
        }
    )*};
}

fn fragmented_world<const COPY: usize>() -> World {
    let mut world = World::new();
    spawn_fragments!(world, 20, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
    world
}

macro_rules! insert_fragments {
    ($entity:ident, $mask:ident, $($number:literal)*) => {$(
        if $mask & (1 << $number) != 0 {
            $entity.insert(Fragment::<$number>(1.0));
        }
    )*};
}

fn heavily_fragmented_world<const COPY: usize>() -> World {
    let mut world = World::new();
    for mask in 0..1024 {
        for _ in 0..4 {
            let mut entity = world.spawn(Data::<COPY>(1.0));
            insert_fragments!(entity, mask, 0 1 2 3 4 5 6 7 8 9);
        }
    }
    world
}

/// The tables of `fragmented_iter`; the scaled component is in sparse storage, and the entities with the first fragment have it.
fn sparsely_fragmented_world<const COPY: usize>() -> World {
    let mut world = World::new();
    for mask in 0..1024 {
        for _ in 0..4 {
            let mut entity = world.spawn(());
            insert_fragments!(entity, mask, 0 1 2 3 4 5 6 7 8 9);
            if mask & 1 != 0 {
                entity.insert(SparseData::<COPY>(1.0));
            }
        }
    }
    world
}

fn sparse_scaled_for_each<const COPY: usize>(mut world: World) -> Sample {
    let mut query = world.query::<&mut SparseData<COPY>>();
    repeated(move || query.iter_mut(black_box(&mut world)).for_each(|mut data| data.scale()))
}

fn tables_by_hand<const COPY: usize>(rows: usize, tables: usize) -> Sample {
    let mut tables = vec![vec![Data::<COPY>(1.0); rows]; tables];
    repeated(move || scale_by_hand(black_box(&mut tables)))
}

fn scaled_by_system<Marker>(mut world: World, system: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Sample {
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    repeated(move || schedule.run(black_box(&mut world)))
}

fn scaled_for_each<const COPY: usize, F: QueryFilter + 'static>(mut world: World) -> Sample {
    let mut query = world.query_filtered::<&mut Data<COPY>, F>();
    repeated(move || query.iter_mut(black_box(&mut world)).for_each(|mut data| data.scale()))
}

fn scaled_plain_for<const COPY: usize, F: QueryFilter + 'static>(mut world: World) -> Sample {
    let mut query = world.query_filtered::<&mut Data<COPY>, F>();
    repeated(move || {
        for mut data in query.iter_mut(black_box(&mut world)) {
            data.scale();
        }
    })
}

/// The work in four copies of the code, whose number is `$copy`.
macro_rules! placed {
    ($copy:ident => $sample:expr) => {
        || {
            fn prepare<const $copy: usize>() -> Sample {
                $sample
            }
            placed([prepare::<0>(), prepare::<1>(), prepare::<2>(), prepare::<3>()])
        }
    };
}

fn fragmented() -> Bench {
    let row_system = placed!(C => scaled_by_system(fragmented_world::<C>(), scale::<C>));
    Bench {
        file: "iteration",
        name: "fragmented_iter 26 x 20",
        rows: 26 * 20,
        contestants: vec![
            Contestant::new("slices by hand", None, placed!(C => tables_by_hand::<C>(20, 26))),
            Contestant::new("row system", Some(1.1), row_system),
            Contestant::new("for_each", Some(1.2), placed!(C => scaled_for_each::<C, ()>(fragmented_world::<C>()))),
            Contestant::new("plain for", Some(2.3), placed!(C => scaled_plain_for::<C, ()>(fragmented_world::<C>()))),
            honest(placed!(C => tables_honestly::<C>(20, 26, 1))),
            Contestant::new("one iterator by hand", None, placed!(C => tables_by_iterator::<C>(20, 26, 1))),
        ],
    }
}

fn heavily_fragmented() -> Bench {
    type Marked = With<Fragment<0>>;
    let row_system = placed!(C => scaled_by_system(heavily_fragmented_world::<C>(), scale_marked::<C>));
    let for_each = placed!(C => scaled_for_each::<C, Marked>(heavily_fragmented_world::<C>()));
    let plain_for = placed!(C => scaled_plain_for::<C, Marked>(heavily_fragmented_world::<C>()));
    let sparse_row_system = placed!(C => scaled_by_system(sparsely_fragmented_world::<C>(), scale_sparse::<C>));
    let sparse_for_each = placed!(C => sparse_scaled_for_each::<C>(sparsely_fragmented_world::<C>()));
    Bench {
        file: "iteration",
        name: "heavily_fragmented 512 of 1024 x 4",
        rows: 512 * 4,
        contestants: vec![
            Contestant::new("slices by hand", None, placed!(C => tables_by_hand::<C>(4, 512))),
            Contestant::new("row system", Some(1.2), row_system),
            Contestant::new("for_each", None, for_each),
            Contestant::new("plain for", Some(1.7), plain_for),
            honest(placed!(C => tables_honestly::<C>(4, 1024, 2))),
            Contestant::new("one iterator by hand", None, placed!(C => tables_by_iterator::<C>(4, 1024, 2))),
            Contestant::new("row system, sparse", Some(0.3), sparse_row_system),
            Contestant::new("for_each, sparse", Some(0.3), sparse_for_each),
        ],
    }
}

// wide_iter: eight vectors of every entity are written.

const STEP: Vec3 = Vec3::splat(1.0);

#[system]
fn widen(
    a: &mut Wide<0>,
    b: &mut Wide<1>,
    c: &mut Wide<2>,
    d: &mut Wide<3>,
    e: &mut Wide<4>,
    f: &mut Wide<5>,
    g: &mut Wide<6>,
    h: &mut Wide<7>,
) {
    a.0.add(STEP);
    b.0.add(STEP);
    c.0.add(STEP);
    d.0.add(STEP);
    e.0.add(STEP);
    f.0.add(STEP);
    g.0.add(STEP);
    h.0.add(STEP);
}

type WideTerms = (
    (&'static mut Wide<0>, &'static mut Wide<1>, &'static mut Wide<2>, &'static mut Wide<3>),
    (&'static mut Wide<4>, &'static mut Wide<5>, &'static mut Wide<6>, &'static mut Wide<7>),
);

#[inline(never)]
fn widen_by_hand(columns: &mut [Vec<Vec3>; 8], rows: usize) {
    let [a, b, c, d, e, f, g, h] = columns.each_mut().map(|column| &mut column[..rows]);
    for row in 0..rows {
        a[row].add(STEP);
        b[row].add(STEP);
        c[row].add(STEP);
        d[row].add(STEP);
        e[row].add(STEP);
        f[row].add(STEP);
        g[row].add(STEP);
        h[row].add(STEP);
    }
}

fn wide_world() -> World {
    let mut world = World::new();
    let zero = Vec3::splat(0.0);
    world.spawn_batch((0..THOUSANDS).map(|_| {
        (
            (Wide::<0>(zero), Wide::<1>(zero), Wide::<2>(zero), Wide::<3>(zero)),
            (Wide::<4>(zero), Wide::<5>(zero), Wide::<6>(zero), Wide::<7>(zero)),
        )
    }));
    world
}

fn wide() -> Bench {
    Bench {
        file: "iteration",
        name: "wide_iter 10k x 8",
        rows: THOUSANDS,
        contestants: vec![
            Contestant::new("slices by hand", None, || {
                let mut columns: [Vec<Vec3>; 8] = std::array::from_fn(|_| vec![Vec3::splat(0.0); THOUSANDS]);
                repeated(move || widen_by_hand(black_box(&mut columns), THOUSANDS))
            }),
            Contestant::new("row system", Some(0.5), || {
                let (mut world, mut schedule) = (wide_world(), Schedule::default());
                schedule.add_systems(widen);
                repeated(move || schedule.run(black_box(&mut world)))
            }),
            Contestant::new("plain for", Some(1.2), || {
                let mut world = wide_world();
                let mut query = world.query::<WideTerms>();
                repeated(move || {
                    for ((mut a, mut b, mut c, mut d), (mut e, mut f, mut g, mut h)) in
                        query.iter_mut(black_box(&mut world))
                    {
                        a.0.add(STEP);
                        b.0.add(STEP);
                        c.0.add(STEP);
                        d.0.add(STEP);
                        e.0.add(STEP);
                        f.0.add(STEP);
                        g.0.add(STEP);
                        h.0.add(STEP);
                    }
                })
            }),
            Contestant::new("for_each", Some(0.5), || {
                let mut world = wide_world();
                let mut query = world.query::<WideTerms>();
                repeated(move || {
                    query.iter_mut(black_box(&mut world)).for_each(|((a, b, c, d), (e, f, g, h))| {
                        widen(
                            a.into_inner(),
                            b.into_inner(),
                            c.into_inner(),
                            d.into_inner(),
                            e.into_inner(),
                            f.into_inner(),
                            g.into_inner(),
                            h.into_inner(),
                        );
                    });
                })
            }),
        ],
    }
}
