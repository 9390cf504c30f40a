//! Each value is dropped once, whatever becomes of it, and whatever panics.

use strata_ecs::component::ErasedValue;
use strata_tests::drops;
use strata_tests::panics::expect_panic;

use super::*;

/// A world with a component of tokens in each storage, as often as there are storages.
fn each_storage(mut test: impl FnMut(World, ComponentId)) {
    for storage in STORAGES {
        drops::reset();
        let mut world = World::new();
        let name = if storage == StorageType::Table { "drops:table" } else { "drops:sparse" };
        let id = register(&mut world, held(name).storage(storage));
        test(world, id);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_value_is_dropped_when_it_is_overwritten_removed_despawned_cleared_and_with_its_world() {
    each_storage(|mut world, id| {
        let new = || Held(Token::new());
        let mut spawn = || world.spawn_empty().insert_by_id(id, new()).unwrap().id();
        let entities: Vec<Entity> = (0..5).map(|_| spawn()).collect();
        assert_eq!(drops::alive(), 5);
        world.entity_mut(entities[0]).insert_by_id(id, new()).unwrap();
        assert_eq!((drops::alive(), drops::dropped()), (5, 1));
        world.entity_mut(entities[1]).remove_by_id(id).unwrap();
        assert_eq!(drops::alive(), 4);
        world.despawn(entities[2]);
        assert_eq!(drops::alive(), 3);
        drop(world.entity_mut(entities[3]).take_by_id(id).unwrap());
        assert_eq!(drops::alive(), 2);
        world.entity_mut(entities[4]).clear();
        assert_eq!(drops::alive(), 1);
        world.clear_entities();
        assert_eq!(drops::alive(), 0);
        world.spawn_empty().insert_by_id(id, new()).unwrap();
        world.check_invariants();
    });
}

#[test]
fn values_outside_of_worlds_are_dropped() {
    each_storage(|mut world, id| {
        let descriptor = world.components().info(id).unwrap().descriptor();
        let new = || ErasedValue::new(descriptor, Held(Token::new())).unwrap();
        drop(new());
        assert!(new().downcast::<u8>().is_err());
        drop(new().downcast::<Held>());
        let mut builder = EntityBuilder::new();
        builder.add_erased(new()).add_erased(new());
        assert_eq!(drops::alive(), 1);
        world.spawn_dynamic(&mut builder);
        builder.add_erased(new());
        let entity = world.spawn_empty().insert_erased(new()).unwrap().id();
        drop(world.get_mut_by_id(entity, id).unwrap().replace(new()).unwrap());
        assert_eq!(drops::alive(), 3);
    });
}

#[test]
fn a_drop_that_panics_leaves_the_change_complete() {
    each_storage(|mut world, id| {
        let armed = || Held(Token::armed());
        let entity = world.spawn_empty().insert_by_id(id, armed()).unwrap().id();
        let other = world.spawn_empty().insert_by_id(id, Held(Token::new())).unwrap().id();
        expect_panic(|| _ = world.entity_mut(entity).insert_by_id(id, armed()));
        assert!(world.entity(entity).contains_id(id));
        world.check_invariants();
        expect_panic(|| _ = world.entity_mut(entity).remove_by_id(id));
        assert!(!world.entity(entity).contains_id(id) && world.entity(other).contains_id(id));
        world.check_invariants();
        world.entity_mut(entity).insert_by_id(id, armed()).unwrap();
        expect_panic(|| world.despawn(entity));
        assert!(!world.contains(entity));
        world.check_invariants();
        let entity = world.spawn_empty().insert_by_id(id, armed()).unwrap().id();
        let new = ErasedValue::new(world.components().info(id).unwrap().descriptor(), armed()).unwrap();
        expect_panic(|| _ = world.get_mut_by_id(entity, id).unwrap().replace(new));
        expect_panic(|| world.clear_entities());
        assert!(world.is_empty());
        world.check_invariants();
        world.spawn_empty().insert_by_id(id, armed()).unwrap();
        expect_panic(|| drop(world));
    });
}

#[test]
fn a_value_that_is_refused_comes_back_and_is_dropped_once() {
    each_storage(|mut world, id| {
        let dead = world.spawn_empty().id();
        world.despawn(dead);
        let numbers = register(&mut world, ComponentDescriptor::builder("drops:numbers", Description::<u32>::new()));
        let mut entity = world.spawn_empty();
        let error = entity.insert_by_id(numbers, Held(Token::new())).unwrap_err();
        assert_eq!(drops::alive(), 1);
        entity.insert_by_id(id, *error.into_inner()).unwrap();
        assert_eq!((drops::alive(), drops::dropped()), (1, 0));
        let value = ErasedValue::new(world.components().info(id).unwrap().descriptor(), Held(Token::new())).unwrap();
        let mut entity = world.spawn_empty();
        let error = entity.insert_by_ids([(numbers, value)]).unwrap_err();
        drop(error.into_inner());
        assert_eq!((drops::alive(), drops::dropped()), (1, 1));
    });
}

#[test]
fn values_without_a_size_are_dropped_as_often_as_they_were_made() {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    static DROPPED: AtomicUsize = AtomicUsize::new(0);

    struct Bell;

    impl Drop for Bell {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Relaxed);
        }
    }

    let mut world = World::new();
    for (storage, name) in [(StorageType::Table, "drops:bell"), (StorageType::Sparse, "drops:bell aside")] {
        DROPPED.store(0, Relaxed);
        let bell = ComponentDescriptor::builder(name, Description::<Bell>::new()).storage(storage);
        let bell = register(&mut world, bell);
        for n in 0..100_u32 {
            let mut entity = world.spawn_empty();
            entity.insert_by_id(bell, Bell).unwrap();
            if n % 3 == 0 {
                entity.insert_by_id(bell, Bell).unwrap();
            }
            if n % 2 == 0 {
                entity.remove_by_id(bell).unwrap();
            }
        }
        assert_eq!(DROPPED.load(Relaxed), 34 + 50);
        world.clear_entities();
        assert_eq!(DROPPED.load(Relaxed), 134);
    }
}
