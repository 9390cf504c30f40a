//! Despawned entities and a reader of their ids, compared with a vector that is filled and drained.

use std::hint::black_box;

use strata_ecs::prelude::*;
use strata_ecs::removal::RemovedComponentReader;

use super::baseline::{Bodies, Id};
use super::data::{BODY, Position};
use super::structure::despawn_each;
use super::{Bench, Contestant, fresh};

const ROWS: usize = 10_000;

/// Adds one removal to the checksum.
pub(crate) fn weigh(sum: u64, index: u32) -> u64 {
    sum.wrapping_add(u64::from(index))
}

fn filled() -> (World, Vec<Entity>, RemovedComponentReader<Position>) {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| BODY)).collect();
    let reader = world.removed_reader();
    (world, ids, reader)
}

fn drain(world: &World, reader: &mut RemovedComponentReader<Position>) {
    let mut sum = 0;
    let mut count = 0;
    for entity in reader.read(world) {
        sum = weigh(sum, entity.index());
        count += 1;
    }
    assert_eq!(count, ROWS);
    black_box(sum);
}

/// Despawns all entities of a world and reads the entities that have lost a component.
pub(super) fn benches() -> Vec<Bench> {
    vec![Bench {
        file: "structure",
        name: "despawn and read removed 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("swap_remove and a vector by hand", None, || {
                let filled = || {
                    let mut bodies = Bodies::default();
                    let ids: Vec<Id> = (0..ROWS).map(|_| bodies.spawn(BODY)).collect();
                    (bodies, ids)
                };
                fresh(filled, |(mut bodies, ids)| {
                    let mut removed = Vec::new();
                    for &id in &ids {
                        bodies.despawn(id);
                        removed.push(id.index);
                    }
                    assert_eq!(removed.len(), ROWS);
                    black_box(removed.drain(..).fold(0, weigh));
                    (bodies, ids)
                })
            }),
            Contestant::new("world.despawn, read", None, || {
                fresh(filled, |(mut world, ids, mut reader)| {
                    despawn_each(&mut world, &ids);
                    drain(&world, &mut reader);
                    (world, ids, reader)
                })
            }),
            Contestant::new("world.all().despawn, read", None, || {
                fresh(filled, |(mut world, ids, mut reader)| {
                    world.all::<()>().despawn();
                    drain(&world, &mut reader);
                    (world, ids, reader)
                })
            }),
            Contestant::new("world.despawn, values read", None, || {
                let filled = || {
                    let (mut world, ids, _) = filled();
                    let reader = world.removed_value_reader::<Position>();
                    (world, ids, reader)
                };
                fresh(filled, |(mut world, ids, mut reader)| {
                    despawn_each(&mut world, &ids);
                    assert_eq!(black_box(reader.read(&world)).count(), ROWS);
                    (world, ids, reader)
                })
            }),
        ],
    }]
}
