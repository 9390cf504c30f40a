//! Spawning, despawning, and changes of an entity's shape.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::baseline::{Bodies, Id, TwoShapes};
use super::data::{BODY, Extra, Kept};
use super::{Bench, Contestant, fresh, repeated};

const ROWS: usize = 10_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![spawn(), add_remove(), despawn()]
}

/// A matrix and three vectors for every entity of a fresh world, with values that the compiler does not know.
fn spawn() -> Bench {
    Bench {
        file: "structure",
        name: "spawn 10k x 4",
        rows: ROWS,
        contestants: vec![
            Contestant::new("unreserved pushes by hand", None, || {
                fresh(Bodies::default, |mut bodies| {
                    let body = black_box(BODY);
                    for _ in 0..ROWS {
                        bodies.spawn(body);
                    }
                    bodies
                })
            }),
            Contestant::new("one by one", Some(2.0), || {
                fresh(World::new, |mut world| {
                    let body = black_box(BODY);
                    for _ in 0..ROWS {
                        world.spawn(body);
                    }
                    world
                })
            }),
            Contestant::new("spawn_batch", Some(1.2), || {
                fresh(World::new, |mut world| {
                    let body = black_box(BODY);
                    world.spawn_batch((0..ROWS).map(|_| body));
                    world
                })
            }),
            Contestant::new("spawn_columns of new vectors", Some(0.7), || {
                fresh(World::new, |mut world| {
                    let (a, b, c, d) = black_box(BODY);
                    let columns = (vec![a; ROWS], vec![b; ROWS], vec![c; ROWS], vec![d; ROWS]);
                    world.spawn_columns(columns).expect("the columns are equally long");
                    world
                })
            }),
            Contestant::new("reserved pushes by hand", None, || {
                fresh(
                    || (),
                    |()| {
                        let body = black_box(BODY);
                        let mut bodies = Bodies::with_capacity(ROWS);
                        for _ in 0..ROWS {
                            bodies.spawn(body);
                        }
                        bodies
                    },
                )
            }),
        ],
    }
}

/// Every entity gains a component; then every entity loses it.
fn add_remove() -> Bench {
    Bench {
        file: "structure",
        name: "add_remove by id 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("two tables by hand", None, || {
                let mut shapes = TwoShapes::default();
                let ids: Vec<Id> = (0..ROWS).map(|_| shapes.spawn(Kept(1.0))).collect();
                repeated(move || {
                    for &id in &ids {
                        shapes.insert(id, Extra(1.0));
                    }
                    for &id in &ids {
                        shapes.remove(id);
                    }
                })
            }),
            Contestant::new("entity_mut", Some(3.0), || {
                let mut world = World::new();
                let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| Kept(1.0))).collect();
                repeated(move || {
                    for &id in &ids {
                        world.entity_mut(id).insert(Extra(1.0));
                    }
                    for &id in &ids {
                        world.entity_mut(id).remove::<Extra>();
                    }
                })
            }),
        ],
    }
}

/// Every entity of a world is despawned by its id, in the order of spawning.
fn despawn() -> Bench {
    Bench {
        file: "structure",
        name: "despawn by id 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("swap_remove by hand", None, || {
                let filled = || {
                    let mut bodies = Bodies::default();
                    let ids: Vec<Id> = (0..ROWS).map(|_| bodies.spawn(BODY)).collect();
                    (bodies, ids)
                };
                fresh(filled, |(mut bodies, ids)| {
                    for &id in &ids {
                        bodies.despawn(id);
                    }
                    (bodies, ids)
                })
            }),
            Contestant::new("world.despawn", Some(2.0), || {
                let filled = || {
                    let mut world = World::new();
                    let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| BODY)).collect();
                    (world, ids)
                };
                fresh(filled, |(mut world, ids)| {
                    for &id in &ids {
                        world.despawn(id);
                    }
                    (world, ids)
                })
            }),
        ],
    }
}
