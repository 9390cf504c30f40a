//! Every mistake is an error that names the component and the entity, and changes nothing.

use strata_ecs::component::ErasedValue;
use strata_ecs::entity::EntityError;
use strata_ecs::store::ErasedAccessError;

use super::*;

fn value(world: &World, id: ComponentId, text: &str) -> ErasedValue {
    ErasedValue::new(world.components().info(id).unwrap().descriptor(), String::from(text)).unwrap()
}

#[test]
fn entities_that_are_gone() {
    let mut world = World::new();
    let [table, sparse, ..] = all_storages(&mut world);
    let entity = world.spawn_empty().insert_by_id(sparse, String::new()).unwrap().id();
    world.despawn(entity);
    // The index has a new tenant.
    let tenant = world.spawn_empty().insert_by_id(sparse, String::from("tenant")).unwrap().id();
    assert_eq!(tenant.index(), entity.index());
    for id in [table, sparse] {
        let component = world.components().name(id);
        let expected = ErasedAccessError::Entity { error: EntityError::Despawned(entity.into()), component };
        assert_eq!(world.get_by_id(entity, id).err(), Some(expected.clone()));
        assert_eq!(world.get_mut_by_id(entity, id).err(), Some(expected.clone()));
        assert!(expected.to_string().contains(component) && expected.to_string().contains(&entity.to_string()));
    }

    let mut found = world.entity_mut(tenant);
    found.world_scope(|world| world.despawn(tenant));
    assert!(matches!(found.get_by_id(table), Err(ErasedAccessError::Entity { .. })));
    assert!(matches!(found.get_mut_by_id(table), Err(ErasedAccessError::Entity { .. })));
    assert!(matches!(found.remove_by_id(table), Err(ErasedAccessError::Entity { .. })));
    let refused = found.insert_by_id(table, String::from("a")).unwrap_err();
    assert!(matches!(refused.error(), ErasedAccessError::Entity { .. }));
    assert_eq!(*refused.into_inner(), "a");
    let new = value(found.world(), table, "b");
    let refused = found.insert_erased(new).unwrap_err().into_inner();
    let refused = found.insert_by_ids([(table, refused)]).unwrap_err().into_inner().pop().unwrap().1;
    assert_eq!(refused.downcast::<String>().unwrap(), "b");
    world.check_invariants();
}

#[test]
fn ids_that_are_only_reserved() {
    let mut world = World::new();
    let [table, ..] = all_storages(&mut world);
    let entity = world.reserve_entity();
    assert!(matches!(
        world.get_by_id(entity, table),
        Err(ErasedAccessError::Entity { error: EntityError::Reserved(_), .. })
    ));
}

#[test]
fn components_that_an_entity_lacks() {
    let mut world = World::new();
    let ids = all_storages(&mut world);
    let entity = world.spawn(Health(1)).id();
    for id in ids {
        let component = world.components().name(id);
        let expected = ErasedAccessError::Missing { entity, component };
        assert_eq!(world.get_by_id(entity, id).err(), Some(expected.clone()));
        assert_eq!(world.entity(entity).get_by_id(id).err(), Some(expected.clone()));
        assert_eq!(world.entity_mut(entity).get_mut_by_id(id).err(), Some(expected.clone()));
        assert_eq!(expected.to_string(), format!("entity {entity} does not have component `{component}`"));
        assert!(world.entity(entity).get_change_ticks_by_id(id).is_none());
    }
}

#[test]
fn values_of_another_type_or_component() {
    let mut world = World::new();
    let [table, sparse, tag, _] = all_storages(&mut world);
    let mut entity = world.spawn(Health(1));
    let refused = entity.insert_by_id(sparse, 3_u8).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "entity {}: component `storages:sparse` has values of type `alloc::string::String`, and no values of type `u8`",
            entity.id()
        )
    );
    assert_eq!(*refused.into_inner(), 3);
    let new = value(entity.world(), table, "a");
    let refused = entity.insert_by_ids([(tag, new)]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "entity {}: the value for component `storages:table tag` is a value of component `storages:table`",
            entity.id()
        )
    );
    let values = [(table, value(entity.world(), table, "a")), (sparse, value(entity.world(), sparse, "b"))];
    let twice = values.into_iter().chain([(table, value(entity.world(), table, "c"))]);
    let refused = entity.insert_by_ids(twice).unwrap_err();
    assert!(matches!(refused.error(), ErasedAccessError::Duplicate { component: "storages:table", .. }));
    assert_eq!(refused.into_inner().len(), 3);
    assert_eq!(entity.as_readonly().components().count(), 1);
    assert!(
        entity.insert_by_id(table, String::new()).unwrap().get_mut_by_id(table).unwrap().downcast_mut::<u8>().is_none()
    );
    world.check_invariants();
}

#[test]
fn ids_of_other_worlds() {
    let (mut world, mut other) = (World::new(), World::new());
    let known = register(&mut world, text("errors:known"));
    let numbers = register(&mut other, ComponentDescriptor::builder("errors:numbers", Description::<u64>::new()));
    let foreign = register(&mut other, ComponentDescriptor::builder("errors:foreign", Description::<u64>::new()));
    let mut entity = world.spawn_empty();
    // This world has no such number.
    let expected = ErasedAccessError::UnknownComponent { entity: entity.id(), id: foreign };
    assert_eq!(entity.get_by_id(foreign).err(), Some(expected.clone()));
    assert_eq!(entity.get_mut_by_id(foreign).err(), Some(expected.clone()));
    assert_eq!(entity.remove_by_id(foreign).err(), Some(expected.clone()));
    assert_eq!(entity.insert_by_id(foreign, 1_u64).unwrap_err().error(), &expected);
    assert!(!entity.contains_id(foreign));
    // It has one of this number, with values of another type.
    assert_eq!(numbers, known);
    assert!(matches!(
        entity.insert_by_id(numbers, 1_u64).unwrap_err().error(),
        ErasedAccessError::WrongType { component: "errors:known", .. }
    ));
    let of_other = ErasedValue::new(other.components().info(numbers).unwrap().descriptor(), 1_u64).unwrap();
    assert!(matches!(
        entity.insert_by_ids([(numbers, of_other)]).unwrap_err().error(),
        ErasedAccessError::WrongComponent { component: "errors:known", found: "errors:numbers", .. }
    ));
    let table = entity.location().table;
    assert!(
        world.column_by_id::<u64>(table, foreign).is_err() && world.column_mut_by_id::<u64>(table, foreign).is_err()
    );
    assert!(world.removed_reader_by_id(foreign).is_none());
    world.check_invariants();
}

#[test]
fn a_value_whose_component_cannot_be_in_the_world() {
    let mut world = World::new();
    register(&mut world, text("errors:taken"));
    let other = ComponentDescriptor::builder("errors:taken", Description::<u8>::new()).build();
    let mut entity = world.spawn_empty();
    let refused = entity.insert_erased(ErasedValue::new(other, 3_u8).unwrap()).unwrap_err();
    assert!(matches!(refused.error(), ErasedAccessError::Register { .. }));
    assert!(refused.to_string().contains("`errors:taken`") && refused.to_string().contains(&entity.id().to_string()));
    assert_eq!(refused.into_inner().downcast::<u8>().unwrap(), 3);
    let mut builder = EntityBuilder::new();
    builder.add_erased(ErasedValue::new(other, 3_u8).unwrap());
    let message = strata_tests::panics::expect_panic(|| world.spawn_dynamic(&mut builder).id());
    assert!(message.contains("`errors:taken`"), "{message}");
    world.check_invariants();
}

#[test]
fn a_bundle_that_is_refused_leaves_nothing_half_registered() {
    #[derive(Component)]
    struct Kept(std::sync::Arc<()>);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Mark;
    #[derive(Component)]
    #[component(name = "taken")]
    struct First;
    #[derive(Component)]
    #[component(name = "taken")]
    struct Second;

    let mut world = World::new();
    let counted = std::sync::Arc::new(());
    let entity = world.spawn((Kept(counted.clone()), First)).id();
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        world.spawn((Mark, Second));
    }));
    assert!(refused.is_err(), "two components have one name");
    let ids = [world.component_id::<Kept>().unwrap(), world.component_id::<Mark>().unwrap()];
    world.entity_mut(entity).remove_by_ids(&ids).unwrap();
    assert!(world.get::<Kept>(entity).is_none());
    assert_eq!(std::sync::Arc::strong_count(&counted), 1);
    world.check_invariants();
}

#[test]
fn a_slot_that_panics_leaves_no_component_half_registered() {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use strata_ecs::component::{ComponentKey, Mutable, StorageType, TypeSlot};

    static CALLS: AtomicU32 = AtomicU32::new(0);
    static FAILS: AtomicU32 = AtomicU32::new(0);

    #[derive(Debug, PartialEq)]
    struct Numbers([usize; 3]);
    impl Component for Numbers {
        type Mutability = Mutable;
        const STORAGE_TYPE: StorageType = StorageType::Table;
        const KEY: ComponentKey = ComponentKey::new(None, None, module_path!(), "Numbers", line!(), column!());
        fn slot() -> Option<&'static TypeSlot<Self>> {
            static SLOT: TypeSlot<Numbers> = TypeSlot::new();
            assert!(CALLS.fetch_add(1, Relaxed) + 1 != FAILS.load(Relaxed), "asked for a slot");
            Some(&SLOT)
        }
    }
    #[derive(Component)]
    #[require(Numbers = Numbers([7; 3]))]
    struct Requires;
    #[derive(Component)]
    struct Text(String);

    for fails in 1..=8 {
        CALLS.store(0, Relaxed);
        FAILS.store(fails, Relaxed);
        let mut world = World::new();
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.register_component::<Requires>()));
        FAILS.store(0, Relaxed);
        world.register_component::<Text>();
        let entity = world.spawn(Requires).id();
        assert!(world.get::<Text>(entity).map(|text| text.0.len()).is_none(), "call {fails}");
        assert_eq!(world.get(entity), Some(&Numbers([7; 3])), "call {fails}");
    }
}
