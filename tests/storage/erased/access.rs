//! Values that are inserted by id can be read by id and by type, and are dropped when they are removed.

use strata_ecs::component::ErasedValue;

use super::*;

#[test]
fn what_is_inserted_is_there_until_it_is_removed_in_every_storage() {
    let mut world = World::new();
    let [table, sparse, table_tag, sparse_tag] = all_storages(&mut world);
    let mut entity = world.spawn(Health(1));
    entity.insert_by_id(table, String::from("a")).unwrap().insert_by_id(sparse, String::from("b")).unwrap();
    entity.insert_by_id(table_tag, ()).unwrap().insert_by_id(sparse_tag, ()).unwrap();
    for id in [table, sparse, table_tag, sparse_tag] {
        assert!(entity.contains_id(id) && entity.as_readonly().contains_id(id));
        assert_eq!(entity.get_by_id(id).unwrap().descriptor().name(), entity.world().components().name(id));
    }
    assert_eq!(entity.as_readonly().components().count(), 5);
    let entity = entity.id();
    assert_eq!(text_of(&world, entity, table).unwrap(), "a");
    assert_eq!(text_of(&world, entity, sparse).unwrap(), "b");
    assert_eq!(world.get_by_id(entity, sparse_tag).unwrap().downcast_ref(), Some(&()));
    world.check_invariants();

    let mut found = world.entity_mut(entity);
    found.insert_by_id(table, String::from("c")).unwrap().insert_by_id(sparse, String::from("d")).unwrap();
    assert_eq!(found.get_by_id(table).unwrap().downcast_ref(), Some(&String::from("c")));
    assert_eq!(found.get_by_id(sparse).unwrap().downcast_ref(), Some(&String::from("d")));
    found.remove_by_id(table).unwrap().remove_by_ids(&[sparse_tag, sparse, table_tag, sparse]).unwrap();
    assert_eq!(found.as_readonly().components().count(), 1);
    found.remove_by_id(table).unwrap();
    assert_eq!(world.get(entity), Some(&Health(1)));
    world.check_invariants();
}

#[test]
fn several_components_of_one_type_are_apart() {
    let mut world = World::new();
    let [heat, cold] = ["access:heat", "access:cold"]
        .map(|name| register(&mut world, ComponentDescriptor::builder(name, Description::<f32>::new())));
    let entity = world.spawn_empty().insert_by_id(heat, 1_f32).unwrap().insert_by_id(cold, 2_f32).unwrap().id();
    let value = |id| *world.get_by_id(entity, id).unwrap().downcast_ref::<f32>().unwrap();
    assert_eq!((value(heat), value(cold)), (1.0, 2.0));
}

#[test]
fn components_that_are_types_are_reached_by_id() {
    let mut world = World::new();
    let ids =
        [world.register_component::<Health>(), world.register_component::<Aside>(), world.register_component::<Tag>()];
    let mut entity = world.spawn_empty();
    entity.insert_by_id(ids[0], Health(3)).unwrap().insert_by_id(ids[1], Aside("a".into())).unwrap();
    entity.insert_by_id(ids[2], Tag).unwrap();
    assert_eq!((entity.get(), entity.get(), entity.get()), (Some(&Health(3)), Some(&Aside("a".into())), Some(&Tag)));
    entity.get_mut_by_id(ids[0]).unwrap().downcast_mut::<Health>().unwrap().0 += 1;
    entity.get_mut_by_id(ids[1]).unwrap().downcast_mut::<Aside>().unwrap().0.push('b');
    assert_eq!((entity.get(), entity.get()), (Some(&Health(4)), Some(&Aside("ab".into()))));
    entity.remove_by_ids(&ids).unwrap();
    assert_eq!(entity.as_readonly().components().count(), 0);
    world.check_invariants();
}

#[test]
fn several_values_are_one_move() {
    let mut world = World::new();
    let [table, sparse, table_tag, sparse_tag] = all_storages(&mut world);
    let heat = ComponentDescriptor::builder("access:some heat", Description::<f32>::new()).build();
    let heat = world.register_component_with_descriptor(heat).unwrap();
    let new = |id, value: &str| {
        let descriptor = world.components().info(id).unwrap().descriptor();
        (id, ErasedValue::new(descriptor, String::from(value)).unwrap())
    };
    let tag = |id| (id, ErasedValue::new(world.components().info(id).unwrap().descriptor(), ()).unwrap());
    let values = [tag(sparse_tag), new(sparse, "b"), tag(table_tag), new(table, "a")];
    let tables = world.tables().iter().len();
    let mut entity = world.spawn_empty();
    entity.insert_by_ids(values).unwrap();
    let entity = entity.id();
    assert_eq!(world.tables().iter().len(), tables + 1);
    assert_eq!(world.entity(entity).components().count(), 4);
    assert_eq!(text_of(&world, entity, table).unwrap(), "a");
    assert!(world.get_by_id(entity, heat).is_err());
    world.entity_mut(entity).insert_by_ids([]).unwrap().remove_by_ids(&[]).unwrap();
    assert_eq!(world.entity(entity).components().count(), 4);
    world.check_invariants();
}

#[test]
fn what_is_required_comes_along() {
    let mut world = World::new();
    let knight = world.register_component::<Knight>();
    let entity = world.spawn_empty().insert_by_id(knight, Knight).unwrap().id();
    assert_eq!(world.get(entity), Some(&Shield(7)));

    let sparse = text("access:required").storage(StorageType::Sparse).build();
    let builder = unit("access:requires").require(|| Shield(9)).require_by(sparse, || String::from("new"));
    let requires = register(&mut world, builder);
    let sparse = world.components().get_id_by_name("access:required").unwrap();
    assert!(world.components().info(requires).unwrap().required_components().any(|id| id == sparse));
    let entity = world.spawn_empty().insert_by_id(requires, ()).unwrap().id();
    assert_eq!((world.get(entity), text_of(&world, entity, sparse).unwrap().as_str()), (Some(&Shield(9)), "new"));
    // Existing values are unchanged.
    let entity = world.spawn(Shield(1)).insert_by_id(sparse, String::from("old")).unwrap().id();
    world.entity_mut(entity).insert_by_id(requires, ()).unwrap();
    assert_eq!((world.get(entity), text_of(&world, entity, sparse).unwrap().as_str()), (Some(&Shield(1)), "old"));
    world.check_invariants();
}

#[test]
fn values_are_taken_out() {
    let mut world = World::new();
    let ids = all_storages(&mut world);
    for id in ids {
        let mut reader = world.removed_reader_by_id(id).unwrap();
        let entity = world.spawn(Health(3)).insert_by_id(ids[0], String::from("stays")).unwrap().id();
        let descriptor = world.components().info(id).unwrap().descriptor();
        let value = if descriptor.value_type_name() == "()" {
            ErasedValue::new(descriptor, ()).unwrap()
        } else {
            ErasedValue::new(descriptor, String::from("taken")).unwrap()
        };
        world.entity_mut(entity).insert_erased(value).unwrap();
        let mut found = world.entity_mut(entity);
        let taken = found.take_by_id(id).unwrap();
        assert_eq!(taken.descriptor().name(), descriptor.name());
        assert!(taken.as_ref().downcast_ref::<String>().is_none_or(|text| text == "taken"));
        assert!(!found.contains_id(id) && found.contains_id(ids[0]) != (id == ids[0]) && found.contains::<Health>());
        assert!(found.take_by_id(id).unwrap_err().to_string().contains(descriptor.name()));
        assert_eq!(reader.read(&world).collect::<Vec<_>>(), [entity]);
        world.check_invariants();
    }
}

#[test]
fn values_are_replaced_in_place() {
    let mut world = World::new();
    let [table, sparse, ..] = all_storages(&mut world);
    for id in [table, sparse] {
        let descriptor = world.components().info(id).unwrap().descriptor();
        let entity = world.spawn_empty().insert_by_id(id, String::from("old")).unwrap().id();
        let mut value = world.get_mut_by_id(entity, id).unwrap();
        let new = ErasedValue::new(descriptor, String::from("new")).unwrap();
        assert_eq!(value.replace(new).unwrap().downcast::<String>().unwrap(), "old");
        let refused = value.replace(ErasedValue::of(Health(3))).unwrap_err();
        assert_eq!(refused.downcast::<Health>().unwrap(), Health(3));
        assert_eq!(format!("{value:?}"), "\"new\"");
        assert_eq!(value.into_mut::<String>().unwrap().as_str(), "new");
    }
}

#[test]
fn values_are_compared_cloned_and_shown_as_far_as_is_known() {
    let value = ErasedValue::new(text("access:known").build(), String::from("a")).unwrap();
    let copy = value.as_ref().try_clone().unwrap();
    assert_eq!(value.as_ref().try_eq(copy.as_ref()), Some(true));
    let other = ErasedValue::new(text("access:another").build(), String::from("a")).unwrap();
    assert_eq!(value.as_ref().try_eq(other.as_ref()), None);
    let default = ErasedValue::default_of(value.descriptor()).unwrap();
    assert_eq!(value.as_ref().try_eq(default.as_ref()), Some(false));
    assert_eq!(format!("{value:?} {default:?}"), "\"a\" \"\"");

    let unknown = ErasedValue::new(held("access:unknown").build(), Held(Token::new())).unwrap();
    assert!(unknown.as_ref().try_clone().is_none() && ErasedValue::default_of(unknown.descriptor()).is_none());
    assert_eq!(unknown.as_ref().try_eq(unknown.as_ref()), None);
    assert_eq!(format!("{unknown:?}"), "access:unknown { .. }");
    assert!(ErasedValue::default_of(ComponentDescriptor::of_resource::<Score>()).is_none());
}

#[derive(Resource, Default)]
struct Score;

#[test]
fn a_builder_takes_values_of_any_component() {
    let mut world = World::new();
    let name = text("access:built").build();
    let mut builder = EntityBuilder::new();
    let new = |value: &str| ErasedValue::new(name, String::from(value)).unwrap();
    builder.add(Health(3)).add_erased(new("first")).add_erased(new("second")).add_erased(ErasedValue::of(Health(4)));
    assert_eq!((builder.len(), builder.type_ids().count()), (2, 1));
    assert_eq!(builder.names().collect::<Vec<_>>()[1], "access:built");
    assert_eq!(builder.iter_erased().last().unwrap().downcast_ref(), Some(&String::from("second")));
    assert_eq!(builder.get(), Some(&Health(4)));
    let entity = world.spawn_dynamic(&mut builder).id();
    let id = world.components().get_id_by_name("access:built").unwrap();
    assert_eq!(text_of(&world, entity, id).unwrap(), "second");

    let mut taken = world.entity_mut(entity).take_all();
    assert_eq!(taken.take_erased(name).unwrap().downcast::<String>().unwrap(), "second");
    assert!(taken.take_erased(name).is_none());
    assert_eq!(taken.take(), Some(Health(4)));
    world.check_invariants();
}

#[test]
fn transitions_are_told_once() {
    use strata_ecs::store::Transition::{Gained, Lost, Replaced};

    let mut world = World::new();
    let [table, sparse, ..] = all_storages(&mut world);
    let entity = world.spawn_empty().id();
    world.record_transitions(true);
    for id in [table, sparse] {
        let mut found = world.entity_mut(entity);
        found.insert_by_id(id, String::new()).unwrap().insert_by_id(id, String::new()).unwrap();
        let _ = found.get_mut_by_id(id).unwrap().downcast_mut::<String>().unwrap().as_mut();
        found.remove_by_id(id).unwrap().remove_by_id(id).unwrap();
        let told = world.take_transitions();
        assert_eq!(told, [Gained(id), Replaced(id), Lost(id)].map(|transition| (entity, transition)));
    }
}
