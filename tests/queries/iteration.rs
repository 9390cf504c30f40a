//! The ways to visit what matches, and that they agree.

use strata_tests::panics::catch;

use super::*;

#[test]
fn loops_internal_iteration_and_slices_visit_the_same_rows() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<(Entity, &A)>();

    let mut by_loop = Vec::new();
    for (entity, a) in query.iter(&world) {
        by_loop.push((entity, *a));
    }
    let mut by_for_each = Vec::new();
    query.iter(&world).for_each(|(entity, a)| by_for_each.push((entity, *a)));
    let by_fold = query.iter(&world).fold(Vec::new(), |mut all, (entity, a)| {
        all.push((entity, *a));
        all
    });
    let mut by_slices = Vec::new();
    for (entities, values) in query.contiguous_iter(&world) {
        assert_eq!(entities.len(), values.len());
        assert!(!entities.is_empty(), "an empty table is no chunk");
        by_slices.extend(entities.iter().copied().zip(values.iter().copied()));
    }
    assert_eq!(by_loop, by_for_each);
    assert_eq!(by_loop, by_fold);
    assert_eq!(by_loop, by_slices);
    by_loop.sort();
    by_loop.dedup();
    assert_eq!(by_loop.len(), numbers(|i| i % 7 != 0).len());
}

#[test]
fn sparse_terms_visit_the_same_rows_in_a_loop_and_inside() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query_filtered::<(Entity, &S, Option<&A>), Without<Tag>>();
    let by_loop: Vec<(Entity, S)> = {
        let mut rows = Vec::new();
        for (entity, s, _) in query.iter(&world) {
            rows.push((entity, *s));
        }
        rows
    };
    let mut inside = Vec::new();
    query.iter(&world).for_each(|(entity, s, _)| inside.push((entity, *s)));
    assert_eq!(by_loop, inside);
    assert_eq!(by_loop.len(), numbers(|i| (i % 4 == 0 || i % 7 == 0) && i % 5 != 0).len());
}

#[test]
fn a_partly_consumed_iterator_goes_on_inside() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<&A>();
    let all: Vec<u32> = query.iter(&world).map(|a| a.0).collect();
    for consumed in 0..=all.len() {
        let mut iter = query.iter(&world);
        let mut seen: Vec<u32> = iter.by_ref().take(consumed).map(|a| a.0).collect();
        iter.for_each(|a| seen.push(a.0));
        assert_eq!(seen, all, "after {consumed}");
    }
}

#[test]
fn size_hints_are_true() {
    let mut world = World::new();
    zoo(&mut world);
    let mut dense = world.query::<&A>();
    let mut filtered = world.query_filtered::<Entity, With<Tag>>();
    let mut iter = dense.iter(&world);
    let mut left = numbers(|i| i % 7 != 0).len();
    loop {
        let (low, high) = iter.size_hint();
        assert_eq!((low, high), (left, Some(left)));
        if iter.next().is_none() {
            break;
        }
        left -= 1;
    }
    assert_eq!(left, 0);
    let (low, high) = filtered.iter(&world).size_hint();
    assert!(low <= 12 && high.is_none_or(|high| high >= 12));
}

#[test]
fn an_exhausted_iterator_stays_exhausted() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<&A>();
    let mut iter = query.iter(&world);
    while iter.next().is_some() {}
    assert!(iter.next().is_none());
    assert!(iter.next().is_none());
}

#[test]
fn a_query_is_iterated_by_reference_and_by_value() {
    let mut world = World::new();
    zoo(&mut world);
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    let mut count = 0;
    for a in &query {
        let _: &A = a;
        count += 1;
    }
    for mut a in &mut query {
        a.0 += 1;
        count += 1;
    }
    for mut a in query {
        a.0 += 1;
        count += 1;
    }
    assert_eq!(count, 3 * numbers(|i| i % 7 != 0).len());
}

#[test]
fn nested_loops_over_a_shared_query_see_every_pair() {
    let mut world = World::new();
    world.spawn_batch((0..5).map(A));
    let mut state = world.query::<&A>();
    let query = state.query(&world);
    let mut pairs = 0;
    for a in &query {
        for b in &query {
            pairs += usize::from(a.0 != b.0);
        }
    }
    assert_eq!(pairs, 20);
}

#[test]
fn slices_can_be_written() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<(&mut A, Option<&B>, Has<C>, Entity)>();
    let mut rows = 0;
    for (values, names, has_c, ids) in query.contiguous_iter_mut(&mut world) {
        assert_eq!(values.len(), ids.len());
        if let Some(names) = names {
            assert_eq!(names.len(), ids.len());
        }
        for (value, id) in values.iter_mut().zip(ids) {
            assert_eq!(entities[value.0 as usize], *id);
            assert_eq!(has_c, value.0 % 3 == 0);
            value.0 += 1;
            rows += 1;
        }
    }
    assert_eq!(rows, numbers(|i| i % 7 != 0).len());
    assert_eq!(world.get::<A>(entities[1]), Some(&A(2)));
}

#[test]
fn slices_are_equally_long_for_zero_sized_components() {
    let mut world = World::new();
    zoo(&mut world);
    let mut rows = 0;
    for (units, ids) in world.query::<(&C, Entity)>().contiguous_iter(&world) {
        assert_eq!(units.len(), ids.len());
        rows += units.len();
    }
    assert_eq!(rows, 20);
}

#[test]
fn count_and_is_empty_agree_with_iteration() {
    let mut world = World::new();
    zoo(&mut world);
    let mut dense = world.query::<&A>();
    let mut sparse = world.query_filtered::<(), (With<S>, Without<Tag>)>();
    assert_eq!(dense.query(&world).count(), dense.iter(&world).count());
    assert_eq!(sparse.query(&world).count(), sparse.iter(&world).count());
    assert!(!dense.is_empty(&world));
    let mut none = world.query_filtered::<&A, With<Other>>();
    assert!(none.is_empty(&world));
    assert!(none.query(&world).is_empty());
    world.clear_entities();
    assert!(dense.is_empty(&world));
    assert_eq!(sparse.query(&world).count(), 0);
}

#[test]
fn queries_skip_rows_that_were_despawned() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<&A>();
    let before = query.iter(&world).count();
    for entity in entities.iter().skip(1).step_by(7) {
        world.despawn(*entity);
    }
    assert_eq!(query.iter(&world).count(), before - entities.iter().skip(1).step_by(7).count());
    assert!(query.iter(&world).all(|a| a.0 % 7 != 1));
}

#[test]
fn iterators_are_cloned_where_they_only_read() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(A));
    let mut query = world.query::<&A>();
    let mut iter = query.iter(&world);
    iter.next();
    assert_eq!(iter.clone().count(), 2);
    assert_eq!(iter.count(), 2);
}

#[test]
fn sparse_filters_cut_slices_into_runs_of_rows_that_match() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query_filtered::<(Entity, &A), Without<Tag>>();
    let mut rows = Vec::new();
    for (ids, values) in query.contiguous_iter(&world) {
        assert!(!ids.is_empty());
        assert_eq!(ids.len(), values.len());
        for (id, a) in ids.iter().zip(values) {
            assert_eq!(entities[a.0 as usize], *id);
            rows.push(a.0);
        }
    }
    rows.sort_unstable();
    assert_eq!(rows, numbers(|i| i % 7 != 0 && i % 5 != 0));
}

#[test]
fn sparse_values_come_as_slices_of_one_row() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<(&A, &S)>();
    let mut rows = Vec::new();
    for (a, s) in query.contiguous_iter(&world) {
        assert_eq!((a.len(), s.len()), (1, 1));
        assert_eq!(a[0].0, s[0].0);
        rows.push(a[0].0);
    }
    rows.sort_unstable();
    assert_eq!(rows, numbers(|i| i % 7 != 0 && i % 4 == 0));
}

#[test]
fn slices_of_references_are_read_as_slices_are() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(A));
    let mut query = world.query::<Ref<'_, A>>();
    let mut changed = world.query_filtered::<&A, Changed<A>>();
    world.clear_trackers();
    let slice = query.contiguous_iter(&world).next().unwrap();
    assert_eq!((slice.len(), slice.is_empty(), slice[2].0), (3, false, 2));
    assert_eq!(
        slice.iter().map(|health| (health.0, health.is_changed())).collect::<Vec<_>>(),
        [0, 1, 2].map(|n| (n, false))
    );
    assert_eq!(format!("{slice:?}"), "RefSlice([A(0), A(1), A(2)])");
    strata_tests::panics::expect_panic(|| slice[3].0);
    let mut writes = world.query::<Mut<'_, A>>();
    for mut slice in writes.contiguous_iter_mut(&mut world) {
        assert_eq!(slice.iter_mut().len(), 3);
        slice.iter_mut().for_each(|mut health| {
            health.set_if_neq(A(1));
        });
        assert_eq!(format!("{slice:?}"), "MutSlice([A(1), A(1), A(1)])");
        assert_eq!(slice[0], A(1));
    }
    assert_eq!(changed.iter(&world).count(), 2, "one was 1 before");
}

/// Searches iterators for each of their items, by every method, and asserts that they then continue after the item.
fn search(all: impl Iterator<Item = Entity> + Clone, first: impl IntoIterator<Item = usize>) {
    let list: Vec<Entity> = all.clone().collect();
    for first in first {
        let left = &list[list.len().min(first)..];
        let mut start = all.clone();
        if first != 0 {
            assert_eq!(start.nth(first - 1), list.get(first - 1).copied());
        }
        assert_eq!(start.clone().count(), left.len());
        assert_eq!(start.clone().last(), left.last().copied());
        for at in 0..left.len() + 1 {
            let (found, behind) = (left.get(at).copied(), left.get(at + 1..).unwrap_or_default());
            let mut iter = start.clone();
            assert_eq!(iter.nth(at), found);
            assert_eq!(iter.collect::<Vec<_>>(), behind);
            let mut iter = start.clone();
            assert_eq!(iter.any(|item| Some(item) == found), found.is_some());
            assert_eq!(iter.collect::<Vec<_>>(), behind);
            let mut iter = start.clone();
            assert_eq!(iter.all(|item| Some(item) != found), found.is_none());
            assert_eq!(iter.collect::<Vec<_>>(), behind);
            let mut iter = start.clone();
            assert_eq!(iter.find(|item| Some(*item) == found), found);
            assert_eq!(iter.collect::<Vec<_>>(), behind);
            let mut iter = start.clone();
            assert_eq!(iter.find_map(|item| (Some(item) == found).then_some(item.index())), found.map(Entity::index));
            assert_eq!(iter.collect::<Vec<_>>(), behind);
            let mut iter = start.clone();
            assert_eq!(iter.position(|item| Some(item) == found), found.map(|_| at));
            assert_eq!(iter.collect::<Vec<_>>(), behind);
        }
    }
}

#[test]
fn searches_find_what_searches_in_a_list_find() {
    let mut world = World::new();
    zoo(&mut world);
    let mut dense = world.query_filtered::<Entity, With<A>>();
    let mut sparse = world.query_filtered::<Entity, (With<A>, With<Tag>)>();
    let mut without = world.query_filtered::<Entity, Without<S>>();
    search(dense.iter(&world), [0, 1, 17, 50, 51, 60]);
    search(sparse.iter(&world), [0, 1, 5, 20]);
    search(without.iter(&world), [0, 3, 30, 90]);
}

#[test]
fn a_row_that_a_search_has_given_out_does_not_come_again_after_a_panic() {
    let mut world = World::new();
    zoo(&mut world);
    let mut query = world.query::<&mut A>();
    let count = query.iter(&world).count();
    let mut iter = query.iter_mut(&mut world);
    let mut kept = Vec::new();
    catch(|| {
        iter.any(|a| {
            kept.push(a);
            assert!(kept.len() < 10, "broken off");
            false
        })
    })
    .expect_err("the tenth breaks off");
    kept.extend(iter);
    assert_eq!(kept.len(), count);
    for a in &mut kept {
        a.0 += 1000;
    }
    drop(kept);
    assert!(query.iter(&world).all(|a| a.0 >= 1000 && a.0 < 2000));
}
