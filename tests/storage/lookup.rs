//! Components of single entities are found by their types, in whichever table the entity is.

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct A(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct B(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct C(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct D(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct E(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct F(u32);
/// Has parameters, so it is found in another way.
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Generic<T: Send + Sync + 'static>(T);

/// One entity for each set of the components, in which a bit stands for each.
fn spawn(world: &mut World, set: u32) -> Entity {
    let mut entity = world.spawn_empty();
    if set & 1 != 0 {
        entity.insert(A(set));
    }
    if set & 2 != 0 {
        entity.insert(B(set));
    }
    if set & 4 != 0 {
        entity.insert(C(set));
    }
    if set & 8 != 0 {
        entity.insert(D(set));
    }
    if set & 16 != 0 {
        entity.insert(E(set));
    }
    if set & 32 != 0 {
        entity.insert(F(set));
    }
    if set & 64 != 0 {
        entity.insert(Generic(set));
    }
    entity.id()
}

fn check(world: &mut World, entity: Entity, set: u32) {
    let expected = |bit: u32| (set & bit != 0).then_some(set);
    assert_eq!(world.get::<A>(entity).map(|value| value.0), expected(1), "A of {set:b}");
    assert_eq!(world.get::<B>(entity).map(|value| value.0), expected(2), "B of {set:b}");
    assert_eq!(world.get::<C>(entity).map(|value| value.0), expected(4), "C of {set:b}");
    assert_eq!(world.get_mut::<D>(entity).map(|value| value.0), expected(8), "D of {set:b}");
    assert_eq!(world.entity(entity).get::<E>().map(|value| value.0), expected(16), "E of {set:b}");
    assert_eq!(world.get::<F>(entity).map(|value| value.0), expected(32), "F of {set:b}");
    assert_eq!(world.get::<Generic<u32>>(entity).map(|value| value.0), expected(64), "Generic of {set:b}");
    assert_eq!(world.get::<Generic<i8>>(entity), None);
}

#[test]
fn each_component_is_found_in_each_table_and_in_no_other() {
    let mut world = World::new();
    let entities: Vec<Entity> = (0..128).map(|set| spawn(&mut world, set)).collect();
    for (set, &entity) in entities.iter().enumerate() {
        check(&mut world, entity, set as u32);
    }
}

#[test]
fn components_are_found_after_tables_were_removed_and_have_new_numbers() {
    let mut world = World::new();
    let entities: Vec<Entity> = (0..128).map(|set| spawn(&mut world, set)).collect();
    // Every other table, then all but those with `F` alone or with no component, so that it is in one table at last.
    for round in [1, 31] {
        entities
            .iter()
            .enumerate()
            .filter(|(set, _)| set & round != 0)
            .for_each(|(_, &entity)| _ = world.despawn(entity));
        world.shrink_to_fit();
        world.check_invariants();
        for (set, &entity) in entities.iter().enumerate() {
            match world.contains(entity) {
                true => check(&mut world, entity, set as u32),
                false => assert_eq!((world.get::<F>(entity), world.get::<Generic<u32>>(entity)), (None, None)),
            }
        }
    }
    // Tables that come now get numbers that others had.
    let again: Vec<Entity> = (0..128).map(|set| spawn(&mut world, set)).collect();
    for (set, &entity) in again.iter().enumerate() {
        check(&mut world, entity, set as u32);
    }
}

#[test]
fn nothing_is_found_for_an_id_that_is_not_alive() {
    let mut world = World::new();
    let [first, second] = [1, 2].map(|n| world.spawn(A(n)).id());
    let reserved = world.reserve_entity();
    let mut query = world.query::<&A>();
    world.despawn(first);
    for id in [first, reserved, Entity::PLACEHOLDER] {
        assert_eq!(world.get::<A>(id), None);
        assert!(query.get(&world, id).is_err());
    }
    assert_eq!(world.get::<A>(second), Some(&A(2)));
    // The next id of a free index has the generation that its slot waits for.
    let mut other = World::new();
    let next = [0; 2].map(|_| other.spawn(A(0)).id())[0];
    other.despawn(next);
    let next = other.spawn(A(3)).id();
    assert_eq!((world.get::<A>(next), query.get(&world, next).is_err()), (None, true));
}
