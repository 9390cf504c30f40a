//! Rows as slices, and lists of entities, on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use strata_ecs::entity::UniqueEntityVec;
use strata_ecs::query::{BatchingStrategy, ContiguousQueryData, QueryEntityError, QueryFilter, ReadOnlyQueryData};
use strata_ecs::utils::Parallel;
use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Number(u32);
#[derive(Component)]
struct Odd;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Aside(u32);

/// Numbers in two tables, every third with a sparse component.
fn filled(count: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = (0..count).map(|number| {
        let mut entity = world.spawn(Number(number));
        if number % 2 == 1 {
            entity.insert(Odd);
        }
        if number % 3 == 0 {
            entity.insert(Aside(number));
        }
        entity.id()
    });
    let ids = ids.collect();
    (world, ids)
}

/// The numbers that slices on several threads have, and those that a plain loop has.
fn both<D, F>(world: &mut World, read: impl for<'w, 's> Fn(D::Contiguous<'w, 's>) -> Vec<u32> + Sync + Send)
where
    D: ReadOnlyQueryData<ReadOnly = D> + ContiguousQueryData + QueryData,
    F: QueryFilter,
{
    let mut state = world.query_filtered::<D, F>();
    let mut expected: Vec<u32> = state.contiguous_iter(world).flat_map(&read).collect();
    expected.sort_unstable();
    for strategy in [BatchingStrategy::new(), BatchingStrategy::fixed(1), BatchingStrategy::fixed(1000)] {
        let found = Mutex::new(Vec::new());
        let slices = state.contiguous_par_iter(world).unwrap().batching_strategy(strategy);
        slices.for_each(|slice| found.lock().unwrap().extend(read(slice)));
        let mut found = found.into_inner().unwrap();
        found.sort_unstable();
        assert_eq!(found, expected, "{strategy:?}");
    }
}

fn numbers(slice: &[Number]) -> Vec<u32> {
    slice.iter().map(|number| number.0).collect()
}

#[test]
fn slices_on_several_threads_have_each_row_once() {
    for count in [0, 1, 63, 64, 65, 5000] {
        let (mut world, _) = filled(count);
        both::<&Number, ()>(&mut world, numbers);
        both::<&Number, With<Odd>>(&mut world, numbers);
        both::<&Number, With<Aside>>(&mut world, numbers);
        both::<&Number, (With<Odd>, Without<Aside>)>(&mut world, numbers);
        both::<&Aside, ()>(&mut world, |slice| slice.iter().map(|aside| aside.0).collect());
        both::<&Aside, With<Odd>>(&mut world, |slice| slice.iter().map(|aside| aside.0).collect());
    }
}

#[test]
fn slices_on_several_threads_see_changes_and_make_them() {
    let (mut world, ids) = filled(3000);
    let mut changed = world.query_filtered::<Entity, Changed<Number>>();
    world.clear_trackers();
    for &id in ids.iter().step_by(7) {
        world.get_mut::<Number>(id).unwrap().0 += 10_000;
    }
    both::<&Number, Changed<Number>>(&mut world, numbers);
    let mut write = world.query_filtered::<&mut Number, Changed<Number>>();
    let count = AtomicUsize::new(0);
    write.contiguous_par_iter_mut(&mut world).for_each(|slice| {
        count.fetch_add(slice.len(), Ordering::Relaxed);
        slice.iter_mut().for_each(|number| number.0 -= 10_000);
    });
    assert_eq!(count.into_inner(), ids.len().div_ceil(7));
    world.clear_trackers();
    let mut write = world.query_filtered::<&mut Number, With<Odd>>();
    write.contiguous_par_iter_mut(&mut world).batching_strategy(BatchingStrategy::fixed(1)).for_each(|slice| {
        slice.iter_mut().for_each(|number| number.0 *= 2);
    });
    let found: Vec<Entity> = changed.iter(&world).collect();
    let expected: Vec<Entity> = ids.iter().copied().skip(1).step_by(2).collect();
    assert!(found.len() == expected.len() && expected.iter().all(|id| found.contains(id)));
    for (number, &id) in (0..).zip(&ids) {
        assert_eq!(world.get(id), Some(&Number(if number % 2 == 1 { number * 2 } else { number })));
    }
}

#[test]
fn a_panic_in_a_slice_reaches_the_caller() {
    let (mut world, _) = filled(1000);
    let mut state = world.query::<&Number>();
    let panic = expect_panic(|| {
        state.contiguous_par_iter(&world).for_each(|slice| assert!(slice[0].0 == 0, "not the first slice"));
    });
    assert!(panic.contains("not the first slice"), "{panic}");
}

#[test]
fn a_list_on_several_threads_yields_each_of_its_entities_or_says_why_not() {
    let (mut world, mut ids) = filled(2000);
    let dead = ids[5];
    world.despawn(dead);
    ids.push(ids[7]);
    let mut state = world.query_filtered::<&Number, With<Odd>>();
    let query = state.query(&world);
    for strategy in [BatchingStrategy::new(), BatchingStrategy::fixed(3)] {
        let (total, even, gone) = (AtomicU32::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        query.par_iter_many(&ids).batching_strategy(strategy).for_each(|number| match number {
            Ok(number) => _ = total.fetch_add(number.0, Ordering::Relaxed),
            Err(QueryEntityError::NotSpawned(error)) => {
                assert_eq!(error.entity(), dead);
                gone.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => _ = even.fetch_add(1, Ordering::Relaxed),
        });
        assert_eq!((total.into_inner(), even.into_inner(), gone.into_inner()), (1_000_000 - 5 + 7, 1000, 1));
    }
    query.par_iter_many([] as [Entity; 0]).for_each(|_| unreachable!());
}

#[test]
fn a_list_of_unique_entities_on_several_threads_is_read() {
    let (mut world, ids) = filled(300);
    let unique = UniqueEntityVec::try_new(ids.clone()).unwrap();
    let mut state = world.query::<(Entity, &Number)>();
    let query = state.query(&world);
    let mut seen = Parallel::<Vec<Entity>>::default();
    query
        .par_iter_many_unique(&unique)
        .for_each_init(|| seen.borrow_local_mut(), |seen, found| seen.push(found.unwrap().0));
    let mut all = Vec::new();
    seen.drain_into(&mut all);
    all.sort_unstable();
    let mut expected = ids;
    expected.sort_unstable();
    assert_eq!(all, expected);
}

#[test]
fn values_for_threads_are_borrowed_one_by_one_and_kept() {
    let mut values = Parallel::<Vec<u32>>::default();
    {
        let (mut first, mut second) = (values.borrow_local_mut(), values.borrow_local_mut());
        first.push(1);
        second.extend([2, 3]);
    }
    values.scope(|values| values.push(4));
    assert_eq!(values.iter_mut().count(), 2);
    let mut drained: Vec<u32> = values.drain().collect();
    drained.sort_unstable();
    assert_eq!(drained, [1, 2, 3, 4]);
    assert_eq!(values.iter_mut().map(|values| values.len()).sum::<usize>(), 0);
    values.clear();
    assert_eq!(values.iter_mut().count(), 0);
    // A value comes back from a scope that panics.
    let panic = expect_panic(|| values.scope_or(|| vec![9], |_| panic!("in the scope")));
    assert!(panic.contains("in the scope"), "{panic}");
    assert_eq!(values.drain().collect::<Vec<_>>(), [9]);
}

#[test]
fn a_query_of_mut_that_is_read_yields_ref_with_ticks() {
    let (mut world, ids) = filled(10);
    let mut state = world.query::<(Mut<'_, Number>, &mut Aside)>();
    let _watcher = world.query_filtered::<(), Changed<Number>>();
    world.clear_trackers();
    world.get_mut::<Number>(ids[3]).unwrap().0 = 77;
    let found: Vec<(u32, bool)> =
        state.iter(&world).map(|(number, aside): (Ref<'_, Number>, &Aside)| (aside.0, number.is_changed())).collect();
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|&(number, is_changed)| is_changed == (number == 3)));
    let mut slices = world.query::<Mut<'_, Number>>();
    let slices = slices.contiguous_iter(&world).map(ContiguousRef::split);
    let changed: Vec<u32> = slices
        .flat_map(|(numbers, ticks)| numbers.iter().zip(ticks.is_changed_iter()).filter(|row| row.1).map(|row| row.0.0))
        .collect();
    assert_eq!(changed, [77]);
    let mut slices = world.query::<Ref<'_, Number>>();
    assert!(slices.contiguous_iter(&world).all(|slice| slice.is_added_iter().len() == slice.len()));
}
