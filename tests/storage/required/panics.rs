//! Constructors and destructors that panic: nothing is half made, nothing is dropped twice, and the world goes on.

use std::collections::HashMap;

use strata_tests::drops;
use strata_tests::panics::{catch, expect_panic};

use super::ways::{MANY, inserting, spawning};
use super::*;

type Found = (Option<u32>, Option<u32>, Option<u32>, bool);

/// Every entity with what it has.
fn all(world: &World) -> HashMap<Entity, Found> {
    world.iter_entities().map(|entity| (entity.id(), found(world, entity.id()))).collect()
}

/// How many values with a token can be reached.
fn reachable(world: &World) -> usize {
    let count = |(dense, loose, far, _): Found| [dense, loose, far].iter().flatten().count();
    all(world).into_values().map(count).sum()
}

/// Spawning and inserting work, and everything dies once.
fn works(mut world: World) {
    FUSE.set(None);
    drops::disarm();
    world.check_invariants();
    drops::assert_none_twice();
    assert_eq!(drops::alive(), reachable(&world), "a value was neither kept nor dropped");
    let id = world.spawn(Both(3)).id();
    assert_eq!(found(&world, id), made::<Both>());
    let id = world.spawn(Other(3)).insert(Both(3)).id();
    assert_eq!(found(&world, id), made::<Both>());
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

fn spawning_survives<R: Requirer>() {
    let calls_each: usize = R::EACH.iter().sum();
    for way in spawning::<R>() {
        for fuse in 0..calls_each * 3 {
            drops::reset();
            let mut world = World::new();
            world.spawn((R::new(1), Other(1)));
            let before = all(&world);
            FUSE.set(Some(fuse));
            let text = expect_panic(|| (way.run)(&mut world, (0..3).map(R::new).collect()));
            assert_eq!(text, "the constructor breaks", "{}", way.name);
            FUSE.set(None);
            world.flush();
            for (id, now) in all(&world) {
                let empty = found(&world, id) == (None, None, None, false) && world.get::<R>(id).is_none();
                assert!(before.contains_key(&id) || now == made::<R>() || empty, "{}: {now:?} at {fuse}", way.name);
            }
            works(world);
        }
    }
}

#[test]
fn a_constructor_that_panics_while_entities_are_spawned_leaves_no_half_entity() {
    spawning_survives::<InTable>();
    spawning_survives::<OfSparse>();
    spawning_survives::<Both>();
    spawning_survives::<Sparse>();
}

#[test]
fn an_id_that_was_asked_for_is_free_after_a_panic() {
    let mut world = World::new();
    let far = Entity::from_raw_u32(10).unwrap();
    for _ in 0..2 {
        FUSE.set(Some(1));
        expect_panic(|| world.spawn_at(far, Both(1)).map(|entity| entity.id()));
        assert!(!world.contains(far));
        world.check_invariants();
    }
    FUSE.set(None);
    assert_eq!(world.spawn_at(far, Both(1)).unwrap().id(), far);
    let entities: Vec<Entity> = world.spawn_batch((0..20).map(Other)).collect();
    assert!(!entities.contains(&far));
    world.check_invariants();
}

fn inserting_survives<R: Requirer>() {
    for way in inserting::<R>() {
        for fuse in (0..12).chain([50, 100]) {
            drops::reset();
            let mut world = World::new();
            let mut ids = Vec::new();
            for number in 0..MANY as u32 {
                ids.push(world.spawn(Other(number)).id());
                ids.push(world.spawn((Other(number), Loose::new(number))).id());
                ids.push(world.spawn((Other(number), Dense::new(number), Mark)).id());
            }
            let before = all(&world);
            FUSE.set(Some(fuse));
            let outcome = catch(|| (way.run)(&mut world, &ids, R::new(7)));
            let broke = FUSE.replace(None).is_none();
            assert_eq!(outcome.is_err(), broke, "{}", way.name);
            world.flush();
            let (dense, loose, far, mark) = made::<R>();
            for (id, old) in before {
                let complete = (old.0.or(dense), old.1.or(loose), old.2.or(far), old.3 || mark);
                let has = world.get::<R>(id).is_some();
                assert_eq!(found(&world, id), if has { complete } else { old }, "{}", way.name);
            }
            works(world);
        }
    }
}

#[test]
fn a_constructor_that_panics_while_a_component_is_inserted_leaves_the_entity_as_it_was() {
    inserting_survives::<InTable>();
    inserting_survives::<OfSparse>();
    inserting_survives::<Both>();
    inserting_survives::<Sparse>();
}

#[test]
fn a_constructor_that_panics_in_a_sequence_of_commands_loses_no_value() {
    for count in [1, 20] {
        for fuse in 0..4 {
            drops::reset();
            let mut world = World::new();
            let spawn = |_| world.spawn((Dense::new(5), Loose::new(6), Mark)).id();
            let ids: Vec<Entity> = (0..count).map(spawn).collect();
            for id in &ids {
                world.commands().entity(*id).remove::<(Dense, Loose)>().insert(Both(1)).insert(Far(4, Token::new()));
            }
            FUSE.set(Some(fuse));
            let broke = catch(|| world.flush()).is_err();
            assert_eq!(broke, fuse < 2 || count > 1);
            world.flush();
            for id in ids {
                let done = world.get::<Both>(id).is_some();
                let expected =
                    if done { (Some(MADE), Some(MADE), Some(4), true) } else { (Some(5), Some(6), None, true) };
                let left = found(&world, id);
                assert!(left == expected || left == (Some(5), Some(6), Some(MADE), true), "{left:?}");
            }
            works(world);
        }
    }
}

#[test]
fn a_constructor_that_panics_in_an_exchange_takes_nothing_out() {
    for fuse in 0..3 {
        drops::reset();
        let mut world = World::new();
        let id = world.spawn((Dense::new(5), Loose::new(6))).id();
        let before = found(&world, id);
        FUSE.set(Some(fuse));
        expect_panic(|| world.entity_mut(id).exchange::<(Dense, Loose), Both>(Both(1)).is_ok());
        assert_eq!(found(&world, id), before);
        expect_panic(|| {
            FUSE.set(Some(0));
            world.entity_mut(id).replace::<(Dense, Loose), Both>(Both(1)).id()
        });
        assert_eq!(found(&world, id), before);
        works(world);
    }
}

#[test]
fn a_replaced_value_whose_destructor_panics_leaves_the_new_one() {
    for fuse in 0..4 {
        for count in [1, 20] {
            drops::reset();
            let mut world = World::new();
            let spawn = |_| world.spawn((Dense::new(5), Loose::new(6), Both(2))).id();
            let ids: Vec<Entity> = (0..count).map(spawn).collect();
            for id in &ids {
                world.commands().entity(*id).remove::<(Dense, Loose)>().insert(Both(1));
            }
            drops::fuse(Some(fuse));
            let broke = catch(|| world.flush()).is_err();
            assert_eq!(broke, fuse < 2 || count > 1);
            drops::disarm();
            world.flush();
            for id in ids {
                let (dense, loose, _, _) = found(&world, id);
                assert!([(Some(MADE), Some(MADE)), (Some(5), Some(6))].contains(&(dense, loose)));
            }
            works(world);
        }
    }
}

#[test]
fn the_destructor_of_an_old_value_panics_while_others_come_along() {
    #[derive(Component)]
    #[require(Both(1))]
    struct Holds(Token);

    drops::reset();
    let mut world = World::new();
    let id = world.spawn(Holds(Token::armed())).remove::<(Both, Dense, Loose, Mark)>().id();
    expect_panic(|| world.entity_mut(id).insert(Holds(Token::new())).id());
    assert_eq!(found(&world, id), made::<Both>());
    world.entity_mut(id).remove::<Holds>();
    works(world);
}

#[test]
fn of_several_constructors_that_panic_for_commands_the_first_panic_goes_on() {
    #[derive(Component)]
    #[require(Broken = broken())]
    struct Asks(String);
    #[derive(Component)]
    #[component(storage = "sparse")]
    #[require(Broken = broken())]
    struct AsksAside(String);
    #[derive(Component)]
    struct Broken;
    fn broken() -> Broken {
        panic!("the constructor breaks")
    }

    for count in [1, 2, 3, 7, 8, 12, 30] {
        let ways: [fn(&mut World, Entity); 4] = [
            |world, _| _ = world.commands().spawn(Asks(String::from("spawned"))),
            |world, _| _ = world.commands().spawn(AsksAside(String::from("spawned"))),
            |world, entity| _ = world.commands().entity(entity).insert(Asks(String::from("inserted"))),
            |world, entity| _ = world.commands().entity(entity).insert(AsksAside(String::from("inserted"))),
        ];
        for way in ways {
            let mut world = World::new();
            for _ in 0..count {
                let entity = world.spawn_empty().id();
                way(&mut world, entity);
            }
            assert_eq!(expect_panic(|| world.flush()), "the constructor breaks");
            world.flush();
            world.check_invariants();
            assert_eq!(world.query::<Has<Broken>>().iter(&world).filter(|&has| has).count(), 0);
        }
    }
}
