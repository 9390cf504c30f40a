//! Columns as slices of the type of their values.

use strata_ecs::entity::TableId;
use strata_ecs::store::ColumnAccessError;

use super::*;

fn table_of(world: &World, id: ComponentId) -> TableId {
    world.tables().iter().find(|table| table.contains(id)).expect("there is one").id()
}

#[test]
fn a_column_is_a_slice_of_its_type() {
    let mut world = World::new();
    let numbers = register(&mut world, ComponentDescriptor::builder("columns:numbers", Description::<u64>::new()));
    let health = world.register_component::<Health>();
    for n in 0..100_u32 {
        world.spawn(Health(n)).insert_by_id(numbers, u64::from(n) * 2).unwrap();
    }
    let table = table_of(&world, numbers);
    assert!(world.column_by_id::<u64>(table, numbers).unwrap().iter().copied().eq((0..100).map(|n| n * 2)));
    assert_eq!(world.column_by_id::<Health>(table, health).unwrap()[99], Health(99));
    world.column_mut_by_id::<u64>(table, numbers).unwrap()[7] = 1;
    let entity = world.tables().get(table).unwrap().entities()[7];
    assert_eq!(world.get_by_id(entity, numbers).unwrap().downcast_ref(), Some(&1_u64));
    // An empty one, and one of values without a size.
    world.clear_entities();
    assert_eq!(world.column_by_id::<u64>(table, numbers).unwrap(), []);
    let tag = register(&mut world, unit("columns:tag"));
    world.spawn_empty().insert_by_id(tag, ()).unwrap();
    let table = table_of(&world, tag);
    assert_eq!(world.column_by_id::<()>(table, tag).unwrap(), [()]);
}

#[test]
fn what_is_no_column_is_an_error() {
    let mut world = World::new();
    let [table, sparse, ..] = all_storages(&mut world);
    let entity = world.spawn_empty().insert_by_id(table, String::new()).unwrap().id();
    world.entity_mut(entity).insert_by_id(sparse, String::new()).unwrap();
    let of = world.entity(entity).location().table;
    assert_eq!(
        world.column_by_id::<u8>(of, table).unwrap_err().to_string(),
        "component `storages:table` has values of type `alloc::string::String`, and no values of type `u8`"
    );
    let expected = ColumnAccessError::NoColumn { table: of, component: "storages:sparse" };
    assert_eq!(world.column_by_id::<String>(of, sparse), Err(expected));
    let mut other = World::new();
    let other_table = (0..9_u8).fold(TableId::EMPTY, |_, n| {
        let number =
            register(&mut other, ComponentDescriptor::builder(format!("columns:{n}"), Description::<u8>::new()));
        other.spawn_empty().insert_by_id(number, n).unwrap().location().table
    });
    assert_eq!(world.column_mut_by_id::<String>(other_table, table), Err(ColumnAccessError::UnknownTable(other_table)));
}

#[test]
fn entities_are_made_of_columns_of_components_at_run_time() {
    let mut world = World::new();
    let texts = |n: usize| (0..n).map(|n| n.to_string()).collect::<Vec<String>>();
    let [table, sparse] = [text("columns:table").build(), text("columns:sparse").storage(StorageType::Sparse).build()];
    let mut batch = ColumnBatch::new();
    batch.add(vec![Health(1); 10]).add_by_descriptor(table, texts(10)).unwrap();
    batch.add_by_descriptor(sparse, texts(3)).unwrap().add_by_descriptor(sparse, texts(10)).unwrap();
    let refused = batch.add_by_descriptor(table, vec![1_u8]).unwrap_err();
    assert_eq!(refused.component(), "columns:table");
    assert_eq!(refused.into_inner(), [1]);
    assert_eq!(batch.len(), 3);
    let entities: Vec<Entity> = world.spawn_columns(batch).unwrap().collect();
    let [table, sparse] =
        ["columns:table", "columns:sparse"].map(|name| world.components().get_id_by_name(name).unwrap());
    for (n, &entity) in entities.iter().enumerate() {
        assert_eq!(text_of(&world, entity, table), Some(&n.to_string()));
        assert_eq!(text_of(&world, entity, sparse), Some(&n.to_string()));
    }
    world.check_invariants();
}
