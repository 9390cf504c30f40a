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

/// The hint counts what really comes.
fn hints<const K: usize>(query: &mut QueryState<&A>, world: &World) {
    let mut combinations = query.iter_combinations::<K>(world);
    for left in (0..query_len::<K>(world)).rev() {
        assert!(combinations.next().is_some());
        assert_eq!(combinations.size_hint(), (left, Some(left)));
    }
    assert!(combinations.next().is_none());
    assert_eq!(combinations.size_hint(), (0, Some(0)));
}

fn query_len<const K: usize>(world: &World) -> usize {
    world.try_query::<&A>().unwrap().iter_combinations::<K>(world).fold(0, |count, _| count + 1)
}

#[test]
fn the_hint_is_exact() {
    let mut world = World::new();
    world.spawn_batch((0..7).map(A));
    let mut query = world.query::<&A>();
    assert_eq!(query.iter_combinations::<2>(&world).size_hint(), (21, Some(21)));
    assert_eq!(query.iter_combinations::<7>(&world).size_hint(), (1, Some(1)));
    assert_eq!(query.iter_combinations::<8>(&world).size_hint(), (0, Some(0)));
    hints::<1>(&mut query, &world);
    hints::<2>(&mut query, &world);
    hints::<4>(&mut query, &world);
    hints::<7>(&mut query, &world);
    // More than are counted.
    world.spawn_batch((0..1000).map(A));
    assert_eq!(query.iter_combinations::<10>(&world).size_hint(), (usize::MAX, None));
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
