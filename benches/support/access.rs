//! Random access: reads one component of entities in shuffled order.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::baseline::{Bodies, Id};
use super::data::{BODY, Position, shuffle};
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
    ]
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
