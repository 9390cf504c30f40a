//! A query's state: what it remembers, and where it may be used.

use strata_tests::panics::expect_panic;

use super::*;

#[test]
fn a_table_made_after_the_query_is_found() {
    let mut world = World::new();
    let mut query = world.query::<&A>();
    let mut filtered = world.query_filtered::<&A, Without<C>>();
    assert_eq!(query.iter(&world).count(), 0);
    world.spawn(A(1));
    assert_eq!(query.iter(&world).count(), 1);
    world.spawn((A(2), C));
    world.spawn((A(3), B(String::new())));
    world.spawn((A(4), Tag));
    assert_eq!(query.iter(&world).count(), 4);
    assert_eq!(filtered.iter(&world).count(), 3);
    let late = world.spawn((A(5), C, Other)).id();
    assert!(query.get(&world, late).is_ok());
    assert!(filtered.get(&world, late).is_err());
}

#[test]
fn a_state_used_on_another_world_is_refused() {
    let mut first = World::new();
    let mut second = World::new();
    let entity = first.spawn(A(1)).id();
    second.spawn(A(2));
    let mut query = first.query::<&mut A>();
    for text in [
        expect_panic(|| query.iter(&second).count()),
        expect_panic(|| query.iter_mut(&mut second).count()),
        expect_panic(|| query.get(&second, entity).map(|a| a.0)),
        expect_panic(|| query.single(&second).map(|a| a.0)),
        expect_panic(|| query.contiguous_iter(&second).count()),
        expect_panic(|| query.iter_combinations::<2>(&second).count()),
        expect_panic(|| query.iter_many(&second, [entity]).matched().count()),
        expect_panic(|| query.query(&second).count()),
    ] {
        assert!(text.contains("world"), "{text}");
    }
    assert_eq!(query.iter(&first).count(), 1);
}

#[test]
fn a_state_is_refused_by_a_world_at_the_address_of_a_dropped_one() {
    let mut place = Box::new(World::new());
    place.spawn(A(1));
    let mut query = place.query::<&A>();
    assert_eq!(query.iter(&place).count(), 1);
    *place = World::new();
    place.spawn(A(2));
    let text = expect_panic(|| query.iter(&place).count());
    assert!(text.contains("world"), "{text}");
}

#[test]
fn a_state_outlives_a_moved_world() {
    let mut world = World::new();
    world.spawn(A(1));
    let mut query = world.query::<&A>();
    let mut moved = Box::new(world);
    moved.spawn((A(2), C));
    assert_eq!(query.iter(&moved).count(), 2);
}

#[test]
fn two_states_of_one_query_do_not_disturb_each_other() {
    let mut world = World::new();
    let mut first = world.query::<&mut A>();
    world.spawn(A(1));
    let mut second = world.query::<&mut A>();
    first.iter_mut(&mut world).for_each(|mut a| a.0 += 1);
    world.spawn((A(1), C));
    second.iter_mut(&mut world).for_each(|mut a| a.0 += 1);
    let mut values: Vec<u32> = first.iter(&world).map(|a| a.0).collect();
    values.sort_unstable();
    assert_eq!(values, [2, 3]);
}

#[test]
fn entities_are_found_while_the_number_of_matched_tables_grows() {
    #[derive(Component, Debug, PartialEq)]
    struct Health(u32);
    #[derive(Component)]
    struct Left;
    #[derive(Component)]
    struct Right;

    let mut world = World::new();
    let mut query = world.query::<&Health>();
    let stranger = world.spawn(Left).id();
    let mut entities: Vec<Entity> = Vec::new();
    for round in 0..4 {
        let mut entity = world.spawn_empty();
        if round > 0 {
            entity.insert(Health(round));
        }
        match round {
            2 => drop(entity.insert(Left)),
            3 => drop(entity.insert((Left, Right))),
            _ => {}
        }
        entities.push(entity.id());
        for (nth, &entity) in (0..).zip(&entities) {
            let expected = Health(nth);
            assert_eq!(query.get(&world, entity).ok(), (nth > 0).then_some(&expected), "round {round}");
        }
        assert!(query.get(&world, stranger).is_err());
    }
    // One table is left that matches.
    entities[2..].iter().for_each(|&entity| _ = world.despawn(entity));
    world.shrink_to_fit();
    assert_eq!(query.get(&world, entities[1]), Ok(&Health(1)));
    assert!(query.get(&world, stranger).is_err() && query.get(&world, entities[0]).is_err());
}
