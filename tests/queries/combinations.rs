//! Combinations of several rows of one query.

use std::collections::HashSet;

use super::*;

#[test]
fn every_set_of_rows_comes_once() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query_filtered::<&A, With<C>>();
    let rows: Vec<u32> = query.iter(&world).map(|a| a.0).collect();
    let n = rows.len();
    let pairs: Vec<[u32; 2]> = query.iter_combinations::<2>(&world).map(|pair| pair.map(|a| a.0)).collect();
    assert_eq!(pairs.len(), n * (n - 1) / 2);
    let unordered: HashSet<[u32; 2]> = pairs
        .into_iter()
        .map(|mut pair| {
            pair.sort_unstable();
            pair
        })
        .collect();
    assert_eq!(unordered.len(), n * (n - 1) / 2);
    assert!(unordered.iter().all(|[a, b]| a != b));
    assert_eq!(query.iter_combinations::<3>(&world).count(), n * (n - 1) * (n - 2) / 6);
    assert_eq!(query.iter_combinations::<1>(&world).count(), n);
}

#[test]
fn more_places_than_rows_give_nothing() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(A));
    let mut query = world.query::<&A>();
    assert_eq!(query.iter_combinations::<3>(&world).count(), 1);
    assert_eq!(query.iter_combinations::<4>(&world).count(), 0);
    world.clear_entities();
    assert_eq!(query.iter_combinations::<2>(&world).count(), 0);
}

#[test]
fn sparse_filters_apply_to_every_place() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query_filtered::<&S, With<Tag>>();
    let rows = query.iter(&world).count();
    assert!(rows > 2);
    assert_eq!(query.iter_combinations::<2>(&world).count(), rows * (rows - 1) / 2);
}

#[test]
fn writing_combinations_give_distinct_rows() {
    let mut world = World::new();
    let entities: Vec<Entity> =
        (0..6).map(|i| if i % 2 == 0 { world.spawn(A(0)).id() } else { world.spawn((A(0), C)).id() }).collect();
    let mut state = world.query::<(Entity, &mut A)>();
    let mut query = state.query_mut(&mut world);
    let mut combinations = query.iter_combinations_mut::<2>();
    let mut pairs = 0;
    while let Some([(first, mut a), (second, mut b)]) = combinations.fetch_next() {
        assert_ne!(first, second);
        a.0 += 1;
        b.0 += 1;
        pairs += 1;
    }
    assert_eq!(pairs, 15);
    for entity in entities {
        assert_eq!(world.get::<A>(entity), Some(&A(5)));
    }
}
