//! The line that a panic names: the call in the program, not a line of the library.

use strata_ecs::prelude::*;
use strata_ecs::world::{ComponentEntry, EntityWorldMut};
use strata_tests::panics::expect_panic_at;

#[derive(Component, Clone, Default, Debug, PartialEq)]
struct Health(u32);

#[derive(Component)]
#[require(Health)]
struct Monster;

#[derive(Resource)]
struct Score;

#[derive(EntityEvent)]
struct Hit(Entity);

/// Calls that need a live entity.
const ON_THE_DEAD: &[(&str, fn(&mut EntityWorldMut<'_>))] = &[
    ("insert", |entity| _ = entity.insert(Health(1))),
    ("insert_if_new", |entity| _ = entity.insert_if_new(Health(1))),
    ("insert_dynamic", |entity| _ = entity.insert_dynamic(EntityBuilder::new().add(Health(1)))),
    ("remove", |entity| _ = entity.remove::<Health>()),
    ("remove_with_requires", |entity| _ = entity.remove_with_requires::<Monster>()),
    ("take", |entity| _ = entity.take::<Health>()),
    ("take_all", |entity| _ = entity.take_all()),
    ("replace", |entity| _ = entity.replace::<Health, Monster>(Monster)),
    ("exchange", |entity| _ = entity.exchange::<Health, Monster>(Monster).is_ok()),
    ("retain", |entity| _ = entity.retain::<Health>()),
    ("clear", |entity| _ = entity.clear()),
    ("location", |entity| _ = entity.location()),
    ("as_readonly().location", |entity| _ = entity.as_readonly().location()),
    ("observe", |entity| _ = entity.observe(|_: On<'_, '_, Hit>| {})),
    ("get_components", |entity| _ = entity.get_components::<&Health>()),
    ("resource_scope", |entity| entity.resource_scope(|_, _: Mut<'_, Score>| {})),
    ("try_resource_scope", |entity| _ = entity.try_resource_scope(|_, _: Mut<'_, Score>| {})),
    ("reborrow_scope", |entity| entity.reborrow_scope(|_| {})),
    ("entry().or_default", |entity| _ = entity.entry::<Health>().or_default()),
    ("entry().insert_entry", |entity| _ = entity.entry().insert_entry(Health(1))),
    ("add_child", |entity| _ = entity.add_child(entity.id())),
    ("insert_children", |entity| _ = entity.insert_children(0, &[entity.id()])),
    ("replace_children", |entity| _ = entity.replace_children(&[entity.id()])),
    ("detach_all_children", |entity| _ = entity.detach_all_children()),
];

#[test]
fn a_call_on_a_despawned_entity_panics_at_the_line_of_the_call() {
    for (name, call) in ON_THE_DEAD {
        let mut world = World::new();
        world.insert_resource(Score);
        let mut entity = world.spawn((Health(3), Monster));
        entity.reborrow_scope(|entity| entity.despawn());
        let ((file, _), text) = expect_panic_at(|| call(&mut entity));
        assert_eq!(file, file!(), "`{name}` panics with: {text}");
        assert!(text.contains("entity"), "`{name}` panics with: {text}");
    }
}

/// Calls on a world with the id of a despawned entity.
const WITH_THE_ID_OF_THE_DEAD: &[(&str, fn(&mut World, Entity))] = &[
    ("entity", |world, dead| _ = world.entity(dead)),
    ("entity of several", |world, dead| _ = world.entity([dead, dead])),
    ("entity_mut", |world, dead| _ = world.entity_mut(dead)),
    ("entity_mut of several", |world, dead| _ = world.entity_mut([dead])),
];

#[test]
fn a_call_with_the_id_of_a_despawned_entity_panics_at_the_line_of_the_call() {
    for (name, call) in WITH_THE_ID_OF_THE_DEAD {
        let mut world = World::new();
        let dead = world.spawn_empty().id();
        world.despawn(dead);
        let ((file, _), text) = expect_panic_at(|| call(&mut world, dead));
        assert_eq!(file, file!(), "`{name}` panics with: {text}");
    }
}

#[test]
fn an_entry_whose_component_an_observer_has_removed_panics_at_the_line_of_the_call() {
    let calls: [(&str, fn(ComponentEntry<'_, '_, Health>)); 4] = [
        ("get", |entry| _ = entry.insert_entry(Health(1)).get()),
        ("get_mut", |entry| _ = entry.insert_entry(Health(1)).get_mut()),
        ("into_mut", |entry| _ = entry.insert_entry(Health(1)).into_mut()),
        ("take", |entry| _ = entry.insert_entry(Health(1)).take()),
    ];
    for (name, call) in calls {
        let mut world = World::new();
        world.add_observer(|added: On<'_, '_, Add<Health>>, mut commands: Commands<'_, '_>| {
            commands.entity(added.entity).remove::<Health>();
        });
        let mut entity = world.spawn_empty();
        let ((file, _), text) = expect_panic_at(|| call(entity.entry()));
        assert_eq!(file, file!(), "`{name}` panics with: {text}");
    }
}
