//! `Query::par_iter` and its kin.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use strata_ecs::prelude::*;
use strata_ecs::query::BatchingStrategy;

use super::{Number, Random, Rare, Step, THREADS, Tag, scene};

/// Some work, of which the compiler does not see the end.
fn mix(number: u64) -> u64 {
    (0..20).fold(number, |number, _| number.rotate_left(7).wrapping_mul(31) ^ 5)
}

/// Returns the values and changes in the world, in the order of a query.
fn state(world: &mut World) -> Vec<(Entity, Option<Number>, Option<Rare>)> {
    world
        .query::<(Entity, Option<&Number>, Option<&Rare>)>()
        .iter(world)
        .map(|(e, n, r)| (e, n.copied(), r.copied()))
        .collect()
}

/// Runs a loop in a plain way and on several threads, several times, and compares what comes of it.
#[track_caller]
fn same<D, F>(change: impl Fn(D::Item<'_, '_>) + Send + Sync + Copy)
where
    D: QueryData + 'static,
    F: QueryFilter + 'static,
{
    let mut outcomes = Vec::new();
    for threads in [0].into_iter().chain(THREADS) {
        let mut world = scene(7, threads.max(1));
        let mut query = world.query_filtered::<D, F>();
        let mut numbers = world.query_filtered::<Entity, Changed<Number>>();
        let mut rares = world.query_filtered::<Entity, Changed<Rare>>();
        let mut random = Random(5);
        let mut told = Vec::new();
        for round in 0..5 {
            match threads {
                0 => query.iter_mut(&mut world).for_each(change),
                _ if round == 2 => {
                    let mut query = query.query_mut(&mut world);
                    query.par_iter_mut().batching_strategy(BatchingStrategy::fixed(3)).for_each(change);
                }
                _ => query.par_iter_mut(&mut world).for_each(change),
            }
            world.increment_change_tick();
            told.push([numbers.iter(&world).collect::<Vec<_>>(), rares.iter(&world).collect()]);
            told.push([state(&mut world).into_iter().map(|(entity, ..)| entity).collect(), Vec::new()]);
            world.clear_trackers();
            let all: Vec<Entity> = world.query_filtered::<Entity, With<Number>>().iter(&world).collect();
            for _ in 0..50 * round {
                let entity = all[random.below(all.len() as u64) as usize];
                world.get_mut::<Number>(entity).expect("it has one").0 += 1;
            }
        }
        outcomes.push((told, state(&mut world)));
    }
    let plain = outcomes.remove(0);
    for (told, state) in &mut outcomes {
        assert_eq!(*state, plain.1);
        // A plain loop over changes leaves them in the order in which it came by, and one on several threads by row.
        for ([a, b], [c, d]) in told.iter_mut().zip(&plain.0) {
            let sorted = |list: &Vec<Entity>| {
                let mut list = list.clone();
                list.sort_unstable();
                list
            };
            assert_eq!((sorted(a), sorted(b)), (sorted(c), sorted(d)));
        }
    }
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "the same order on any number of threads");
}

#[test]
fn all_values_of_a_column() {
    same::<&mut Number, ()>(|mut number| number.0 = mix(number.0));
}

#[test]
fn some_values_of_a_column() {
    same::<(&mut Number, &Step), ()>(|(mut number, step)| {
        if step.0 == 3 {
            number.0 = mix(number.0);
        }
    });
}

#[test]
fn few_values_of_a_column() {
    same::<(&mut Number, Entity), ()>(|(mut number, entity)| {
        if entity.index() % 97 == 3 {
            number.0 = mix(number.0);
        }
    });
}

#[test]
fn rows_that_were_changed() {
    same::<(&mut Number, Option<&Step>), Changed<Number>>(|(mut number, step)| {
        if step.is_none_or(|step| step.0 < 5) {
            number.0 = mix(number.0);
        }
    });
    same::<(&mut Number, Option<&Step>), Or<(Changed<Number>, Added<Step>)>>(|(mut number, _)| {
        number.0 = mix(number.0)
    });
}

#[test]
fn rows_with_sparse_components() {
    same::<(&mut Number, &mut Rare), ()>(|(mut number, mut rare)| {
        rare.0 += mix(number.0) % 2;
        if rare.0.is_multiple_of(2) {
            number.0 += rare.0;
        }
    });
    same::<(&mut Number, Option<&mut Rare>), With<Tag>>(|(mut number, rare)| {
        number.0 = mix(number.0);
        if let Some(mut rare) = rare {
            rare.0 += 1;
        }
    });
    same::<&mut Number, Without<Tag>>(|mut number| number.0 = mix(number.0));
    same::<(&mut Number, &mut Rare), Changed<Rare>>(|(mut number, mut rare)| {
        number.0 += rare.0;
        if number.0.is_multiple_of(3) {
            rare.0 += 1;
        }
    });
}

#[test]
fn each_entity_comes_once() {
    for threads in THREADS {
        let mut world = scene(3, threads);
        let mut query = world.query_filtered::<Entity, Without<Tag>>();
        let expected: Vec<Entity> = query.iter(&world).collect();
        for batch in [None, Some(1), Some(63), Some(usize::MAX)] {
            let strategy = batch.map_or_else(BatchingStrategy::new, BatchingStrategy::fixed);
            let seen = Mutex::new(Vec::new());
            let query = query.query(&world);
            query.par_iter().batching_strategy(strategy).for_each(|entity| seen.lock().unwrap().push(entity));
            let mut seen = seen.into_inner().unwrap();
            let mut expected = expected.clone();
            expected.sort_unstable();
            seen.sort_unstable();
            assert_eq!(seen, expected, "batches of {batch:?}");
        }
    }
}

#[test]
fn an_empty_query_calls_nothing() {
    let mut world = World::new();
    let mut query = world.query::<&Number>();
    query.par_iter(&world).for_each_init(|| panic!("no value is needed"), |(), _| panic!("there is nothing"));
}

#[test]
fn a_value_is_made_for_each_batch() {
    for threads in THREADS {
        let mut world = scene(3, threads);
        let mut query = world.query::<&Step>();
        let (made, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let query = query.query(&world);
        query.par_iter().batching_strategy(BatchingStrategy::fixed(10)).for_each_init(
            || {
                made.fetch_add(1, Ordering::Relaxed);
                0
            },
            |nth, _| {
                *nth += 1;
                assert!(*nth <= 10);
                count.fetch_add(1, Ordering::Relaxed);
            },
        );
        let entities = query.iter().count();
        assert_eq!((made.into_inner(), count.into_inner()), (entities.div_ceil(10), entities));
    }
}

#[test]
fn a_panic_comes_out_and_the_world_can_be_used() {
    for threads in THREADS {
        let mut world = scene(1, threads);
        let mut query = world.query::<(Entity, &mut Number)>();
        let victim = query.iter(&world).nth(2000).expect("there are more").0;
        let panic = catch_unwind(AssertUnwindSafe(|| {
            query.par_iter_mut(&mut world).for_each(|(entity, mut number)| {
                assert_ne!(entity, victim, "this one");
                number.0 = mix(number.0);
            });
        }));
        let text = panic.expect_err("a row panics");
        assert!(text.downcast_ref::<String>().expect("with a text").contains("this one"));
        world.check_invariants();
        query.par_iter_mut(&mut world).for_each(|(_, mut number)| number.0 = 1);
        assert!(query.iter(&world).all(|(_, number)| number.0 == 1));
    }
}

#[test]
fn loops_inside_loops() {
    for threads in THREADS {
        let mut world = scene(1, threads);
        let (mut outer, mut inner) = (world.query::<&Rare>(), world.query::<&Step>());
        let (outer, inner) = (outer.query(&world), inner.query(&world));
        let expected = outer.iter().count() * inner.iter().count();
        let count = AtomicUsize::new(0);
        outer.par_iter().batching_strategy(BatchingStrategy::fixed(5)).for_each(|_| {
            inner.par_iter().for_each(|_| _ = count.fetch_add(1, Ordering::Relaxed));
        });
        assert_eq!(count.into_inner(), expected);
    }
}
