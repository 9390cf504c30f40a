//! Commands for components by id.

use strata_ecs::component::ErasedValue;

use super::*;

#[test]
fn commands_do_what_calls_do() {
    let mut world = World::new();
    let [table, sparse, tag, _] = all_storages(&mut world);
    let descriptor = text("commands:new").build();
    let entity = world.spawn(Health(1)).id();
    world
        .run_system_once(move |mut commands: Commands<'_, '_>| {
            let new = ErasedValue::new(descriptor, String::from("c")).expect("it is a text");
            commands.entity(entity).insert_by_id(table, String::from("a")).insert_by_id(sparse, String::from("b"));
            commands.entity(entity).insert_erased(new).insert_by_id(tag, ()).remove_by_id(tag).remove::<Health>();
            // One that does not exist yet.
            commands.spawn_empty().insert_by_id(table, String::from("new")).insert(Health(2));
        })
        .unwrap();
    let new = world.components().get_id_by_name("commands:new").unwrap();
    let texts = [table, sparse, new].map(|id| text_of(&world, entity, id).unwrap().as_str());
    assert_eq!(texts, ["a", "b", "c"]);
    assert_eq!(world.entity(entity).components().count(), 3);
    let spawned = world.iter_entities().find(|entity| entity.contains::<Health>()).unwrap().id();
    assert_eq!(text_of(&world, spawned, table).unwrap(), "new");
    assert!(world.take_command_errors().0.is_empty());
    world.check_invariants();
}

#[test]
fn mistakes_are_command_errors() {
    let mut world = World::new();
    let [table, ..] = all_storages(&mut world);
    register(&mut world, unit("commands:taken"));
    let mut other = World::new();
    let foreign = (0..9).map(|n| {
        let builder = ComponentDescriptor::builder(format!("commands:{n}"), Description::<()>::new());
        other.register_component_with_descriptor(builder.build()).expect("the name is free")
    });
    let foreign = foreign.last().expect("there are some");
    let taken = ErasedValue::new(text("commands:taken").build(), String::new()).unwrap();
    let (dead, entity) = (world.spawn_empty().id(), world.spawn_empty().id());
    world.despawn(dead);
    let mut commands = world.commands();
    commands.entity(dead).insert_by_id(table, String::new()).remove_by_id(table);
    commands.entity(entity).insert_by_id(table, 3_u8).insert_erased(taken).insert_by_id(table, String::from("a"));
    commands.entity(entity).remove_by_id(foreign);
    world.flush();
    let (errors, _) = world.take_command_errors();
    let shown: Vec<(&str, &str, bool)> =
        errors.iter().map(|error| (error.command(), error.bundle(), error.error().is_some())).collect();
    assert_eq!(
        shown,
        [
            ("insert_by_id", "storages:table", true),
            ("remove_by_id", "storages:table", true),
            ("insert_by_id", "", false),
            ("insert_erased", "", false),
            ("remove_by_id", "", false),
        ]
    );
    assert!(
        errors[2].to_string().contains("no values of type `u8`") && errors[3].to_string().contains("`commands:taken`")
    );
    assert_eq!(text_of(&world, entity, table).unwrap(), "a");
    world.check_invariants();
}
