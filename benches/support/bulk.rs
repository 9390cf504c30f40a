//! Changes of all matching entities, and spawning from whole columns.

use std::hint::black_box;
use std::iter::repeat_n;
use std::mem::swap;

use strata_ecs::prelude::*;

use super::baseline::{Bodies, Id};
use super::data::{BODY, Extra, Kept, Position};
use super::shapes::TwoShapes;
use super::{Bench, Contestant, Sample, fresh, repeated};

const THOUSANDS: usize = 10_000;
const MILLION: usize = 1_000_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![spawn_columns(), add_remove_10k(), add_remove_1m(), despawn()]
}

/// Spawns entities with a matrix and three vectors in a fresh world from four vectors, whose construction is timed too.
fn spawn_columns() -> Bench {
    Bench {
        file: "structure",
        name: "spawn columns 10k x 4",
        rows: THOUSANDS,
        contestants: vec![
            Contestant::new("reserved pushes by hand", None, || {
                fresh(
                    || (),
                    |()| {
                        let body = black_box(BODY);
                        let mut bodies = Bodies::with_capacity(THOUSANDS);
                        for _ in 0..THOUSANDS {
                            bodies.spawn(body);
                        }
                        bodies
                    },
                )
            }),
            Contestant::new("spawn_columns of vectors", Some(0.7), || {
                fresh(World::new, |mut world| {
                    let (transform, position, rotation, velocity) = black_box(BODY);
                    let columns = (
                        vec![transform; THOUSANDS],
                        vec![position; THOUSANDS],
                        vec![rotation; THOUSANDS],
                        vec![velocity; THOUSANDS],
                    );
                    let spawned = world.spawn_columns(columns).expect("they are equally long").len();
                    assert_eq!(spawned, THOUSANDS);
                    world
                })
            }),
            Contestant::new("spawn_columns of (0..n).map", Some(0.75), || {
                fresh(World::new, |mut world| {
                    let (transform, position, rotation, velocity) = black_box(BODY);
                    let columns = (
                        (0..THOUSANDS).map(move |_| transform),
                        (0..THOUSANDS).map(move |_| position),
                        (0..THOUSANDS).map(move |_| rotation),
                        (0..THOUSANDS).map(move |_| velocity),
                    );
                    let spawned = world.spawn_columns(columns).expect("they are equally long").len();
                    assert_eq!(spawned, THOUSANDS);
                    world
                })
            }),
            Contestant::new("spawn_columns of repeat_n", Some(0.75), || {
                fresh(World::new, |mut world| {
                    let (transform, position, rotation, velocity) = black_box(BODY);
                    let columns = (
                        repeat_n(transform, THOUSANDS),
                        repeat_n(position, THOUSANDS),
                        repeat_n(rotation, THOUSANDS),
                        repeat_n(velocity, THOUSANDS),
                    );
                    let spawned = world.spawn_columns(columns).expect("they are equally long").len();
                    assert_eq!(spawned, THOUSANDS);
                    world
                })
            }),
        ],
    }
}

/// Adds a component to all entities that have another one, then removes it from all of them.
fn add_remove_10k() -> Bench {
    Bench {
        file: "structure",
        name: "add_remove by query 10k",
        rows: THOUSANDS,
        contestants: vec![
            Contestant::new("whole columns by hand", None, || whole_columns(THOUSANDS)),
            Contestant::new("world.all", Some(1.5), || world_all(THOUSANDS)),
        ],
    }
}

fn add_remove_1m() -> Bench {
    Bench {
        file: "structure",
        name: "add_remove by query 1M",
        rows: MILLION,
        contestants: vec![
            Contestant::new("whole columns by hand", None, || whole_columns(MILLION)),
            Contestant::new("world.all", Some(1.5), || world_all(MILLION)),
        ],
    }
}

impl TwoShapes<Vec<Kept>> {
    /// Adds an [`Extra`] to every entity. The table with [`Extra`] has to be empty.
    fn insert_all(&mut self, extra: Extra) -> usize {
        assert!(self.both_ids.is_empty());
        swap(&mut self.plain_ids, &mut self.both_ids);
        swap(&mut self.plain, &mut self.both);
        self.both_extra.resize(self.both_ids.len(), extra);
        for id in &self.both_ids {
            self.slots[id.index as usize].has_extra = true;
        }
        self.both_ids.len()
    }

    /// Removes the [`Extra`] of every entity. The table without [`Extra`] has to be empty.
    fn remove_all(&mut self) -> usize {
        assert!(self.plain_ids.is_empty());
        swap(&mut self.plain_ids, &mut self.both_ids);
        swap(&mut self.plain, &mut self.both);
        self.both_extra.clear();
        for id in &self.plain_ids {
            self.slots[id.index as usize].has_extra = false;
        }
        self.plain_ids.len()
    }
}

fn whole_columns(rows: usize) -> Sample {
    let mut shapes = TwoShapes::<Vec<Kept>>::default();
    for _ in 0..rows {
        shapes.spawn(Kept(1.0));
    }
    repeated(move || {
        let shapes = black_box(&mut shapes);
        assert_eq!(shapes.insert_all(black_box(Extra(1.0))), rows);
        assert_eq!(black_box(&mut *shapes).remove_all(), rows);
    })
}

fn world_all(rows: usize) -> Sample {
    let mut world = World::new();
    world.spawn_batch((0..rows).map(|_| Kept(1.0)));
    repeated(move || {
        let world = black_box(&mut world);
        assert_eq!(world.all::<With<Kept>>().insert(black_box(Extra(1.0))), rows);
        assert_eq!(world.all::<With<Extra>>().remove::<Extra>(), rows);
    })
}

/// Despawns every entity of a world. Only the baseline despawns by id.
fn despawn() -> Bench {
    Bench {
        file: "structure",
        name: "despawn by query 10k",
        rows: THOUSANDS,
        contestants: vec![
            Contestant::new("swap_remove by hand, by id", None, || {
                fresh(bodies, |(mut bodies, ids)| {
                    for &id in &ids {
                        bodies.despawn(id);
                    }
                    assert_eq!(bodies.len(), 0);
                    (bodies, ids)
                })
            }),
            Contestant::new("world.all, despawn", Some(0.3), || {
                let filled = || {
                    let mut world = World::new();
                    world.spawn_batch((0..THOUSANDS).map(|_| BODY));
                    world
                };
                fresh(filled, |mut world| {
                    assert_eq!(world.all::<With<Position>>().despawn(), THOUSANDS);
                    world
                })
            }),
            Contestant::new("whole columns by hand", None, || {
                fresh(bodies, |(mut bodies, ids)| {
                    bodies.clear();
                    (bodies, ids)
                })
            }),
        ],
    }
}

fn bodies() -> (Bodies, Vec<Id>) {
    let mut bodies = Bodies::default();
    let ids = (0..THOUSANDS).map(|_| bodies.spawn(BODY)).collect();
    (bodies, ids)
}
