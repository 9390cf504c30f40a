//! Methods that inspect a world.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::entity::EntityHashSet;
use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside;
#[derive(Resource)]
struct Score(u32);

#[test]
fn the_components_of_an_entity_are_listed_with_those_outside_of_tables() {
    let mut world = World::new();
    let entity = world.spawn((Health(1), Aside)).id();
    let mut names: Vec<&str> = world.inspect_entity(entity).unwrap().map(|(_, info)| info.name()).collect();
    names.sort_unstable();
    assert!(matches!(names[..], [a, h] if a.ends_with("Aside") && h.ends_with("Health")), "{names:?}");
    let id = world.component_id::<Aside>().unwrap();
    let info = world.components().get_info(id).unwrap();
    assert_eq!(info.storage_type(), info.storage());
    assert_eq!(world.components().iter_registered().count(), world.components().num_registered());
    world.despawn(entity);
    assert!(world.inspect_entity(entity).is_err());
    assert_eq!(world.entity_count(), 0);
}

#[test]
fn the_tick_of_last_changes_is_set_back_also_after_a_panic() {
    let mut world = World::new();
    let before = world.last_change_tick();
    world.clear_trackers();
    let last = world.last_change_tick();
    assert_ne!(before, last);
    assert_eq!(world.last_change_tick_scope(before, |world| world.last_change_tick()), before);
    assert_eq!(world.last_change_tick(), last);
    let scope = AssertUnwindSafe(|| world.last_change_tick_scope(before, |_| panic!("on purpose")));
    assert!(catch_unwind(scope).is_err());
    assert_eq!(world.last_change_tick(), last);
    // Another world keeps its own.
    let mut other = World::new();
    let of_other = other.last_change_tick();
    world.last_change_tick_scope(before, |world| std::mem::swap(world, &mut other));
    assert_eq!(world.last_change_tick(), of_other);
}

#[test]
fn a_resource_is_there_with_its_ticks_and_an_entity_with_a_given_id() {
    let mut world = World::new();
    world.insert_resource(Score(3));
    assert!(world.resource_ref::<Score>().is_added() && world.resource_ref::<Score>().0 == 3);
    let id = Entity::from_raw_u32(7).unwrap();
    assert_eq!(world.spawn_empty_at(id).unwrap().id(), id);
    assert!(world.spawn_empty_at(id).is_err());
    assert_eq!(id.index_u32(), 7);
}

#[test]
fn sets_of_entities_are_walked_by_a_query_that_is_kept() {
    let mut world = World::new();
    let set: EntityHashSet = world.spawn_batch([Health(1), Health(2)]).collect();
    let mut query = world.query::<&mut Health>();
    query.iter_many_unique_mut(&mut world, &set).matched().for_each(|mut health| health.0 *= 2);
    assert_eq!(query.iter_many_unique(&world, &set).matched().map(|health| health.0).sum::<u32>(), 6);
}

#[test]
#[expect(deprecated, reason = "these are the old names")]
fn names_of_unchecked_methods_do_what_the_checked_methods_do() {
    let mut world = World::new();
    let id = world.spawn((Health(1), Aside)).id();
    let mut entity = world.entity_mut(id);
    assert!(entity.get_components_mut_unchecked::<(&mut Health, &Aside)>().is_some_and(|(health, _)| health.0 == 1));
    assert!(entity.into_components_mut_unchecked::<&mut Health>().is_some_and(|health| health.0 == 1));
    let mut entity = world.entity_mut(id).into_mutable();
    assert!(entity.get_components_mut_unchecked::<(&mut Health, &Aside)>().is_some_and(|(health, _)| health.0 == 1));
    entity.into_components_mut_unchecked::<&mut Health>().unwrap().0 = 2;
    assert_eq!(world.get::<Health>(id), Some(&Health(2)));
}
