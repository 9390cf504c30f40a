//! The cost of an operation does not grow with data that it does not touch. It is counted in bytes, never in time.

use std::num::NonZeroU32;

use strata_ecs::entity::EntityError;
use strata_ecs::prelude::*;
use strata_ecs::store::EntityBuilder;
use strata_tests::alloc::{held, requesting};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Value(u64);
#[derive(Component, Clone)]
struct Further(u64);
#[derive(Component, Clone, Default)]
#[component(clone)]
struct Bit<const NUMBER: u8>;

/// An entity in a table of its own for each number below a power of two, in order.
fn one_entity_a_table(world: &mut World, tables: u32) -> Vec<Entity> {
    macro_rules! add {
        ($builder:ident $number:ident: $($bit:literal)*) => {
            $(if $number >> $bit & 1 == 1 { $builder.add(Bit::<$bit>); })*
        };
    }
    let mut builder = EntityBuilder::new();
    let each = (0..tables).map(|number| {
        add!(builder number: 0 1 2 3 4 5 6 7 8 9 10 11);
        builder.add(Value(u64::from(number)));
        world.spawn_dynamic(&mut builder).id()
    });
    each.collect()
}

/// The bytes that operations on one entity of the last table ask for, one number for each, in a world of so many tables.
fn requested_by_one(tables: u32) -> Vec<usize> {
    let mut world = World::new();
    let last = *one_entity_a_table(&mut world, tables).last().expect("there are tables");
    let mut round = |last: Entity| {
        let mut requested = Vec::with_capacity(16);
        let mut note = |bytes: usize| requested.push(bytes);
        note(requesting(|| assert_eq!(world.many(&[last]).insert(Further(1)), 1)).1);
        note(requesting(|| assert_eq!(world.many(&[last]).remove::<Further>(), 1)).1);
        note(requesting(|| assert_eq!(world.many(&[last, last]).len(), 1)).1);
        let (clone, bytes) = requesting(|| world.clone_entity(last).expect("all can be cloned"));
        note(bytes);
        note(requesting(|| assert_eq!(world.many(&[clone]).despawn(), 1)).1);
        note(requesting(|| world.entity_mut(last).insert(Further(2)).remove::<Further>().id()).1);
        let clone = world.clone_entity(last).expect("all can be cloned");
        note(requesting(|| assert!(world.despawn(clone))).1);
        requested
    };
    // The first round allocates the memory that is kept for the next ones.
    round(last);
    round(last)
}

#[test]
fn changing_one_entity_asks_for_the_same_memory_among_few_tables_and_many() {
    let (few, many) = (requested_by_one(32), requested_by_one(4096));
    for (at, (few, many)) in few.into_iter().zip(many).enumerate() {
        // The entity itself has more components.
        assert!(many <= few + 2048, "operation {at} asks for {few} bytes among 32 tables, and {many} among 4096");
    }
}

#[test]
fn clearing_asks_for_memory_by_what_is_there_and_keeps_the_order_of_indexes() {
    // More tables than indexes, and more indexes than tables.
    for spare in [0, 20_000] {
        let mut world = World::new();
        let more: Vec<Entity> = world.spawn_batch((0..spare).map(Value)).collect();
        let ids = one_entity_a_table(&mut world, 1024);
        world.many(&more).despawn();
        world.many(&ids[4..]).despawn();
        let kept = [ids[1], ids[3]];
        assert!(world.despawn(ids[2]) && world.despawn(ids[0]));
        let ((), bytes) = requesting(|| world.clear_entities());
        assert!(bytes < 1024, "{bytes} bytes to remove 2 entities");
        assert!(world.is_empty() && world.tables().iter().all(|table| table.is_empty()));
        world.check_invariants();
        // The last one that ended is the first one to be used again: those that were cleared, in the order of their indexes,
        // and before them the two.
        let next: Vec<u32> = (0..4).map(|_| world.spawn_empty().id().index()).collect();
        assert_eq!(next, [kept[1], kept[0], ids[0], ids[2]].map(Entity::index));
    }
}

#[test]
fn clearing_a_world_empties_the_tables_of_all_entities() {
    for watched in [false, true] {
        let mut world = World::new();
        let removed = watched.then(|| world.removed_reader::<Value>());
        let ids = one_entity_a_table(&mut world, 256);
        world.many(&ids[..200]).despawn();
        world.clear_entities();
        world.check_invariants();
        assert!(world.is_empty() && world.tables().iter().all(|table| table.is_empty()));
        let fresh = one_entity_a_table(&mut world, 256);
        world.clear_entities();
        assert!(world.is_empty() && fresh.iter().all(|&id| !world.contains(id)));
        drop(removed);
    }
}

/// The id of an index with the last generation there is.
fn last_of(index: usize) -> Entity {
    Entity::from_bits(u64::from(NonZeroU32::MAX.get()) << 32 | index as u64)
}

#[test]
fn indexes_that_are_used_up_far_out_hold_no_memory() {
    const FAR: usize = 1 << 16;
    let mut world = World::new();
    world.spawn(Value(0));
    world.shrink_to_fit();
    let before = held();
    let mut used_up = Vec::new();
    for round in 0..41 {
        let far = last_of(world.entities().index_bound() + FAR);
        world.spawn_at(far, Value(round)).expect("the id was free");
        assert!(world.despawn(far));
        used_up.push(far);
    }
    world.shrink_to_fit();
    world.check_invariants();
    let more = held() - before - (used_up.capacity() * size_of::<Entity>()) as isize;
    assert!(more < 4096, "{more} bytes for one entity");
    // No index comes back, whatever asks for it.
    for &gone in &used_up {
        assert!(!world.contains(gone) && world.spawn_at(gone, Value(0)).is_err());
    }
    let near: Vec<Entity> = world.spawn_batch((0..10).map(Value)).collect();
    assert!(near.iter().all(|id| id.index() <= 10));
    let past = used_up[2].index() as usize;
    world.spawn_batch((0..past as u64).map(Value));
    assert!(used_up[..3].iter().all(|gone| world.entities().at_index(gone.index()).is_none()));
    world.check_invariants();
}

#[test]
fn an_id_that_is_not_there_yet_is_told_from_reserved_and_dead_ones_among_free_ids() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..1000).map(Value)).collect();
    // In an order of which the places in the list of free ids do not follow from the indexes.
    for at in 0..1000 {
        world.despawn(ids[at * 377 % 1000]);
    }
    let next = |entity: Entity| Entity::from_bits(entity.to_bits() + (1 << 32));
    let reserved: Vec<Entity> = world.reserve_entities(300).collect();
    for &id in &ids {
        let tenant = next(id);
        let expected = match reserved.contains(&tenant) {
            true => EntityError::Reserved(tenant),
            false => EntityError::Unknown(tenant),
        };
        assert_eq!(world.entities().why_not(tenant), expected);
        assert_eq!(world.entities().why_not(id), EntityError::Despawned(id.into()));
        let further = next(tenant);
        assert_eq!(world.entities().why_not(further), EntityError::Unknown(further));
    }
    world.flush();
    assert!(reserved.iter().all(|&id| world.contains(id)));
    world.check_invariants();
}
