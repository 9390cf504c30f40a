//! Random access: one entity, several, a list.

use strata_ecs::query::{QueryEntityError, QuerySingleError};

use super::*;

#[test]
fn get_finds_what_matches_and_says_why_not() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<(&A, Option<&S>)>();
    assert_eq!(query.get(&world, entities[4]).expect("it matches"), (&A(4), Some(&S(4))));
    let lacking = query.get(&world, entities[7]).expect_err("it has no A");
    world.despawn(entities[4]);
    let dead = query.get(&world, entities[4]).expect_err("it is dead");
    assert_ne!(lacking, dead);
    assert!(matches!(lacking, QueryEntityError::QueryDoesNotMatch(..)), "{lacking}");
    for error in [lacking.to_string(), dead.to_string()] {
        assert!(error.len() > 20, "says too little: {error}");
    }
    assert!(dead.to_string().contains(&format!("{}", entities[4])), "{dead}");
}

#[test]
fn get_mut_writes_one_entity() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<(&mut A, &mut S)>();
    let (mut a, mut s) = query.get_mut(&mut world, entities[8]).expect("it matches");
    a.0 = 80;
    s.0 = 81;
    assert_eq!((world.get::<A>(entities[8]), world.get::<S>(entities[8])), (Some(&A(80)), Some(&S(81))));
    assert!(query.get_mut(&mut world, entities[7]).is_err());
}

#[test]
fn get_many_returns_all_or_the_first_error() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<&A>();
    let found = query.get_many(&world, [entities[5], entities[1], entities[5]]).expect("all match");
    assert_eq!(found, [&A(5), &A(1), &A(5)]);
    assert!(query.get_many(&world, [entities[1], entities[7]]).is_err());
    assert!(query.get_many(&world, []).is_ok());
}

#[test]
fn get_many_mut_gives_distinct_entities() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query::<&mut A>();
    let [mut first, mut second] = query.get_many_mut(&mut world, [entities[1], entities[2]]).expect("distinct");
    std::mem::swap(&mut *first, &mut *second);
    assert_eq!(world.get::<A>(entities[1]), Some(&A(2)));
    assert_eq!(world.get::<A>(entities[2]), Some(&A(1)));
    let error = query.get_many_mut(&mut world, [entities[1], entities[2], entities[1]]).expect_err("one stands twice");
    assert!(matches!(error, QueryEntityError::AliasedMutability(entity) if entity == entities[1]), "{error}");
    assert!(query.get_many_mut(&mut world, [entities[1], entities[7]]).is_err());
}

#[test]
fn single_wants_exactly_one() {
    let mut world = World::new();
    let mut query = world.query::<&mut A>();
    assert!(matches!(query.single(&world), Err(QuerySingleError::NoEntities(..))));
    let first = world.spawn(A(1)).id();
    assert_eq!(query.single(&world).expect("one"), &A(1));
    query.single_mut(&mut world).expect("one").0 = 2;
    assert_eq!(world.get::<A>(first), Some(&A(2)));
    world.spawn((A(3), C));
    let error = query.single(&world).expect_err("two");
    assert!(matches!(error, QuerySingleError::MultipleEntities(..)));
    assert!(error.to_string().contains('A'), "the query is not named: {error}");
    assert!(query.single_mut(&mut world).is_err());
    assert_eq!(world.query_filtered::<&A, With<C>>().single(&world).expect("one has C"), &A(3));
    let tagged = world.spawn((A(4), Tag)).id();
    assert_eq!(world.query_filtered::<Entity, With<Tag>>().single(&world).expect("one has the tag"), tagged);
}

#[test]
fn iter_many_follows_the_list_and_skips_what_does_not_match() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let dead = world.spawn(A(1000)).id();
    world.despawn(dead);
    let list = [entities[9], entities[7], entities[2], dead, entities[9]];
    let mut query = world.query::<&A>();
    let found: Vec<u32> = query.iter_many(&world, list).matched().map(|a| a.0).collect();
    assert_eq!(found, [9, 2, 9]);
    let by_reference: Vec<u32> = query.iter_many(&world, &list).matched().map(|a| a.0).collect();
    assert_eq!(by_reference, [9, 2, 9]);
}

#[test]
fn iter_many_mut_may_name_an_entity_twice() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    let mut many = query.iter_many_mut([entities[1], entities[1], entities[7], entities[2]]).matched();
    let mut visits = 0;
    while let Some(mut a) = many.fetch_next() {
        a.0 += 10;
        visits += 1;
    }
    assert_eq!(visits, 3);
    assert_eq!(world.get::<A>(entities[1]), Some(&A(21)));
    assert_eq!(world.get::<A>(entities[2]), Some(&A(12)));
}

#[test]
fn the_query_value_gives_what_the_state_gives() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    assert_eq!(query.get(entities[1]).expect("matches"), &A(1));
    query.get_mut(entities[1]).expect("matches").0 = 11;
    assert_eq!(query.get_many([entities[1], entities[2]]).expect("match"), [&A(11), &A(2)]);
    let [mut one, mut two] = query.get_many_mut([entities[1], entities[2]]).expect("distinct");
    one.0 += 1;
    two.0 += 1;
    assert!(query.contains(entities[2]));
    assert!(!query.contains(entities[7]));
    assert!(query.single().is_err());
    assert!(query.single_mut().is_err());
    let found: Vec<u32> = query.iter_many([entities[2], entities[1]]).matched().map(|a| a.0).collect();
    assert_eq!(found, [3, 12]);
    query.reborrow().get_mut(entities[1]).expect("matches").0 = 100;
    let mut last = query.get_inner(entities[1]).expect("matches");
    last.0 += 1;
    assert_eq!(world.get::<A>(entities[1]), Some(&A(101)));
}

#[test]
fn the_state_says_whether_it_contains_an_entity() {
    let mut world = World::new();
    let entities = zoo(&mut world);
    let mut query = world.query_filtered::<(), (With<A>, With<S>)>();
    for (i, entity) in (0..60).zip(&entities) {
        assert_eq!(query.contains(&world, *entity), i % 7 != 0 && i % 4 == 0, "entity {i}");
    }
    assert!(!query.contains(&world, Entity::PLACEHOLDER));
}
