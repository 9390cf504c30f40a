//! Values that an insertion replaces or does not want: each is dropped once, wherever it was.

use strata_ecs::prelude::*;
use strata_tests::alloc;
use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

#[derive(Component)]
struct Kind(u8);

#[derive(Component)]
struct Owned(Token);

#[derive(Component)]
struct Other(Token);

#[derive(Component)]
#[component(storage = "sparse")]
struct Beside(Token);

/// Values over sizes that move in one piece.
#[derive(Component)]
struct Large([u64; 40]);

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Plain(u64);

fn owned() -> (Owned, u64) {
    let token = Token::new();
    let id = token.id();
    (Owned(token), id)
}

/// A world with so many entities in one table, which is full if they are four.
fn world_of(count: usize) -> (World, Vec<Entity>) {
    drops::reset();
    let mut world = World::new();
    let entities = (0..count).map(|_| world.spawn((Owned(Token::new()), Kind(1))).id()).collect();
    (world, entities)
}

#[test]
fn an_old_value_is_dropped_once_where_the_entity_stays() {
    for count in [1, 2, 4] {
        let (mut world, entities) = world_of(count);
        for &entity in &entities {
            let (new, id) = owned();
            world.entity_mut(entity).insert(new);
            assert_eq!(world.get::<Owned>(entity).unwrap().0.id(), id);
        }
        world.check_invariants();
        assert_eq!(drops::alive(), entities.len());
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn an_old_value_is_dropped_once_where_the_entity_moves() {
    for count in [1, 2, 4] {
        let (mut world, entities) = world_of(count);
        for &entity in &entities {
            let (new, id) = owned();
            world.entity_mut(entity).insert((new, Other(Token::new()), Large([1; 40])));
            assert_eq!(world.get::<Owned>(entity).unwrap().0.id(), id);
            assert_eq!((world.get::<Large>(entity).unwrap().0, world.get::<Kind>(entity).unwrap().0), ([1; 40], 1));
        }
        world.check_invariants();
        assert_eq!(drops::alive(), 2 * entities.len());
        entities.iter().for_each(|&entity| _ = world.entity_mut(entity).remove::<(Owned, Large)>());
        assert_eq!(drops::alive(), entities.len());
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_value_that_is_not_wanted_is_dropped_once_and_the_old_one_stays() {
    for count in [1, 2, 4] {
        let (mut world, entities) = world_of(count);
        for (nth, &entity) in entities.iter().enumerate() {
            world.entity_mut(entity).insert(Beside(Token::new()));
            let old = world.get::<Owned>(entity).unwrap().0.id();
            let beside = world.get::<Beside>(entity).unwrap().0.id();
            if nth % 2 == 0 {
                world.entity_mut(entity).insert_if_new((Owned(Token::new()), Beside(Token::new())));
            } else {
                world.entity_mut(entity).insert_if_new((
                    Owned(Token::new()),
                    Other(Token::new()),
                    Beside(Token::new()),
                ));
            }
            assert_eq!(world.get::<Owned>(entity).unwrap().0.id(), old);
            assert_eq!(world.get::<Beside>(entity).unwrap().0.id(), beside);
        }
        world.check_invariants();
        assert_eq!(drops::alive(), 2 * entities.len() + entities.len() / 2);
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn commands_that_insert_a_component_several_times_leave_the_last_value() {
    drops::reset();
    let mut world = World::new();
    let entities: Vec<Entity> = (0..20).map(|_| world.spawn((Owned(Token::new()), Kind(1))).id()).collect();
    // Few entities are changed one by one, many together.
    for some in [&entities[..3], &entities[3..]] {
        let mut last = Vec::new();
        for &entity in some {
            let (new, id) = owned();
            world
                .commands()
                .entity(entity)
                .insert((Owned(Token::new()), Beside(Token::new())))
                .insert_if_new(Owned(Token::new()))
                .insert((new, Other(Token::new())))
                .insert(Beside(Token::new()))
                .insert_if_new((Owned(Token::new()), Beside(Token::new())));
            last.push(id);
        }
        world.flush();
        world.check_invariants();
        let now: Vec<u64> = some.iter().map(|&entity| world.get::<Owned>(entity).unwrap().0.id()).collect();
        assert_eq!(now, last);
    }
    assert_eq!(drops::alive(), 3 * entities.len());
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_destructor_of_an_old_value_that_panics_leaves_the_new_values() {
    for nth in 0..3 {
        drops::reset();
        let mut world = World::new();
        let entity = world.spawn((Owned(Token::new()), Other(Token::new()), Beside(Token::new()), Kind(1))).id();
        let (new, id) = owned();
        drops::fuse(Some(nth));
        expect_panic(|| {
            _ = world.entity_mut(entity).insert((new, Other(Token::new()), Beside(Token::new()), Plain(3)))
        });
        drops::disarm();
        world.check_invariants();
        assert_eq!((world.get::<Owned>(entity).unwrap().0.id(), world.get::<Plain>(entity)), (id, Some(&Plain(3))));
        assert_eq!(drops::alive(), 3);
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_value_without_destructor_is_replaced_in_a_full_table_without_an_allocation() {
    let mut world = World::new();
    let entities: Vec<Entity> = (0..4).map(|nth| world.spawn((Plain(nth), Kind(1))).id()).collect();
    world.entity_mut(entities[0]).insert(Plain(7));
    let ((), allocations) = alloc::counting(|| {
        entities.iter().for_each(|&entity| _ = world.entity_mut(entity).insert(Plain(9)));
    });
    assert_eq!(allocations, 0);
    assert!(entities.iter().all(|&entity| world.get(entity) == Some(&Plain(9))));
}
