//! Snapshots of worlds, compared with a copy of the same bytes: components, ids, and the locations of the ids.

use std::hint::black_box;
use std::time::{Duration, Instant};

use strata_ecs::prelude::*;
use strata_ecs::snapshot::SnapshotRing;

use super::{Bench, Contestant, Sample, repeated};

const ROWS: usize = 1_000_000;
const PLAYED: usize = 10_000;
const FRAMES: u64 = 8;

#[derive(Component, Clone, Copy)]
struct Part<const NUMBER: usize>([f32; 3]);
#[derive(Component, Clone, Copy)]
struct Mark<const BIT: usize>;

type Six = (Part<0>, Part<1>, Part<2>, Part<3>, Part<4>, Part<5>);
type Moving = (
    &'static mut Part<0>,
    &'static mut Part<1>,
    &'static mut Part<2>,
    &'static mut Part<3>,
    &'static mut Part<4>,
    &'static mut Part<5>,
);

/// The bytes of an id and its location.
const BOOKS: [usize; 2] = [8, 12];

pub(super) fn benches() -> Vec<Bench> {
    vec![
        Bench {
            file: "snapshots",
            name: "snapshot to memory 1M x 4",
            rows: ROWS,
            contestants: vec![
                Contestant::new("copied by hand", None, || copied(4)),
                Contestant::new("world.snapshot_into", Some(1.2), taken),
                Contestant::new("ring.save, all changed", Some(1.2), saved),
            ],
        },
        Bench {
            file: "snapshots",
            name: "snapshot of 100 tables, one visited",
            rows: ROWS,
            contestants: vec![
                Contestant::new("copied by hand", None, || copied(4)),
                Contestant::new("ring.save", Some(0.05), saved_again),
            ],
        },
        Bench {
            file: "snapshots",
            name: "restore 1M x 4",
            rows: ROWS,
            contestants: vec![
                Contestant::new("copied by hand", None, || copied(4)),
                Contestant::new("world.restore", Some(1.2), restored),
                Contestant::new("ring.restore, all changed", Some(1.2), restored_from_ring),
            ],
        },
        Bench {
            file: "snapshots",
            name: "rollback of 8 frames 10k x 6",
            rows: PLAYED,
            contestants: vec![
                // The limit applies to the copies only, so the baseline multiplies them by their factor.
                Contestant::new("simulated, and 1.3 x as much copied by hand", None, played_by_hand),
                Contestant::new("ring", Some(1.0), played),
            ],
        },
        Bench {
            file: "snapshots",
            name: "checksum 1M x 4",
            rows: ROWS,
            contestants: vec![
                Contestant::new("read by hand", None, read),
                Contestant::new("world.checksum", Some(2.0), checksum),
            ],
        },
    ]
}

/// One buffer for each size, with `size` bytes per row.
fn bytes(sizes: &[usize], rows: usize) -> Vec<Vec<u64>> {
    sizes.iter().map(|size| vec![1; rows * size / 8]).collect()
}

fn sizes(parts: usize) -> Vec<usize> {
    [size_of::<Part<0>>()].repeat(parts).into_iter().chain(BOOKS).collect()
}

fn copy(from: &[Vec<u64>], to: &mut [Vec<u64>]) {
    for (from, to) in black_box(from).iter().zip(black_box(to)) {
        to.copy_from_slice(from);
    }
}

pub(super) fn copied(parts: usize) -> Sample {
    let from = bytes(&sizes(parts), ROWS);
    let mut to = from.clone();
    repeated(move || copy(&from, &mut to))
}

fn read() -> Sample {
    let of = bytes(&sizes(4)[..5], ROWS);
    repeated(move || {
        let sum = |bytes: &Vec<u64>| bytes.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word));
        black_box(black_box(&of).iter().map(sum).fold(0, u64::wrapping_add));
    })
}

fn world(rows: usize) -> World {
    let mut world = World::new();
    spawn(&mut world, rows);
    world
}

fn spawn(world: &mut World, rows: usize) -> Vec<Entity> {
    let parts = (vec![Part::<0>([1.0; 3]); rows], vec![Part::<1>([1.0; 3]); rows]);
    let others = (vec![Part::<2>([1.0; 3]); rows], vec![Part::<3>([1.0; 3]); rows]);
    match world.spawn_columns((parts.0, parts.1, others.0, others.1)) {
        Ok(ids) => ids.collect(),
        Err(error) => unreachable!("{error}"),
    }
}

fn taken() -> Sample {
    let mut world = world(ROWS);
    let mut snapshot = world.snapshot().unwrap_or_else(|error| unreachable!("{error}"));
    repeated(move || {
        let taken = black_box(&mut world).snapshot_into(black_box(&mut snapshot));
        assert!(taken.is_ok());
    })
}

fn restored() -> Sample {
    let mut world = world(ROWS);
    let snapshot = world.snapshot().unwrap_or_else(|error| unreachable!("{error}"));
    repeated(move || assert!(black_box(&mut world).restore(black_box(&snapshot)).is_ok()))
}

/// Writes to all four columns of a table.
fn visit(world: &mut World, entity: Entity) {
    let table = world.entity(entity).location().table;
    macro_rules! write {
        ($($number:literal)*) => { $(
            let id = world.register_component::<Part<$number>>();
            let Ok(column) = world.column_mut_by_id::<Part<$number>>(table, id) else { unreachable!() };
            column[0].0[0] += 1.0;
        )* };
    }
    write! { 0 1 2 3 }
}

/// Times work on a ring and a world. `before` runs before each of them and is not timed.
fn between(
    (mut world, mut ring): (World, SnapshotRing),
    mut before: impl FnMut(&mut World) + 'static,
    mut work: impl FnMut(&mut World, &mut SnapshotRing) + 'static,
) -> Sample {
    Box::new(move |runs| {
        let mut total = Duration::ZERO;
        for _ in 0..runs {
            before(&mut world);
            let start = Instant::now();
            work(black_box(&mut world), black_box(&mut ring));
            total += start.elapsed();
        }
        total
    })
}

/// Saves the next frame.
fn save(world: &mut World, ring: &mut SnapshotRing) {
    let next = ring.frames().last().map_or(0, |last| last + 1);
    assert!(ring.save(world, next).is_ok());
}

/// A ring whose memory has been touched.
fn warm(world: &mut World, frames: usize, mut change: impl FnMut(&mut World)) -> SnapshotRing {
    let mut ring = SnapshotRing::new(frames);
    for _ in 0..frames + 2 {
        change(world);
        save(world, &mut ring);
    }
    ring
}

fn first(world: &World) -> Entity {
    world.tables().iter().flat_map(|table| table.entities()).copied().next().unwrap_or_else(|| unreachable!())
}

fn saved() -> Sample {
    let mut world = world(ROWS);
    let entity = first(&world);
    let change = move |world: &mut World| visit(world, entity);
    let ring = warm(&mut world, 2, change);
    between((world, ring), change, save)
}

fn restored_from_ring() -> Sample {
    let mut world = world(ROWS);
    let entity = first(&world);
    let change = move |world: &mut World| visit(world, entity);
    let ring = warm(&mut world, 2, change);
    between((world, ring), change, |world, ring| {
        let last = ring.frames().last();
        assert!(last.is_some_and(|last| ring.restore(world, last).is_ok()));
    })
}

fn saved_again() -> Sample {
    let mut world = World::new();
    let mut entity = None;
    for table in 1..=100_usize {
        let ids = spawn(&mut world, ROWS / 100);
        macro_rules! mark {
            ($($bit:literal)*) => { $(
                if table >> $bit & 1 == 1 {
                    world.many(&ids).insert(Mark::<$bit>);
                }
            )* };
        }
        mark! { 0 1 2 3 4 5 6 }
        entity = Some(ids[0]);
    }
    assert_eq!(world.tables().iter().filter(|table| !table.is_empty()).count(), 100);
    let change = move |world: &mut World| entity.into_iter().for_each(|entity| visit(world, entity));
    let ring = warm(&mut world, 2, change);
    between((world, ring), change, save)
}

/// A world in which all entities move, and the schedule that moves them.
fn game() -> (World, impl FnMut(&mut World) + 'static) {
    let mut world = World::new();
    let part = [1.0; 3];
    let row: Six = (Part(part), Part(part), Part(part), Part(part), Part(part), Part(part));
    world.spawn_batch((0..PLAYED).map(|_| row)).for_each(drop);
    let mut all = world.query::<Moving>();
    let run = move |world: &mut World| {
        for (mut a, mut b, mut c, mut d, mut e, mut f) in all.iter_mut(world) {
            a.0[0] += 1.0;
            b.0[0] += 1.0;
            c.0[0] += 1.0;
            d.0[0] += 1.0;
            e.0[0] += 1.0;
            f.0[0] += 1.0;
        }
    };
    (world, run)
}

fn played_by_hand() -> Sample {
    let (mut world, mut run) = game();
    let from = bytes(&sizes(6), PLAYED * 13 / 10);
    let mut frames: Vec<Vec<Vec<u64>>> = (0..=FRAMES).map(|_| from.clone()).collect();
    repeated(move || {
        for to in &mut frames[1..] {
            copy(&from, to);
            run(&mut world);
        }
        copy(&from, &mut frames[0]);
    })
}

fn played() -> Sample {
    let (mut world, mut run) = game();
    let mut ring = SnapshotRing::new(FRAMES as usize + 1);
    for frame in 0..=FRAMES + 1 {
        assert!(ring.save(&mut world, frame).is_ok());
        run(&mut world);
    }
    repeated(move || {
        assert!(ring.restore(&mut world, 1).is_ok());
        for frame in 1..=FRAMES {
            assert!(ring.save(&mut world, frame).is_ok());
            run(&mut world);
        }
    })
}

fn checksum() -> Sample {
    let world = world(ROWS);
    repeated(move || {
        let sum = black_box(&world).checksum();
        assert!(black_box(sum).is_ok());
    })
}
