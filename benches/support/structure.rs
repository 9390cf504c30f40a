//! Spawning, despawning, and changes of an entity's shape.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::baseline::{Bodies, Id};
use super::data::{BODY, Extra, Kept, MIXED, SparseExtra};
use super::limits::{Bare, BareShapes, BodyColumns, Honest, bare, honest};
use super::shapes::{Columns, MixedColumns, SparseSet, TwoShapes};
use super::{Bench, Contestant, Sample, fresh, repeated};

const ROWS: usize = 10_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![spawn(), add_remove(), add_remove_mixed(), despawn(), spawn_and_despawn_one()]
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
            Contestant::new("one by one", Some(1.15), || {
                fresh(World::new, |mut world| {
                    spawn_each(&mut world, ROWS);
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
            bare(|| {
                fresh(
                    || (),
                    |()| {
                        let body = black_box(BODY);
                        let mut bodies = Bare::<BodyColumns>::with_capacity(ROWS);
                        for _ in 0..ROWS {
                            bodies.spawn(body);
                        }
                        bodies
                    },
                )
            }),
            honest(spawn_honestly),
        ],
    }
}

/// Spawns entities in a fresh store with the library's bookkeeping.
pub(super) fn spawn_honestly() -> Sample {
    fresh(Honest::<BodyColumns>::default, |mut bodies| {
        let body = black_box(BODY);
        for _ in 0..ROWS {
            bodies.spawn(Honest::<BodyColumns>::TABLE, body);
        }
        bodies
    })
}

/// Adds a component to every entity, then removes it from every entity. The entities have one other component.
fn add_remove() -> Bench {
    Bench {
        file: "structure",
        name: "add_remove by id 10k",
        rows: ROWS,
        contestants: vec![
            Contestant::new("honest limit: two tables by hand", None, || two_tables::<Vec<Kept>>(Kept(1.0))),
            Contestant::new("entity_mut", Some(1.8), || entity_mut(Kept(1.0), Extra(1.0))),
            Contestant::new("entity_mut, sparse", Some(1.1), || entity_mut(Kept(1.0), SparseExtra(1.0))),
            Contestant::new("sparse set by hand", None, sparse_set),
            bare(|| bare_shapes::<Vec<Kept>>(Kept(1.0))),
        ],
    }
}

/// As [`add_remove`], for entities with six other components.
fn add_remove_mixed() -> Bench {
    Bench {
        file: "structure",
        name: "add_remove by id 10k, 6 others",
        rows: ROWS,
        contestants: vec![
            Contestant::new("honest limit: two tables by hand", None, || two_tables::<MixedColumns>(MIXED)),
            Contestant::new("entity_mut", Some(2.0), || entity_mut(MIXED, Extra(1.0))),
            bare(|| bare_shapes::<MixedColumns>(MIXED)),
        ],
    }
}

fn two_tables<C: Columns + 'static>(row: C::Row) -> Sample {
    let mut shapes = TwoShapes::<C>::default();
    let ids: Vec<Id> = (0..ROWS).map(|_| shapes.spawn(row)).collect();
    repeated(move || {
        let extra = black_box(Extra(1.0));
        for &id in &ids {
            shapes.insert(id, extra);
        }
        assert_eq!(shapes.extras(), ROWS);
        for &id in &ids {
            shapes.remove(id);
        }
        assert_eq!(shapes.extras(), 0);
    })
}

fn bare_shapes<C: Columns + 'static>(row: C::Row) -> Sample {
    let mut shapes = BareShapes::<C>::default();
    let ids: Vec<u64> = (0..ROWS).map(|_| shapes.spawn(row)).collect();
    repeated(move || {
        let extra = black_box(Extra(1.0));
        for &id in &ids {
            shapes.insert(id, extra);
        }
        assert_eq!(shapes.extras(), ROWS);
        for &id in &ids {
            shapes.remove(id);
        }
        assert_eq!(shapes.extras(), 0);
    })
}

fn sparse_set() -> Sample {
    let mut set = SparseSet::default();
    let ids: Vec<Id> = (0..ROWS).map(|_| set.spawn()).collect();
    repeated(move || {
        let extra = black_box(Extra(1.0));
        for &id in &ids {
            set.insert(id, extra);
        }
        assert_eq!(set.extras(), ROWS);
        for &id in &ids {
            set.remove(id);
        }
        assert_eq!(set.extras(), 0);
    })
}

/// One loop for all measurements, as in [`despawn_each`].
#[inline(never)]
pub(super) fn add_each<X: Component + Copy>(world: &mut World, ids: &[Entity], extra: X) {
    let extra = black_box(extra);
    for &id in ids {
        world.entity_mut(id).insert(extra);
    }
}

/// One loop for all measurements, as in [`despawn_each`].
#[inline(never)]
pub(super) fn remove_each<X: Component>(world: &mut World, ids: &[Entity]) {
    for &id in ids {
        world.entity_mut(id).remove::<X>();
    }
}

/// One loop for all measurements, as in [`despawn_each`].
#[inline(never)]
pub(super) fn spawn_each(world: &mut World, count: usize) {
    let body = black_box(BODY);
    for _ in 0..count {
        world.spawn(body);
    }
}

fn entity_mut<B: Bundle + Copy, X: Component + Copy>(kept: B, extra: X) -> Sample {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| kept)).collect();
    add_each(&mut world, &ids, extra);
    assert!(ids.iter().all(|&id| world.get::<X>(id).is_some()));
    remove_each::<X>(&mut world, &ids);
    assert!(ids.iter().all(|&id| world.get::<X>(id).is_none()));
    repeated(move || {
        add_each(&mut world, &ids, extra);
        remove_each::<X>(&mut world, &ids);
    })
}

/// Not inlined and shared by all measurements, since inlining depends on the number of call sites.
#[inline(never)]
pub(super) fn despawn_each(world: &mut World, ids: &[Entity]) {
    for &id in ids {
        world.despawn(id);
    }
}

/// Despawns every entity of a world by its id, in the order of spawning.
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
                    assert_eq!(bodies.len(), 0);
                    (bodies, ids)
                })
            }),
            Contestant::new("world.despawn", Some(1.4), || {
                let filled = || {
                    let mut world = World::new();
                    let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| BODY)).collect();
                    (world, ids)
                };
                fresh(filled, |(mut world, ids)| {
                    despawn_each(&mut world, &ids);
                    assert!(world.is_empty());
                    (world, ids)
                })
            }),
            bare(|| {
                let filled = || {
                    let mut bodies = Bare::<BodyColumns>::default();
                    let ids: Vec<u64> = (0..ROWS).map(|_| bodies.spawn(BODY)).collect();
                    (bodies, ids)
                };
                fresh(filled, |(mut bodies, ids)| {
                    for &id in &ids {
                        bodies.despawn(id);
                    }
                    assert_eq!(bodies.len(), 0);
                    (bodies, ids)
                })
            }),
            honest(|| {
                let filled = || {
                    let mut bodies = Honest::<BodyColumns>::default();
                    let ids: Vec<Id> = (0..ROWS).map(|_| bodies.spawn(Honest::<BodyColumns>::TABLE, BODY)).collect();
                    (bodies, ids)
                };
                fresh(filled, |(mut bodies, ids)| {
                    for &id in &ids {
                        bodies.despawn(id);
                    }
                    assert_eq!(bodies.len(), 0);
                    (bodies, ids)
                })
            }),
        ],
    }
}

/// Spawns and despawns one entity a thousand times, in a world of ten thousand others.
fn spawn_and_despawn_one() -> Bench {
    const TIMES: usize = 1000;
    Bench {
        file: "structure",
        name: "spawn and despawn one, 1000 times",
        rows: TIMES,
        contestants: vec![
            Contestant::new("push and swap_remove by hand", None, || {
                let mut bodies = Bodies::default();
                for _ in 0..ROWS {
                    bodies.spawn(BODY);
                }
                repeated(move || {
                    let body = black_box(BODY);
                    for _ in 0..TIMES {
                        let id = black_box(bodies.spawn(body));
                        bodies.despawn(id);
                    }
                    assert_eq!(bodies.len(), ROWS);
                })
            }),
            Contestant::new("world.spawn, world.despawn", Some(1.8), || {
                let mut world = World::new();
                world.spawn_batch((0..ROWS).map(|_| BODY));
                repeated(move || {
                    let body = black_box(BODY);
                    for _ in 0..TIMES {
                        let id = black_box(world.spawn(body).id());
                        world.despawn(id);
                    }
                    assert_eq!(world.len(), ROWS);
                })
            }),
            bare(|| {
                let mut bodies = Bare::<BodyColumns>::default();
                for _ in 0..ROWS {
                    bodies.spawn(BODY);
                }
                repeated(move || {
                    let body = black_box(BODY);
                    for _ in 0..TIMES {
                        let id = black_box(bodies.spawn(body));
                        bodies.despawn(id);
                        bodies.forget_last();
                    }
                    assert_eq!(bodies.len(), ROWS);
                })
            }),
            honest(|| {
                let mut bodies = Honest::<BodyColumns>::default();
                for _ in 0..ROWS {
                    bodies.spawn(Honest::<BodyColumns>::TABLE, BODY);
                }
                repeated(move || {
                    let body = black_box(BODY);
                    for _ in 0..TIMES {
                        let id = black_box(bodies.spawn(Honest::<BodyColumns>::TABLE, body));
                        bodies.despawn(id);
                    }
                    assert_eq!(bodies.len(), ROWS);
                })
            }),
        ],
    }
}
