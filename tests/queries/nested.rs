//! `NestedQuery`: queries in the data of queries, which read other entities.

use strata_ecs::entity_disabling::Disabled;
use strata_ecs::query::{NestedQuery, ReadOnlyQueryData};
use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component)]
struct Follows(Entity);

/// The data of the leader that a follower reads.
#[derive(QueryData)]
struct Leader<D: ReadOnlyQueryData + 'static, F: QueryFilter + 'static = ()> {
    follows: &'static Follows,
    others: NestedQuery<D, F>,
}

impl<'w, 's, D: ReadOnlyQueryData + 'static, F: QueryFilter + 'static> LeaderItem<'w, 's, D, F> {
    fn get(&self) -> Option<D::Item<'w, 's>> {
        self.others.get_inner(self.follows.0).ok()
    }
}

/// A leader with `A(7)`, and one that follows it.
fn pair(world: &mut World) -> [Entity; 2] {
    let leader = world.spawn(A(7)).id();
    [leader, world.spawn(Follows(leader)).id()]
}

#[test]
fn a_nested_query_reads_other_entities() {
    let mut world = World::new();
    let [leader, follower] = pair(&mut world);
    let mut query = world.query::<(Entity, Leader<(Entity, &A)>)>();
    let all: Vec<_> = query.iter(&world).map(|(id, item)| (id, item.get())).collect();
    assert_eq!(all, [(follower, Some((leader, &A(7))))]);
    world.despawn(leader);
    assert!(query.single(&world).unwrap().1.get().is_none());
}

#[test]
fn an_item_of_a_nested_query_lives_as_long_as_the_outer_borrow() {
    fn leader<'w>(query: Query<'w, '_, Leader<&A>>, follower: Entity) -> &'w A {
        query.get_inner(follower).unwrap().get().unwrap()
    }
    let mut world = World::new();
    let [_, follower] = pair(&mut world);
    let mut query = world.query::<Leader<&A>>();
    assert_eq!(leader(query.query(&world), follower), &A(7));
}

#[test]
fn a_nested_query_sees_tables_that_are_new() {
    let mut world = World::new();
    let mut query = world.query::<(&Follows, Option<NestedQuery<&A>>)>();
    let count = |query: &mut QueryState<(&'static Follows, Option<NestedQuery<&'static A>>)>, world: &World| {
        query.iter(world).map(|(_, others)| others.unwrap().iter().count()).collect::<Vec<_>>()
    };
    assert_eq!(count(&mut query, &world), [0; 0]);
    let [leader, _] = pair(&mut world);
    assert_eq!(count(&mut query, &world), [1]);
    world.spawn((A(8), C));
    assert_eq!(count(&mut query, &world), [2]);
    world.despawn(leader);
    world.shrink_to_fit();
    assert_eq!(count(&mut query, &world), [1]);
    world.spawn((A(9), C, S(1)));
    assert_eq!(count(&mut query, &world), [2]);
}

#[test]
fn nested_queries_stand_in_all_groups_of_terms() {
    #[derive(QueryData)]
    enum Either {
        Number { a: &'static A, _others: NestedQuery<Entity, With<C>> },
        Others(NestedQuery<&'static A>),
    }
    let mut world = World::new();
    pair(&mut world);
    world.spawn((A(1), C));
    let mut enums = world.query::<Either>();
    let seen = enums.iter(&world).map(|item| match item {
        EitherItem::Number { a, .. } => a.0 as usize,
        EitherItem::Others(others) => 100 + others.iter().count(),
    });
    let mut seen: Vec<_> = seen.collect();
    seen.sort_unstable();
    assert_eq!(seen, [1, 7, 102]);
    let mut any = world.query::<AnyOf<(&Follows, NestedQuery<&A>)>>();
    assert!(any.iter(&world).all(|(_, others)| others.unwrap().iter().count() == 2));
    let mut deep = world.query_filtered::<NestedQuery<NestedQuery<&A>, With<C>>, With<Follows>>();
    let outer = deep.single(&world).unwrap();
    let inner = outer.single().unwrap();
    assert_eq!(inner.iter().map(|a| a.0).sum::<u32>(), 8);
}

#[test]
fn filters_of_a_nested_query_are_its_own() {
    let mut world = World::new();
    let [leader, _] = pair(&mut world);
    world.spawn((A(1), C));
    let mut query = world.query_filtered::<NestedQuery<&A, With<C>>, With<Follows>>();
    assert_eq!(query.single(&world).unwrap().single(), Ok(&A(1)));
    let mut all = world.query_filtered::<NestedQuery<Entity, With<A>>, With<Follows>>();
    let mut disabled = world.query_filtered::<NestedQuery<Entity, With<Disabled>>, With<Follows>>();
    assert_eq!(all.single(&world).unwrap().iter().count(), 2);
    world.entity_mut(leader).insert(Disabled);
    assert_eq!(all.single(&world).unwrap().iter().count(), 1);
    assert_eq!(disabled.single(&world).unwrap().single(), Ok(leader));
    // A component that the nested query names does not count as named by the outer query.
    world.entity_mut(leader).insert(Follows(leader));
    assert_eq!(disabled.iter(&world).count(), 1);
}

#[test]
fn a_nested_query_in_a_system_knows_what_the_system_has_seen() {
    fn changed(followers: Query<'_, '_, NestedQuery<Entity, Changed<A>>, With<Follows>>) -> Vec<Entity> {
        followers.single().unwrap().iter().collect()
    }
    let mut world = World::new();
    let [leader, _] = pair(&mut world);
    let id = world.register_system(changed);
    assert_eq!(world.run_system(id).unwrap(), [leader]);
    assert_eq!(world.run_system(id).unwrap(), []);
    world.get_mut::<A>(leader).unwrap().0 = 1;
    assert_eq!(world.run_system(id).unwrap(), [leader]);
}

#[test]
fn many_threads_read_with_one_nested_query() {
    let mut world = World::new();
    let leaders: Vec<_> = world.spawn_batch((0..10_000).map(A)).collect();
    world.spawn_batch(leaders.iter().rev().map(|&leader| (Follows(leader), S(0))).collect::<Vec<_>>());
    let mut query = world.query::<(&mut S, Leader<&A>)>();
    query.query_mut(&mut world).par_iter_mut().for_each(|(mut seen, leader)| seen.0 = leader.get().unwrap().0);
    let mut seen: Vec<u32> = world.query::<&S>().iter(&world).map(|seen| seen.0).collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..10_000));
}

#[test]
fn filters_keep_a_nested_query_apart_from_the_one_that_it_is_in() {
    fn add(mut marked: Query<'_, '_, (&mut A, NestedQuery<&A, Without<C>>), With<C>>) {
        for (mut a, others) in &mut marked {
            a.0 += others.iter().map(|a| a.0).sum::<u32>();
        }
    }
    let mut world = World::new();
    world.spawn_batch([A(1), A(2)]);
    let marked = world.spawn((A(4), C)).id();
    world.run_system_once(add).unwrap();
    assert_eq!(world.get(marked), Some(&A(7)));
    // By a sparse component as well, although both read one column.
    let tagged = world.spawn((A(10), Tag)).id();
    let mut sparse = world.query_filtered::<(&mut A, NestedQuery<Ref<'_, A>, Without<Tag>>), With<Tag>>();
    sparse
        .query_mut(&mut world)
        .par_iter_mut()
        .for_each(|(mut a, others)| a.0 += others.iter().map(|a| a.0).sum::<u32>());
    assert_eq!(world.get(tagged), Some(&A(20)));
}

#[test]
fn what_a_nested_query_reads_is_borrowed() {
    let mut world = World::new();
    let id = world.register_component::<A>();
    let nested = world.query::<Option<Leader<&A>>>();
    let [writer, reader] = [world.query::<(&mut A, &C)>().access().clone(), world.query::<(&A, &C)>().access().clone()];
    let apart = world.query_filtered::<NestedQuery<&A, Without<C>>, With<C>>();
    assert!(nested.access().touches(id));
    for (a, b) in [(nested.access(), &writer), (&writer, nested.access())] {
        assert_eq!(a.conflict_with(b), Some(strata_ecs::access::ComponentConflict::Component(id)));
    }
    for (a, b) in [(nested.access(), &reader), (apart.access(), &writer), (&writer, apart.access())] {
        assert_eq!(a.conflict_with(b), None);
    }
    let mut reads = IntoSystem::into_system(|_: Query<'_, '_, NestedQuery<&A>>| {});
    let mut writes = IntoSystem::into_system(|_: Query<'_, '_, &mut A>| {});
    reads.initialize(&mut world);
    writes.initialize(&mut world);
    assert!(!reads.access().is_compatible(writes.access(), world.components()));
    assert!(reads.access().is_compatible(reads.access(), world.components()));
}

/// Its key is not exact, so that the compiler does not know.
#[derive(Component)]
struct Generic<T: Send + Sync + 'static>(T);

#[test]
fn what_the_compiler_cannot_know_is_refused_when_a_query_is_made() {
    fn of<T: Send + Sync + 'static>(world: &mut World) {
        drop(world.query::<(&mut Generic<T>, NestedQuery<&Generic<T>>)>());
    }
    fn beside<T: Send + Sync + 'static>(
        _: Query<'_, '_, &mut Generic<T>>,
        _: Query<'_, '_, Option<NestedQuery<&Generic<T>>>>,
    ) {
    }
    let mut world = World::new();
    let message = expect_panic(|| of::<[u8; 3]>(&mut world));
    assert!(message.contains("borrows component") && message.contains("Generic"), "{message}");
    let message = expect_panic(|| drop(world.run_system_once(beside::<[u8; 3]>)));
    assert!(message.contains("Generic") && message.contains("beside"), "{message}");
}

#[test]
fn no_lens_is_made_of_a_nested_query() {
    let mut world = World::new();
    pair(&mut world);
    let mut query = world.query::<(Entity, NestedQuery<&A>)>();
    let message = expect_panic(|| drop(query.query_mut(&mut world).as_query_lens()));
    assert!(message.contains("nested query"), "{message}");
    let ids = |mut query: Query<'_, '_, (Entity, NestedQuery<&A>)>| query.transmute_lens::<Entity>().query().count();
    assert_eq!(world.run_system_once(ids).unwrap(), 2);
    // The nested one itself is a query like others.
    let all = |query: Query<'_, '_, NestedQuery<&A>>| {
        let mut nested = query.iter().next().unwrap();
        nested.transmute_lens::<Entity>().query().count()
    };
    assert_eq!(world.run_system_once(all).unwrap(), 1);
}

#[test]
fn a_query_with_a_nested_one_cannot_be_sorted_by_it() {
    let mut world = World::new();
    pair(&mut world);
    let mut query = world.query::<(Entity, NestedQuery<&A>)>();
    let sorted: Vec<_> = query.iter(&world).sort_by_key::<Entity, _>(|entity| *entity).map(|(id, _)| id).collect();
    assert!(sorted.is_sorted() && sorted.len() == 2);
    let message = expect_panic(|| drop(query.iter(&world).sort_by_key::<NestedQuery<&A>, _>(|_| 0)));
    assert!(message.contains("cannot be sorted"), "{message}");
}
