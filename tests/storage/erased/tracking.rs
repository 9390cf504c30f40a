//! Changes and removals of components by id.

use strata_ecs::component::ErasedValue;

use super::*;

#[test]
fn to_write_is_a_change_and_to_look_is_none() {
    let mut world = World::new();
    let ids = STORAGES.map(|storage| {
        let name = if storage == StorageType::Table { "tracking:table" } else { "tracking:sparse" };
        register(&mut world, text(name).storage(storage).tracking(ChangeTracking::Always))
    });
    let entity = world.spawn_empty().id();
    for id in ids {
        world.entity_mut(entity).insert_by_id(id, String::from("a")).unwrap();
        let is_changed = |world: &mut World| {
            let changed = world.get_mut_by_id(entity, id).unwrap().is_changed();
            world.clear_trackers();
            changed
        };
        assert!(world.get_mut_by_id(entity, id).unwrap().is_added());
        assert!(is_changed(&mut world));
        let mut value = world.get_mut_by_id(entity, id).unwrap();
        assert_eq!(value.downcast_mut::<String>().unwrap().as_str(), "a");
        assert_eq!(format!("{value:?} {}", value.as_ref().downcast_ref::<String>().unwrap()), "\"a\" a");
        assert!(value.downcast_mut::<u8>().is_none() && value.replace(ErasedValue::of(Health(1))).is_err());
        assert!(!value.is_changed());
        assert!(!is_changed(&mut world));
        world.get_mut_by_id(entity, id).unwrap().downcast_mut::<String>().unwrap().push('b');
        assert!(is_changed(&mut world));
        let new = ErasedValue::new(world.components().info(id).unwrap().descriptor(), String::new()).unwrap();
        world.get_mut_by_id(entity, id).unwrap().replace(new).unwrap();
        assert!(is_changed(&mut world));
        world.get_mut_by_id(entity, id).unwrap().set_changed();
        assert!(is_changed(&mut world) && !is_changed(&mut world));
        let before = world.change_tick();
        world.entity_mut(entity).insert_by_id(id, String::new()).unwrap();
        let ticks = world.entity_mut(entity).get_change_ticks_by_id(id).unwrap();
        assert!(ticks.changed == before && ticks.added != before);
    }
}

#[test]
fn a_value_that_is_mapped_changes_when_the_result_is_dereferenced_mutably() {
    let mut world = World::new();
    let ids = [world.register_component::<Health>(), world.register_component::<Aside>()];
    let entity = world.spawn((Health(1), Aside("a".into()))).id();
    let mut changed = world.query_filtered::<Entity, Or<(Changed<Health>, Changed<Aside>)>>();
    assert_eq!(changed.iter(&world).count(), 1);
    world.clear_trackers();
    let health = world.get_mut_by_id(entity, ids[0]).unwrap();
    let health: Mut<'_, u32> = health.map_unchanged(|value| {
        let value = value.deref_mut::<Health>();
        value.0 += 1;
        &mut value.0
    });
    assert!(*health == 2 && !health.is_changed());
    assert_eq!(changed.iter(&world).count(), 0);
    let text = world.get_mut_by_id(entity, ids[1]).unwrap();
    let mut text: Mut<'_, str> = text.map_unchanged(|value| value.deref_mut::<Aside>().0.as_mut_str());
    text.make_ascii_uppercase();
    assert!(text.is_changed());
    assert_eq!(changed.iter(&world).count(), 1);
    assert_eq!((world.get(entity), world.get(entity)), (Some(&Health(2)), Some(&Aside("A".into()))));
}

#[test]
fn filters_see_what_is_written_by_id() {
    let mut world = World::new();
    let ids = [world.register_component::<Health>(), world.register_component::<Aside>()];
    let mut changed = world.query_filtered::<Entity, Or<(Changed<Health>, Changed<Aside>)>>();
    let [a, b] = [1, 2].map(|n| world.spawn((Health(n), Aside(String::new()))).id());
    let found = |world: &mut World, changed: &mut QueryState<_, _>| {
        let found: Vec<Entity> = changed.iter(world).collect();
        world.clear_trackers();
        found
    };
    assert_eq!(found(&mut world, &mut changed), [a, b]);
    let _ = world.get_by_id(a, ids[0]).unwrap();
    let _ = world.get_mut_by_id(a, ids[0]).unwrap();
    assert_eq!(found(&mut world, &mut changed), []);
    world.get_mut_by_id(b, ids[0]).unwrap().downcast_mut::<Health>().unwrap().0 = 9;
    assert_eq!(found(&mut world, &mut changed), [b]);
    world.get_mut_by_id(a, ids[1]).unwrap().downcast_mut::<Aside>().unwrap().0.push('a');
    assert_eq!(found(&mut world, &mut changed), [a]);
    world.entity_mut(a).insert_by_id(ids[0], Health(5)).unwrap();
    assert_eq!(found(&mut world, &mut changed), [a]);
    let table = world.entity(a).location().table;
    let _ = world.column_by_id::<Health>(table, ids[0]).unwrap();
    assert!(world.column_mut_by_id::<u8>(table, ids[0]).is_err());
    assert_eq!(found(&mut world, &mut changed), []);
    let _ = world.column_mut_by_id::<Health>(table, ids[0]).unwrap();
    assert_eq!(found(&mut world, &mut changed), [a, b]);
    world.check_invariants();
}

#[test]
fn what_is_never_tracked_counts_as_changed() {
    let mut world = World::new();
    let id = register(&mut world, text("tracking:never").tracking(ChangeTracking::Never));
    let entity = world.spawn_empty().insert_by_id(id, String::new()).unwrap().id();
    world.clear_trackers();
    assert!(world.get_mut_by_id(entity, id).unwrap().is_changed());
    world.increment_change_tick();
    assert!(world.entity(entity).get_change_ticks_by_id(id).is_none());
    assert!(!world.components().info(id).unwrap().is_tracked());
}

#[test]
fn to_ask_for_changes_begins_to_track_them() {
    let mut world = World::new();
    let id = register(&mut world, text("tracking:on demand"));
    let entity = world.spawn_empty().insert_by_id(id, String::new()).unwrap().id();
    assert!(world.entity(entity).get_change_ticks_by_id(id).is_none());
    world.run_system_once(|| {}).unwrap();
    world.clear_trackers();
    assert!(!world.get_mut_by_id(entity, id).unwrap().is_changed());
    world.get_mut_by_id(entity, id).unwrap().downcast_mut::<String>().unwrap().push('a');
    assert!(world.get_mut_by_id(entity, id).unwrap().is_changed());
}

#[test]
fn removals_are_read_by_id() {
    let mut world = World::new();
    for id in all_storages(&mut world) {
        let mut reader = world.removed_reader_by_id(id).unwrap();
        let is_text =
            world.components().info(id).unwrap().descriptor().value_type_id() == Some(std::any::TypeId::of::<String>());
        let entities = [(); 4].map(|()| {
            let mut entity = world.spawn_empty();
            let entity = if is_text {
                entity.insert_by_id(id, String::new()).unwrap()
            } else {
                entity.insert_by_id(id, ()).unwrap()
            };
            entity.id()
        });
        world.entity_mut(entities[2]).remove_by_id(id).unwrap().remove_by_id(id).unwrap();
        world.despawn(entities[0]);
        assert_eq!(reader.read(&world).collect::<Vec<_>>(), [entities[2], entities[0]]);
        world.clear_entities();
        assert_eq!(reader.len(&world), 2);
        reader.clear(&world);
        world.check_invariants();
    }
}

#[test]
fn typed_readers_see_removals_by_id() {
    let mut world = World::new();
    let health = world.register_component::<Health>();
    let mut values = world.removed_value_reader::<Health>();
    let entity = world.spawn(Health(3)).id();
    world.entity_mut(entity).insert_by_id(health, Health(4)).unwrap().remove_by_id(health).unwrap();
    assert!(values.read(&world).map(|(entity, health)| (entity, health.0)).eq([(entity, 4)]));
}
