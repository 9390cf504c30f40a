//! Structural changes in worlds with observers and hooks, beside the same changes in worlds without.
#![expect(elided_lifetimes_in_paths, reason = "systems as users write them")]

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::data::{BODY, Extra, Heat, Kept, Position, Serial, SparseExtra};
use super::structure::{add_each, despawn_each, remove_each, spawn_each};
use super::{Bench, Contestant, Sample, fresh, repeated, undone};

const ROWS: usize = 10_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![spawn(), add_remove(), despawn(), insert(), spawn_batch()]
}

/// A world in which components are observed that no entity of the workloads has.
fn others_observed() -> World {
    let mut world = World::new();
    world.add_observer(|_: On<Add<Heat>>| {});
    world.add_observer(|_: On<Remove<(Heat, Serial)>>| {});
    world.add_observer(|_: On<Insert<SparseExtra>>| {});
    world.register_component_hooks::<Serial>().on_add(|_, _| {}).on_remove(|_, _| {});
    world
}

/// What the observed components cost those that are not.
const OTHERS: Option<f64> = Some(1.02);

fn spawn() -> Bench {
    fn sample(make: fn() -> World) -> Sample {
        fresh(make, |mut world| {
            spawn_each(&mut world, ROWS);
            world
        })
    }
    Bench {
        file: "observed",
        name: "spawn 10k x 4, others observed",
        rows: ROWS,
        contestants: vec![
            Contestant::new("nothing observed", None, || sample(World::new)),
            Contestant::new("world.spawn", OTHERS, || sample(others_observed)),
        ],
    }
}

fn add_remove() -> Bench {
    fn sample(mut world: World) -> Sample {
        let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| Kept(1.0))).collect();
        repeated(move || {
            add_each(&mut world, &ids, Extra(1.0));
            remove_each::<Extra>(&mut world, &ids);
        })
    }
    Bench {
        file: "observed",
        name: "add_remove by id 10k, others observed",
        rows: ROWS,
        contestants: vec![
            Contestant::new("nothing observed", None, || sample(World::new())),
            Contestant::new("entity_mut", OTHERS, || sample(others_observed())),
        ],
    }
}

fn despawn() -> Bench {
    fn sample(make: fn() -> World) -> Sample {
        let filled = move || {
            let mut world = make();
            let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| BODY)).collect();
            (world, ids)
        };
        fresh(filled, |(mut world, ids)| {
            despawn_each(&mut world, &ids);
            assert!(world.is_empty());
            (world, ids)
        })
    }
    Bench {
        file: "observed",
        name: "despawn by id 10k, others observed",
        rows: ROWS,
        contestants: vec![
            Contestant::new("nothing observed", None, || sample(World::new)),
            Contestant::new("world.despawn", OTHERS, || sample(others_observed)),
        ],
    }
}

/// Every entity gains a component, of which an observer is told that does nothing: beside four calls of a closure for each.
fn insert() -> Bench {
    fn filled() -> (World, Vec<Entity>) {
        let mut world = World::new();
        let ids = world.spawn_batch((0..ROWS).map(|_| Kept(1.0))).collect();
        (world, ids)
    }
    fn undo((world, _): &mut (World, Vec<Entity>)) {
        assert_eq!(world.all::<With<Extra>>().remove::<Extra>(), ROWS);
    }
    fn alone() -> Sample {
        undone(filled(), |(world, ids)| add_each(world, ids, Extra(1.0)), undo)
    }
    fn with_calls() -> Sample {
        let mut closures: Vec<Box<dyn FnMut(Entity)>> = Vec::new();
        for _ in 0..4 {
            closures.push(Box::new(|entity| {
                black_box(entity);
            }));
        }
        let work = move |(world, ids): &mut (World, Vec<Entity>)| {
            add_each(world, ids, Extra(1.0));
            for &id in &*ids {
                black_box(&mut closures).iter_mut().for_each(|closure| closure(id));
            }
        };
        undone(filled(), work, undo)
    }
    fn observed() -> Sample {
        let (mut world, ids) = filled();
        world.add_observer(|add: On<Add<Extra>>| {
            black_box(add.entity);
        });
        undone((world, ids), |(world, ids)| add_each(world, ids, Extra(1.0)), undo)
    }
    Bench {
        file: "observed",
        name: "insert by id 10k, one observer",
        rows: ROWS,
        contestants: vec![
            Contestant::new("unobserved, and four calls of boxed closures", None, with_calls),
            Contestant::new("one observer that does nothing", Some(1.0), observed),
            Contestant::new("unobserved", None, alone),
        ],
    }
}

/// Entities are made at once of which a hook is told that does nothing.
fn spawn_batch() -> Bench {
    fn sample(make: fn() -> World) -> Sample {
        fresh(make, |mut world| {
            let body = black_box(BODY);
            world.spawn_batch((0..ROWS).map(|_| body));
            world
        })
    }
    fn hooked() -> World {
        let mut world = World::new();
        world.register_component_hooks::<Position>().on_add(|_, context| {
            black_box(context.entity);
        });
        world
    }
    Bench {
        file: "observed",
        name: "spawn_batch 10k x 4, on_add hook",
        rows: ROWS,
        contestants: vec![
            Contestant::new("without a hook", None, || sample(World::new)),
            Contestant::new("a hook that does nothing", Some(1.3), || sample(hooked)),
        ],
    }
}
