//! Structural changes in worlds with observers and hooks, compared with worlds without.
#![expect(elided_lifetimes_in_paths, reason = "systems as users write them")]

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::books::Books;
use super::data::{BODY, Extra, Heat, Kept, Position, Serial, SparseExtra};
use super::structure::{add_each, despawn_each, remove_each, spawn_each};
use super::{Bench, Contestant, Sample, fresh, repeated, undone};

const ROWS: usize = 10_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![spawn(), add_remove(), despawn(), insert(), spawn_batch(), insert_all::<ROWS>(), insert_all::<1_000_000>()]
}

/// A world that observes components that no entity of the workloads has.
fn others_observed() -> World {
    let mut world = World::new();
    world.add_observer(|_: On<Add<Heat>>| {});
    world.add_observer(|_: On<Remove<(Heat, Serial)>>| {});
    world.add_observer(|_: On<Insert<SparseExtra>>| {});
    world.register_component_hooks::<Serial>().on_add(|_, _| {}).on_remove(|_, _| {});
    world
}

/// The limit for entities without observed components, relative to a world without observers.
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

/// Adds a component with an empty observer to every entity; the baseline calls four closures for each.
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
    fn with_books() -> Sample {
        let (world, ids) = filled();
        let mut books = Books::new(&ids);
        books.observe(None, |id: &mut Entity, _| {
            black_box(*id);
        });
        let work = move |(world, ids): &mut (World, Vec<Entity>)| {
            let extra = black_box(Extra(1.0));
            for &(mut id) in &*ids {
                world.entity_mut(id).insert(extra);
                black_box(&mut books).trigger(None, &mut id);
            }
        };
        undone((world, ids), work, undo)
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
            Contestant::new("honest limit: unobserved, and an event by hand with all books", None, with_books),
        ],
    }
}

/// Spawns entities in one batch, with an empty hook.
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

/// Adds an observed component to all entities in one call, with an observer of the batch, of each entity, or of the components of each
/// entity.
fn insert_all<const COUNT: usize>() -> Bench {
    #[derive(Resource, Default)]
    struct Total(f64);

    #[observer]
    fn each(_: On<Insert<Extra>>, extra: &Extra, mut total: ResMut<Total>) {
        total.0 += f64::from(extra.0);
    }

    /// A second observer whose rows do not depend on each other.
    #[observer]
    fn double(_: On<Insert<Extra>>, extra: &mut Extra) {
        extra.0 *= 2.0;
    }

    fn sample<const COUNT: usize>(observe: impl FnOnce(&mut World)) -> Sample {
        let mut world = World::new();
        world.init_resource::<Total>();
        observe(&mut world);
        world.spawn_batch((0..COUNT).map(|_| Kept(1.0)));
        let insert = |world: &mut World| {
            assert_eq!(world.all::<With<Kept>>().insert(black_box(Extra(1.0))), COUNT);
        };
        undone(world, insert, |world| assert_eq!(world.all::<With<Extra>>().remove::<Extra>(), COUNT))
    }
    fn unobserved<const COUNT: usize>() -> Sample {
        sample::<COUNT>(|_| {})
    }
    fn batches<const COUNT: usize>() -> Sample {
        sample::<COUNT>(|world| {
            world.add_observer(|batch: OnBatch<Insert<Extra>>, mut total: ResMut<Total>| {
                total.0 += batch.entities().len() as f64;
            });
        })
    }
    /// The sum of a per-entity observer, by hand: kept in memory from row to row, like a resource, or in a register.
    fn by_hand<const COUNT: usize, const IN_MEMORY: bool>() -> Sample {
        sample::<COUNT>(|world| {
            let add = |batch: OnBatch<Insert<Extra>>, extras: Query<&Extra>, mut total: ResMut<Total>| {
                let extras = extras.contiguous_many(batch.entities()).expect("they lie together");
                let mut sum = total.0;
                for extra in extras {
                    let sum = if IN_MEMORY { black_box(&mut sum) } else { &mut sum };
                    *sum += f64::from(extra.0);
                }
                total.0 = sum;
            };
            world.add_observer(add);
        })
    }
    fn components<const COUNT: usize>() -> Sample {
        sample::<COUNT>(|world| _ = world.add_observer(each))
    }
    fn changes<const COUNT: usize>() -> Sample {
        sample::<COUNT>(|world| _ = world.add_observer(double))
    }
    fn events<const COUNT: usize>() -> Sample {
        sample::<COUNT>(|world| {
            world.add_observer(|_: On<Insert<Extra>>, mut total: ResMut<Total>| total.0 += 1.0);
        })
    }
    let is_small = COUNT <= ROWS;
    let of_each = Some(if is_small { 1.5 } else { 2.5 });
    Bench {
        file: "observed",
        name: if is_small { "insert by query 10k, observers" } else { "insert by query 1M, observers" },
        rows: COUNT,
        contestants: vec![
            Contestant::new("nothing observed", None, unobserved::<COUNT>),
            Contestant::new("one of batches", Some(1.05), batches::<COUNT>),
            Contestant::new("one of each, #[observer]", of_each, components::<COUNT>),
            Contestant::new("one of each, #[observer], which doubles", of_each, changes::<COUNT>),
            Contestant::new("one of each, a closure", None, events::<COUNT>),
            Contestant::new("one of batches, a sum in memory by hand", None, by_hand::<COUNT, true>),
            Contestant::new("one of batches, a sum in a register by hand", None, by_hand::<COUNT, false>),
        ],
    }
}
