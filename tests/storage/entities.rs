//! Entity ids: their bits, their lives, and reserving them from a shared world.

use std::collections::HashSet;
use std::mem::size_of;

use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Age(u32);

#[test]
fn an_id_takes_eight_bytes_and_leaves_a_niche_for_option() {
    assert_eq!(size_of::<Entity>(), 8);
    assert_eq!(size_of::<Option<Entity>>(), 8);
}

#[test]
fn ids_survive_the_way_through_bits() {
    let mut world = World::new();
    for _ in 0..100 {
        let entity = world.spawn_empty().id();
        assert_eq!(Entity::from_bits(entity.to_bits()), entity);
        assert_eq!(Entity::try_from_bits(entity.to_bits()), Some(entity));
    }
}

#[test]
fn distinct_ids_have_distinct_bits() {
    let mut world = World::new();
    let mut seen = HashSet::new();
    for round in 0..10 {
        let entities: Vec<Entity> = (0..10).map(|_| world.spawn_empty().id()).collect();
        for entity in entities {
            assert!(seen.insert(entity.to_bits()), "round {round} handed {entity:?} out again");
            assert!(world.despawn(entity));
        }
    }
}

#[test]
fn an_index_is_used_again_with_another_generation() {
    let mut world = World::new();
    let first = world.spawn(Age(1)).id();
    assert!(world.despawn(first));
    let second = world.spawn(Age(2)).id();
    assert_eq!(first.index(), second.index());
    assert_ne!(first.generation(), second.generation());
    assert_ne!(first, second);
}

#[test]
fn a_raw_index_makes_an_id_of_the_first_generation() {
    let raw = Entity::from_raw_u32(7).expect("7 is an index");
    assert_eq!(raw.index(), 7);
    let mut world = World::new();
    let first = world.spawn_empty().id();
    assert_eq!(Entity::from_raw_u32(first.index()), Some(first));
}

#[test]
fn the_placeholder_never_lives() {
    let mut world = World::new();
    world.spawn_batch((0..10).map(Age)).count();
    assert!(!world.contains(Entity::PLACEHOLDER));
    assert!(world.get::<Age>(Entity::PLACEHOLDER).is_none());
    assert!(!world.despawn(Entity::PLACEHOLDER));
}

#[test]
fn ids_can_be_compared_hashed_and_printed() {
    let mut world = World::new();
    let first = world.spawn_empty().id();
    let second = world.spawn_empty().id();
    assert!(first < second || second < first);
    let set: HashSet<Entity> = [first, second, first].into_iter().collect();
    assert_eq!(set.len(), 2);
    assert_ne!(format!("{first:?}"), format!("{second:?}"));
    assert_ne!(format!("{first}"), format!("{second}"));
}

#[test]
fn a_stale_id_is_refused_by_every_method() {
    let mut world = World::new();
    let stale = world.spawn(Age(1)).id();
    world.despawn(stale);
    let tenant = world.spawn(Age(2)).id();
    assert_eq!(stale.index(), tenant.index());

    assert!(!world.contains(stale));
    assert!(world.get::<Age>(stale).is_none());
    assert!(world.get_mut::<Age>(stale).is_none());
    assert!(world.get_entity(stale).is_err());
    assert!(world.get_entity_mut(stale).is_err());
    assert!(world.try_despawn(stale).is_err());
    assert!(!world.despawn(stale));
    assert_eq!(world.get::<Age>(tenant), Some(&Age(2)));
    world.check_invariants();
}

#[test]
fn the_panic_for_a_dead_entity_names_it_and_says_why() {
    let mut world = World::new();
    let stale = world.spawn(Age(1)).id();
    world.despawn(stale);
    let text = expect_panic(|| world.entity(stale).id());
    assert!(text.contains(&format!("{stale}")), "{text}");
    let text = expect_panic(|| world.entity_mut(stale).id());
    assert!(text.contains(&format!("{stale}")), "{text}");
    let error = world.get_entity(stale).map(|_| ()).expect_err("the entity is dead");
    assert!(error.to_string().contains(&format!("{stale}")), "{error}");
}

#[test]
fn an_error_tells_a_despawned_entity_from_one_that_never_was() {
    let mut world = World::new();
    let stale = world.spawn(Age(1)).id();
    world.despawn(stale);
    let never = Entity::from_raw_u32(1_000_000).expect("an index");
    let despawned = world.get_entity(stale).map(|_| ()).expect_err("dead").to_string();
    let unknown = world.get_entity(never).map(|_| ()).expect_err("unknown").to_string();
    assert_ne!(despawned.replace(&format!("{stale}"), ""), unknown.replace(&format!("{never}"), ""));
}

#[test]
fn an_entity_reserved_from_a_shared_world_lives_after_flush() {
    let mut world = World::new();
    let reserved = {
        let shared: &World = &world;
        shared.reserve_entity()
    };
    world.flush();
    assert!(world.contains(reserved));
    world.entity_mut(reserved).insert(Age(3));
    assert_eq!(world.get::<Age>(reserved), Some(&Age(3)));
    world.check_invariants();
}

#[test]
fn reserved_ids_are_unique_and_take_free_indexes_too() {
    let mut world = World::new();
    let old: Vec<Entity> = world.spawn_batch((0..8).map(Age)).collect();
    for entity in &old[..4] {
        world.despawn(*entity);
    }
    let reserved: Vec<Entity> = world.reserve_entities(20).collect();
    let unique: HashSet<Entity> = reserved.iter().copied().collect();
    assert_eq!(unique.len(), 20);
    assert!(old.iter().all(|entity| !unique.contains(entity)));
    world.flush();
    assert_eq!(world.len(), 24);
    assert!(reserved.iter().all(|entity| world.contains(*entity)));
    world.check_invariants();
}

#[test]
fn spawning_after_a_reservation_needs_no_flush_by_hand() {
    let mut world = World::new();
    let reserved = world.reserve_entity();
    let spawned = world.spawn(Age(1)).id();
    assert_ne!(reserved, spawned);
    world.flush();
    assert!(world.contains(reserved));
    assert_eq!(world.get::<Age>(spawned), Some(&Age(1)));
    world.check_invariants();
}

#[test]
fn a_reserved_entity_can_be_despawned() {
    let mut world = World::new();
    let reserved = world.reserve_entity();
    world.flush();
    assert!(world.despawn(reserved));
    assert!(!world.contains(reserved));
    assert_eq!(world.len(), 0);
    world.check_invariants();
}

#[test]
fn flush_twice_changes_nothing_more() {
    let mut world = World::new();
    world.reserve_entities(3).count();
    world.flush();
    world.flush();
    assert_eq!(world.len(), 3);
    world.check_invariants();
}

#[test]
fn every_living_entity_is_listed_once() {
    let mut world = World::new();
    let mut living = HashSet::new();
    living.extend(world.spawn_batch((0..5).map(Age)));
    living.insert(world.spawn_empty().id());
    living.extend(world.reserve_entities(2));
    world.flush();
    let gone = *living.iter().next().expect("some");
    world.despawn(gone);
    living.remove(&gone);
    let listed: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
    assert_eq!(listed.len(), living.len());
    assert_eq!(listed.into_iter().collect::<HashSet<_>>(), living);
}

#[test]
fn len_follows_spawn_and_despawn() {
    let mut world = World::new();
    assert!(world.is_empty());
    let entity = world.spawn_empty().id();
    assert_eq!(world.len(), 1);
    assert!(!world.is_empty());
    world.despawn(entity);
    assert_eq!(world.len(), 0);
    assert!(world.is_empty());
}

#[test]
fn clearing_the_world_ends_every_entity_and_keeps_resources() {
    #[derive(Resource)]
    struct Kept;
    let mut world = World::new();
    world.insert_resource(Kept);
    let entities: Vec<Entity> = world.spawn_batch((0..10).map(Age)).collect();
    world.clear_entities();
    assert_eq!(world.len(), 0);
    assert!(entities.iter().all(|entity| !world.contains(*entity)));
    assert_eq!(world.query::<&Age>().iter(&world).count(), 0);
    assert!(world.contains_resource::<Kept>());
    let next = world.spawn(Age(11)).id();
    assert!(!entities.contains(&next), "an id of a former life was given out again");
    world.check_invariants();
}
