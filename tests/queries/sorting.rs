//! Iterators in another order, and over sets of entities.

use strata_ecs::entity::{
    EntityHashMap, EntityHashSet, EntitySetIterator, UniqueEntityArray, UniqueEntityIter, UniqueEntityVec,
};
use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Points(u32);
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Marked;

/// Ranks in no order, every second one with points and every third one marked.
fn ranks(world: &mut World) -> Vec<Entity> {
    let spawn = |n: u32| {
        let mut entity = world.spawn(Rank((n * 7) % 10));
        if n.is_multiple_of(2) {
            entity.insert(Points(n));
        }
        if n.is_multiple_of(3) {
            entity.insert(Marked);
        }
        entity.id()
    };
    (0..10).map(spawn).collect()
}

#[test]
fn every_way_to_sort_gives_the_order_of_a_sorted_list() {
    let mut world = World::new();
    ranks(&mut world);
    let mut query = world.query::<(Entity, &Rank)>();
    let mut expected: Vec<(Entity, Rank)> = query.iter(&world).map(|(id, rank)| (id, *rank)).collect();
    expected.sort_by_key(|(_, rank)| *rank);
    macro_rules! assert_sorted {
        ($($sorted:expr),*) => {
            $(assert_eq!($sorted.map(|(id, rank)| (id, *rank)).collect::<Vec<_>>(), expected);)*
        };
    }
    assert_sorted!(
        query.iter(&world).sort::<&Rank>(),
        query.iter(&world).sort_unstable::<&Rank>(),
        query.iter(&world).sort_by::<&Rank>(|a, b| a.cmp(b)),
        query.iter(&world).sort_unstable_by::<&Rank>(|a, b| a.cmp(b)),
        query.iter(&world).sort_by_key::<&Rank, _>(|rank| rank.0),
        query.iter(&world).sort_unstable_by_key::<&Rank, _>(|rank| rank.0),
        query.iter(&world).sort_by_cached_key::<&Rank, _>(|rank| rank.0)
    );
}

#[test]
fn items_that_compare_as_equal_keep_their_order() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    let mut query = world.query::<(Entity, &Rank)>();
    let plain: Vec<Entity> = query.iter(&world).map(|(id, _)| id).collect();
    let sorted: Vec<Entity> = query.iter(&world).sort_by_key::<&Rank, _>(|_| 0).map(|(id, _)| id).collect();
    assert_eq!(plain, sorted);
    let listed = query.iter_many(&world, &ids).sort_by_key::<&Rank, _>(|_| 0).matched().map(|(id, _)| id);
    assert!(listed.eq(ids));
}

#[test]
fn sorted_items_can_be_changed_and_held_together() {
    let mut world = World::new();
    ranks(&mut world);
    let mut query = world.query_filtered::<&mut Rank, With<Marked>>();
    let mut marked: Vec<Mut<'_, Rank>> = query.iter_mut(&mut world).sort::<&Rank>().collect();
    assert!(marked.is_sorted_by_key(|rank| rank.0));
    for (at, rank) in marked.iter_mut().enumerate() {
        rank.0 = 100 + at as u32;
    }
    assert_eq!(world.query::<&Rank>().iter(&world).filter(|rank| rank.0 >= 100).count(), 4);
}

#[test]
fn an_iterator_that_has_begun_sorts_the_rest() {
    let mut world = World::new();
    ranks(&mut world);
    for consumed in 0..=4 {
        let mut marked = world.query_filtered::<&mut Rank, With<Marked>>();
        let mut iter = marked.iter_mut(&mut world);
        let first: Vec<Mut<'_, Rank>> = iter.by_ref().take(consumed).collect();
        assert_eq!((iter.len(), iter.is_empty()), (4 - consumed, consumed == 4));
        let rest: Vec<Mut<'_, Rank>> = iter.sort::<&Rank>().collect();
        assert_eq!((first.len(), rest.len()), (consumed, 4 - consumed));
    }
}

#[test]
fn an_entity_that_does_not_match_is_not_read() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    let mut query = world.query_filtered::<&Rank, With<Points>>();
    let compared = std::cell::RefCell::new(Vec::new());
    let sorted = query
        .iter_many(&world, &ids)
        .sort_by::<&Rank>(|a, b| {
            compared.borrow_mut().extend([a.0, b.0]);
            a.cmp(b)
        })
        .matched();
    assert_eq!(sorted.count(), 5);
    let without: Vec<u32> = world.query_filtered::<&Rank, Without<Points>>().iter(&world).map(|rank| rank.0).collect();
    assert!(compared.borrow().iter().all(|rank| !without.contains(rank)));
}

#[test]
fn entities_without_what_is_sorted_by_are_left_out() {
    let mut world = World::new();
    ranks(&mut world);
    let mut query = world.query::<(&Rank, Option<&Points>)>();
    let points: Vec<u32> = query.iter(&world).sort::<&Points>().map(|(_, points)| points.unwrap().0).collect();
    assert_eq!(points, [0, 2, 4, 6, 8]);
}

#[test]
fn what_the_query_does_not_borrow_is_no_key() {
    let mut world = World::new();
    ranks(&mut world);
    let message = expect_panic(|| {
        let _ = world.query::<&Rank>().iter(&world).sort::<&Points>();
    });
    assert!(message.contains("Points") && message.contains("does not borrow"), "{message}");
    // A filter borrows nothing.
    let message = expect_panic(|| {
        let _ = world.query_filtered::<&Rank, With<Points>>().iter(&world).sort::<&Points>();
    });
    assert!(message.contains("does not borrow"), "{message}");
    // An id is always known.
    assert_eq!(world.query::<&Rank>().iter(&world).sort::<Entity>().count(), 10);
}

#[test]
fn what_remains_is_what_is_still_to_come() {
    let mut world = World::new();
    ranks(&mut world);
    let mut query = world.query_filtered::<(Entity, &mut Rank), Without<Marked>>();
    let all: Vec<Entity> = query.iter(&world).map(|(id, _)| id).collect();
    let mut iter = query.iter_mut(&mut world);
    let mut at = 0;
    while let Some((id, rank)) = iter.fetch_next() {
        assert_eq!(id, all[at]);
        at += 1;
        let later: Vec<(Entity, Mut<'_, Rank>)> = iter.remaining_mut().collect();
        assert!(later.iter().map(|(id, _)| id).eq(&all[at..]));
        drop((rank, later));
    }
    assert_eq!(at, all.len());
    let mut iter = query.iter(&world);
    iter.next();
    assert_eq!(iter.remaining().count(), iter.len());
}

#[test]
fn a_set_gives_each_of_its_entities_once() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    let set = EntityHashSet::from_iter(ids.iter().copied().chain(ids.iter().copied()));
    let mut state = world.query::<&mut Rank>();
    let mut query = state.query_mut(&mut world);
    let mut items: Vec<Mut<'_, Rank>> = query.iter_many_unique_mut(&set).matched().collect();
    assert_eq!(items.len(), 10);
    items.iter_mut().for_each(|rank| rank.0 += 1);
    drop(items);
    let few: UniqueEntityVec = set.iter().filter(|id| ids[..3].contains(id)).collect_set();
    assert_eq!(query.iter_many_unique(&few).matched().count(), 3);
    let sorted: Vec<u32> = query.iter_many_unique(few).sort::<&Rank>().matched().map(|rank| rank.0).collect();
    assert_eq!(sorted, [1, 5, 8]);
}

#[test]
fn a_list_with_an_entity_twice_is_no_set() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    for count in [2, 10] {
        for &twice in &ids[..count] {
            let list: Vec<Entity> = ids[..count].iter().copied().chain([twice]).collect();
            assert_eq!(UniqueEntityVec::try_new(list), Err(twice));
        }
    }
    let mut list = UniqueEntityVec::try_new(&ids[..]).unwrap();
    assert!(!list.insert(ids[4]));
    assert_eq!(list.swap_remove(0), ids[0]);
    assert!(list.insert(ids[0]));
    assert_eq!(list.len(), 10);
    assert_eq!(UniqueEntityArray::<3>::try_from(list.clone()), Err(list));
}

#[test]
fn only_unsafe_code_says_that_a_list_is_a_set_without_a_look() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    // SAFETY: the ids differ.
    let set = unsafe { UniqueEntityIter::from_iter_unchecked(&ids) };
    let mut state = world.query::<&mut Rank>();
    assert_eq!(state.query_mut(&mut world).iter_many_unique_mut(set).matched().count(), 10);
}

#[test]
fn maps_keep_a_value_for_each_entity() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    let mut map: EntityHashMap<usize> = ids.iter().enumerate().map(|(at, &id)| (id, at)).collect();
    assert!(ids.iter().enumerate().all(|(at, id)| map[id] == at));
    assert_eq!(map.remove(&ids[3]), Some(3));
    world.despawn(ids[5]);
    let tenant = world.spawn_empty().id();
    assert_eq!(tenant.index(), ids[5].index());
    assert!(!map.contains_key(&tenant), "another generation is another key");
    assert_eq!(map.len(), 9);
}

#[test]
fn several_entities_are_borrowed_at_once() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    let [a, b] = world.entity([ids[0], ids[0]]);
    assert_eq!((a.id(), b.id()), (ids[0], ids[0]));
    for mut entity in world.entity_mut(&ids[..4]) {
        entity.get_mut::<Rank>().unwrap().0 = 50;
    }
    for (id, mut entity) in world.entity_mut(&EntityHashSet::from([ids[8], ids[9]])) {
        assert_eq!(entity.id(), id);
        entity.get_mut::<Rank>().unwrap().0 = 50;
    }
    assert_eq!(world.query::<&Rank>().iter(&world).filter(|rank| rank.0 == 50).count(), 6);
    assert!(world.get_entity_mut(&[ids[1], ids[1]]).is_err());
    world.despawn(ids[2]);
    let message = expect_panic(|| {
        let _ = world.entity_mut(&ids[..]);
    });
    assert!(message.contains("despawned"), "{message}");
    assert!(world.get_entity(&ids[..]).is_err());
    let pending = world.commands().spawn(Rank(3)).id();
    assert_eq!(world.entity_mut([pending])[0].id(), pending, "as with a single one: it is there, and still empty");
}

#[test]
fn lists_and_sets_can_be_walked_from_both_ends() {
    let mut world = World::new();
    let ids = ranks(&mut world);
    let mut query = world.query_filtered::<(Entity, &mut Points), Without<Marked>>();
    let forward: Vec<u32> = query.iter(&world).sort::<&Points>().map(|(_, points)| points.0).collect();
    let mut backward: Vec<u32> = query.iter(&world).sort::<&Points>().rev().map(|(_, points)| points.0).collect();
    backward.reverse();
    assert_eq!((forward.len(), &forward), (3, &backward));
    let twice = [ids[0], ids[2], ids[4], ids[2]];
    let read: Vec<Entity> = query.iter_many(&world, twice).matched().rev().map(|(id, _)| id).collect();
    assert_eq!(read, [ids[2], ids[4], ids[2]]);
    let mut many = query.iter_many_mut(&mut world, twice).matched();
    many.fetch_next_back().unwrap().1.0 += 100;
    many.fetch_next().unwrap().1.0 += 1000;
    assert_eq!(many.fetch_next_back().unwrap().0, ids[4]);
    assert!(many.fetch_next_back().is_none() && many.fetch_next().is_none());
    assert_eq!(world.get(ids[2]), Some(&Points(1102)));
}
