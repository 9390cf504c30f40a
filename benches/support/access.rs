//! Random access: reads one component of entities in shuffled order.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::baseline::{Bodies, Id, Index};
use super::data::{BODY, Position, Velocity, shuffle};
use super::{Bench, Contestant, Sample, repeated};

pub(super) fn benches() -> Vec<Bench> {
    vec![
        Bench {
            file: "access",
            name: "get by shuffled id 10k",
            rows: 10_000,
            contestants: vec![
                Contestant::new("vector of rows by hand", None, || by_hand(10_000)),
                Contestant::new("world.get", Some(2.4), || world_get(10_000)),
                Contestant::new("query.get", Some(1.6), || query_get(10_000)),
                Contestant::new("checked index by hand", None, || checked_by_hand(10_000)),
            ],
        },
        Bench {
            file: "access",
            name: "get by shuffled id 1M",
            rows: 1_000_000,
            contestants: vec![
                Contestant::new("vector of rows by hand", None, || by_hand(1_000_000)),
                Contestant::new("world.get", Some(3.5), || world_get(1_000_000)),
                Contestant::new("query.get", Some(2.5), || query_get(1_000_000)),
                Contestant::new("query.iter_many", Some(1.0), || iter_many(1_000_000)),
                Contestant::new("checked index by hand", None, || checked_by_hand(1_000_000)),
            ],
        },
        two_components("get of two components by shuffled id 10k", 10_000, 1.25),
        two_components("get of two components by shuffled id 1M", 1_000_000, 2.2),
        lists("iter_many of 4 ids 10k", 10_000),
        lists("iter_many of 4 ids 1M", 1_000_000),
    ]
}

/// Entities of two components of 12 bytes, of which one is read.
fn two_components(name: &'static str, rows: usize, at_most: f64) -> Bench {
    type Prepare = fn() -> Sample;
    let (by_hand, query): (Prepare, Prepare) = match rows {
        10_000 => (|| moving_by_hand(10_000), || moving_get(10_000)),
        _ => (|| moving_by_hand(1_000_000), || moving_get(1_000_000)),
    };
    Bench {
        file: "access",
        name,
        rows,
        contestants: vec![
            Contestant::new("vectors with an index, checked by hand", None, by_hand),
            Contestant::new("query.get", Some(at_most), query),
        ],
    }
}

/// Lists of four ids each.
fn lists(name: &'static str, rows: usize) -> Bench {
    type Prepare = fn() -> Sample;
    let (get, many, fold): (Prepare, Prepare, Prepare) = match rows {
        10_000 => (|| get_lists(10_000), || many_of_lists(10_000), || fold_of_lists(10_000)),
        _ => (|| get_lists(1_000_000), || many_of_lists(1_000_000), || fold_of_lists(1_000_000)),
    };
    Bench {
        file: "access",
        name,
        rows,
        contestants: vec![
            Contestant::new("query.get", None, get),
            Contestant::new("query.iter_many, a loop", Some(1.0), many),
            Contestant::new("query.iter_many, fold", Some(1.0), fold),
        ],
    }
}

/// Sums integers: a float addition would wait for the previous one and hide the cost of the access.
fn sum<I: Copy>(ids: &[I], get: impl Fn(I) -> Option<u32>) -> u32 {
    ids.iter().fold(0, |sum, &id| get(id).map_or(sum, |x| sum.wrapping_add(x)))
}

/// Ids are indices into a vector of row numbers. Nothing checks that they are still in use.
fn by_hand(rows: usize) -> Sample {
    let positions = vec![BODY.1; rows];
    let row_of: Vec<u32> = (0..rows as u32).collect();
    let mut ids = row_of.clone();
    shuffle(&mut ids);
    repeated(move || {
        let (positions, row_of) = (black_box(&positions), black_box(&row_of));
        black_box(sum(&ids, |id| Some(positions[row_of[id as usize] as usize].0.x.to_bits())));
    })
}

/// As [`by_hand`], with checked ids.
fn checked_by_hand(rows: usize) -> Sample {
    let mut bodies = Bodies::default();
    let mut ids: Vec<Id> = (0..rows).map(|_| bodies.spawn(BODY)).collect();
    shuffle(&mut ids);
    repeated(move || {
        let bodies = black_box(&bodies);
        black_box(sum(&ids, |id| bodies.position(id).map(|position| position.0.x.to_bits())));
    })
}

fn filled(rows: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids: Vec<Entity> = world.spawn_batch((0..rows).map(|_| BODY)).collect();
    shuffle(&mut ids);
    (world, ids)
}

fn world_get(rows: usize) -> Sample {
    let (world, ids) = filled(rows);
    repeated(move || {
        let world = black_box(&world);
        black_box(sum(&ids, |id| world.get::<Position>(id).map(|position| position.0.x.to_bits())));
    })
}

fn query_get(rows: usize) -> Sample {
    let (mut world, ids) = filled(rows);
    let mut state = world.query::<&Position>();
    repeated(move || {
        let query = state.query(black_box(&world));
        black_box(sum(&ids, |id| query.get(id).ok().map(|position| position.0.x.to_bits())));
    })
}

fn iter_many(rows: usize) -> Sample {
    let (mut world, ids) = filled(rows);
    let mut state = world.query::<&Position>();
    repeated(move || {
        let query = state.query(black_box(&world));
        black_box(
            query.iter_many(&ids).matched().fold(0_u32, |sum, position| sum.wrapping_add(position.0.x.to_bits())),
        );
    })
}

/// Two vectors of values, and an index of ids.
#[derive(Default)]
struct Moving {
    index: Index,
    positions: Vec<Position>,
    velocities: Vec<Velocity>,
}

fn moving_by_hand(rows: usize) -> Sample {
    let mut moving = Moving::default();
    let mut ids: Vec<Id> = (0..rows).map(|row| moving.index.claim(row as u32)).collect();
    moving.positions.resize(rows, BODY.1);
    moving.velocities.resize(rows, BODY.3);
    shuffle(&mut ids);
    repeated(move || {
        let moving = black_box(&moving);
        let get = |id| Some(moving.positions.get(moving.index.row(id)?)?.0.x.to_bits());
        black_box(sum(&ids, get));
    })
}

/// Entities with two components, and their ids in shuffled order.
fn moving(rows: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids: Vec<Entity> = world.spawn_batch((0..rows).map(|_| (BODY.1, BODY.3))).collect();
    shuffle(&mut ids);
    (world, ids)
}

fn moving_get(rows: usize) -> Sample {
    let (mut world, ids) = moving(rows);
    let mut state = world.query::<&Position>();
    repeated(move || {
        let query = state.query(black_box(&world));
        black_box(sum(&ids, |id| query.get(id).ok().map(|position| position.0.x.to_bits())));
    })
}

/// Times a function that adds the values of four entities to a sum.
fn of_lists(rows: usize, add: impl Fn(&Query<'_, '_, &Position>, &[Entity], u32) -> u32 + 'static) -> Sample {
    let (mut world, ids) = moving(rows);
    let mut state = world.query::<&Position>();
    repeated(move || {
        let query = state.query(black_box(&world));
        black_box(ids.chunks_exact(4).fold(0, |sum, list| add(&query, black_box(list), sum)));
    })
}

fn get_lists(rows: usize) -> Sample {
    of_lists(rows, |query, list, mut sum| {
        for &id in list {
            if let Ok(position) = query.get(id) {
                sum = sum.wrapping_add(position.0.x.to_bits());
            }
        }
        sum
    })
}

fn many_of_lists(rows: usize) -> Sample {
    of_lists(rows, |query, list, mut sum| {
        for position in query.iter_many(list).matched() {
            sum = sum.wrapping_add(position.0.x.to_bits());
        }
        sum
    })
}

fn fold_of_lists(rows: usize) -> Sample {
    of_lists(rows, |query, list, sum| {
        query.iter_many(list).matched().fold(sum, |sum, position| sum.wrapping_add(position.0.x.to_bits()))
    })
}
