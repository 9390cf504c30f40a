//! Going through lists of entities in worlds that are so large that what the entities lead to is fetched ahead.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::iter;

use strata_ecs::entity::UniqueEntityVec;
use strata_tests::panics::expect_panic;

use super::*;

/// More than from where on ids are read ahead.
const ENTITIES: u32 = 70_000;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Number(u32);
#[derive(Component)]
struct Large([u64; 100]);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside(u32);

/// A world whose entities are in three tables and a sparse storage, and a list of ids: each matches unless its number is a
/// multiple of 5, and the world does not know what is a multiple of 7 any more.
fn filled() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids: Vec<Entity> = Vec::new();
    for number in 0..ENTITIES {
        let mut entity = world.spawn_empty();
        if number % 5 != 0 {
            entity.insert(Number(number));
        }
        if number % 64 == 3 {
            entity.insert(Large([u64::from(number); 100]));
        }
        if number % 3 == 0 {
            entity.insert(Aside(number));
        }
        ids.push(entity.id());
    }
    (0..ids.len()).step_by(7).for_each(|at| _ = world.despawn(ids[at]));
    // In no order, so that an entity's neighbours in the list are elsewhere.
    let order = (0..ids.len()).map(|at| ids[at * 48_271 % ids.len()]);
    (world, order.collect())
}

fn expected(ids: &[Entity]) -> Vec<u32> {
    let numbers = ids.iter().map(|id| id.index());
    numbers.filter(|number| number % 5 != 0 && number % 7 != 0).collect()
}

#[test]
fn lists_of_each_kind_yield_what_matches_in_their_order() {
    let (mut world, mut ids) = filled();
    ids.extend_from_within(..1000); // Some twice.
    let expected = expected(&ids);
    let mut state = world.query::<&Number>();
    let query = state.query(&world);
    let each = |found: &Number| found.0;
    assert_eq!(query.iter_many(&ids).matched().map(each).collect::<Vec<_>>(), expected);
    assert_eq!(query.iter_many(ids.iter().copied()).matched().map(each).collect::<Vec<_>>(), expected);
    assert_eq!(query.iter_many(ids.iter().cloned()).matched().map(each).collect::<Vec<_>>(), expected);
    assert_eq!(query.iter_many(ids.clone()).matched().map(each).collect::<Vec<_>>(), expected);
    assert_eq!(query.iter_many(ids.iter().filter(|_| true)).matched().map(each).collect::<Vec<_>>(), expected);

    let mut one_by_one = Vec::new();
    for found in query.iter_many(&ids).matched() {
        one_by_one.push(found.0);
    }
    assert_eq!(one_by_one, expected);
    let (mut first, mut number) = (query.iter_many(ids.clone()).matched(), 0);
    while number < 10 && first.next().is_some_and(|found| found.0 == expected[number]) {
        number += 1;
    }
    let rest = first.map(each).collect::<Vec<_>>();
    assert_eq!((number, rest), (10, expected[10..].to_vec()));
}

/// Rows are guessed from ids while guesses are right, and looked up after wrong ones.
#[test]
fn entities_are_found_in_order_and_after_moves() {
    let mut world = World::new();
    let mut ids: Vec<Entity> = world.spawn_batch((0..ENTITIES).map(Number)).collect();
    // The last rows come to where others were, and ids come back with other generations, in rows at the end.
    let gone: Vec<Entity> = ids[..40_000].iter().copied().step_by(97).collect();
    assert_eq!(world.many(&gone).despawn(), gone.len());
    ids.extend(world.spawn_batch((0..300).map(|number| Number(ENTITIES + number))));
    // Entities of another table, one by one and many in a row.
    for &id in ids[20_000..20_500].iter().chain(ids[50_000..60_000].iter().step_by(33)) {
        if let Ok(mut entity) = world.get_entity_mut(id) {
            entity.insert(Large([0; 100]));
        }
    }
    let stranger = world.spawn_empty().id();
    ids.insert(30_000, stranger);
    let mut state = world.query::<(Entity, &Number)>();
    for step in [1, 48_271] {
        let list: Vec<Entity> = (0..ids.len()).map(|at| ids[at * step % ids.len()]).collect();
        let expected: Vec<(Entity, Number)> =
            list.iter().filter_map(|&id| Some((id, *world.get::<Number>(id)?))).collect();
        assert!(expected.len() > 60_000 && expected.len() < list.len());
        let query = state.query(&world);
        let found: Vec<_> = query.iter_many(&list).matched().map(|(entity, number)| (entity, *number)).collect();
        assert!(found == expected, "by step {step}");
        let count = query.iter_many(&list).fold(0, |count, found| count + usize::from(found.is_err()));
        assert_eq!(count, list.len() - expected.len());
    }
}

#[test]
fn terms_of_each_kind_are_read() {
    let (mut world, ids) = filled();
    let mut state = world.query::<(Entity, &Number, Option<&Large>, Option<&Aside>, Has<Aside>, Ref<'_, Number>)>();
    let found: Vec<u32> = state
        .query(&world)
        .iter_many(&ids)
        .matched()
        .map(|(entity, number, large, aside, has, _)| {
            assert_eq!((entity.index(), has, aside.is_some()), (number.0, number.0 % 3 == 0, has));
            assert_eq!(large.map(|large| large.0[99]), (number.0 % 64 == 3).then_some(u64::from(number.0)));
            assert!(aside.is_none_or(|aside| aside.0 == number.0));
            number.0
        })
        .collect();
    assert_eq!(found, expected(&ids));
    let mut filtered = world.query_filtered::<&Number, With<Aside>>();
    let thirds = expected(&ids).into_iter().filter(|number| number % 3 == 0);
    assert_eq!(
        filtered.query(&world).iter_many(&ids).matched().map(|found| found.0).collect::<Vec<_>>(),
        thirds.collect::<Vec<_>>()
    );
}

#[test]
fn values_are_changed_once_for_each_occurrence() {
    let (mut world, mut ids) = filled();
    let last = ids.len();
    ids.extend_from_within(..100);
    let mut state = world.query::<&mut Number>();
    let mut many = state.query_mut(&mut world).iter_many_inner(&ids).matched();
    while let Some(mut number) = many.fetch_next() {
        number.0 += ENTITIES;
    }
    for (at, &id) in ids[..last].iter().enumerate() {
        let times = if at < 100 { 2 } else { 1 };
        let expected = (id.index() % 5 != 0 && id.index() % 7 != 0).then_some(Number(id.index() + times * ENTITIES));
        assert_eq!(world.get::<Number>(id).copied(), expected);
    }

    let unique = UniqueEntityVec::try_new(ids[..last].to_vec()).unwrap();
    state.query_mut(&mut world).iter_many_unique_inner(&unique).matched().for_each(|mut number| number.0 %= ENTITIES);
    let numbers =
        world.query::<&Number>().iter_many(&world, &ids[..last]).matched().map(|number| number.0).collect::<Vec<_>>();
    assert_eq!(numbers, expected(&ids[..last]));
}

#[test]
fn fetching_ahead_does_not_count_as_a_change() {
    let (mut world, ids) = filled();
    let mut changed = world.query_filtered::<Entity, Changed<Number>>();
    assert!(changed.iter(&world).count() > 0);
    world.clear_trackers();
    let mut state = world.query::<&mut Number>();
    let mut many = state.query_mut(&mut world).iter_many_inner(&ids[..200]).matched();
    let mut touched = Vec::new();
    for _ in 0..3 {
        let mut number = many.fetch_next().unwrap();
        number.0 += 1;
        touched.push(number.0 - 1);
    }
    touched.sort_unstable();
    let mut found: Vec<u32> = changed.iter(&world).map(Entity::index).collect();
    found.sort_unstable();
    assert_eq!(found, touched);
}

/// Ids that are not there before the ones in front of them have been looked at.
#[test]
fn an_iterator_that_does_more_than_read_a_list_is_not_read_ahead() {
    let (mut world, ids) = filled();
    let mut state = world.query::<&Number>();
    let query = state.query(&world);
    let ids = &ids[..2000];
    let expected = expected(ids);

    let (queue, taken) = (RefCell::new(VecDeque::from([ids[0]])), Cell::new(1));
    let next = || {
        let id = queue.borrow_mut().pop_front()?;
        if let Some(&behind) = ids.get(taken.get()) {
            taken.set(taken.get() + 1);
            queue.borrow_mut().push_back(behind);
        }
        Some(id)
    };
    assert_eq!(query.iter_many(iter::from_fn(next)).matched().map(|found| found.0).collect::<Vec<_>>(), expected);

    let given = Cell::new(0);
    let counted = ids.iter().inspect(|_| given.set(given.get() + 1));
    for (at, found) in query.iter_many(counted).matched().enumerate() {
        assert_eq!((found.0, ids[given.get() - 1].index()), (expected[at], expected[at]));
    }

    let mut rest = ids.iter();
    let first: Vec<u32> = query.iter_many(rest.by_ref()).matched().map(|found| found.0).take(5).collect();
    let then: Vec<u32> = query.iter_many(rest).matched().map(|found| found.0).collect();
    assert_eq!([first, then].concat(), expected);
}

#[test]
fn a_query_that_is_used_up_yields_for_as_long_as_the_world_is_borrowed() {
    use strata_ecs::entity::UniqueEntityArray;

    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Number(n)).id());
    let mut state = world.query::<&mut Number>();
    let [mut first, second] = state.query_mut(&mut world).get_many_mut_inner([a, b]).unwrap();
    first.0 += second.0;
    assert!(state.query_mut(&mut world).get_many_mut_inner([a, a]).is_err());
    let set = UniqueEntityArray::try_new([b, a]).unwrap();
    let found = state.query_mut(&mut world).get_many_unique_inner(set).unwrap();
    assert_eq!(found.map(|number| number.0), [2, 3]);
    let all: Vec<Mut<'_, Number>> = state.query_mut(&mut world).iter_inner().collect();
    assert_eq!(all.len(), 2);
    let slices: Vec<&mut [Number]> = state.query_mut(&mut world).contiguous_iter_inner().collect();
    assert_eq!(slices.into_iter().map(|slice| slice.len()).sum::<usize>(), 2);
}

/// The list yields for each entity an item, or the reason why it has no item.
#[test]
fn each_entity_of_a_list_has_an_item_or_a_reason() {
    use strata_ecs::query::QueryEntityError;

    fn show(found: Result<&Number, QueryEntityError>) -> String {
        found.map_or_else(|error| error.to_string(), |number| number.0.to_string())
    }

    let (mut world, ids) = filled();
    let mut state = world.query::<&Number>();
    let query = state.query(&world);
    // In a list of this length what the entities lead to is fetched ahead, and in a short one it is not.
    for ids in [&ids[..], &ids[..40]] {
        let expected: Vec<String> = ids.iter().map(|&id| show(query.get(id))).collect();
        assert!(expected.iter().any(|shown| shown.contains("does not match")), "{:?}", &expected[..8]);
        let mut steps = query.iter_many(ids);
        assert_eq!(steps.len(), ids.len());
        assert_eq!(iter::from_fn(|| steps.next()).map(show).collect::<Vec<_>>(), expected);
        assert_eq!(query.iter_many(ids).map(show).collect::<Vec<_>>(), expected);
        let mut back: Vec<String> = query.iter_many(ids).rev().map(show).collect();
        back.reverse();
        assert_eq!(back, expected);
        let set = UniqueEntityVec::try_new(ids).unwrap();
        assert_eq!(query.iter_many_unique(&set).map(show).collect::<Vec<_>>(), expected);
        let matched: Vec<u32> = query.iter_many_unique(&set).matched().map(|number| number.0).collect();
        assert_eq!(matched, self::expected(ids));
    }
}

#[test]
fn what_can_be_changed_comes_one_at_a_time_with_reasons() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Number(n)).id());
    let stranger = world.spawn_empty().id();
    let mut state = world.query::<&mut Number>();
    let mut query = state.query_mut(&mut world);
    let mut many = query.iter_many_mut([a, stranger, b, a]);
    let mut last = many.fetch_next_back().unwrap().unwrap();
    last.0 += 10;
    let mut seen = Vec::new();
    while let Some(found) = many.fetch_next() {
        seen.push(found.ok().map(|number| number.0));
    }
    assert_eq!(seen, [Some(11), None, Some(2)]);
    let mut back = query.iter_many_mut([b, stranger, a]).matched();
    assert_eq!(back.fetch_next_back().unwrap().0, 11);
    assert_eq!(back.fetch_next_back().unwrap().0, 2);
    assert!(back.fetch_next_back().is_none());
}

#[test]
fn unwrapping_panics_at_an_entity_that_does_not_match() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Number(n)).id());
    let stranger = world.spawn_empty().id();
    let mut state = world.query::<&mut Number>();
    let mut query = state.query_mut(&mut world);
    assert_eq!(query.iter_many([b, a]).unwrapped().map(|number| number.0).collect::<Vec<_>>(), [2, 1]);
    let mut many = query.iter_many_mut([a, a]).unwrapped();
    while let Some(mut number) = many.fetch_next() {
        number.0 += 1;
    }
    let set = UniqueEntityVec::try_new([a, b]).unwrap();
    query.iter_many_unique_mut(&set).unwrapped().for_each(|mut number| number.0 *= 2);
    assert_eq!(query.get(a).unwrap().0, 6);
    let mut texts = vec![
        expect_panic(|| query.iter_many([a, stranger]).unwrapped().count()),
        expect_panic(|| query.iter_many([stranger]).unwrapped().next().map(|number| number.0)),
    ];
    let mut many = query.iter_many_mut([stranger]).unwrapped();
    texts.push(expect_panic(|| many.fetch_next().map(|number| number.0)));
    for text in texts {
        assert!(text.starts_with("`unwrapped` met an entity of the list that does not match: "), "{text}");
    }
}
