//! If one component of one entity changes, which has a fast path, observers and hooks get the same events as on the general path.

use strata_ecs::event::{BeginMatch, EndMatch};
use strata_ecs::observer::Observer;
use strata_ecs::prelude::*;

use crate::{Log, noted, world};

#[derive(Component, Clone, Copy)]
struct Kept(u32);
#[derive(Component, Clone, Copy)]
struct Extra(u32);
#[derive(Component, Clone, Copy)]
struct Other;

/// The listeners, with a name for messages.
type Listeners = (&'static str, fn(&mut World, &[Entity]));

const LISTENERS: [Listeners; 12] = [
    ("none", |_, _| {}),
    ("add", |world, _| _ = world.add_observer(add)),
    ("insert", |world, _| _ = world.add_observer(insert)),
    ("both, twice", |world, _| {
        world.add_observer(insert);
        world.add_observer(add);
        world.add_observer(add);
        world.add_observer(insert);
    }),
    ("add of two components", |world, _| {
        world.add_observer(|on: On<Add<(Extra, Other)>>, mut log: ResMut<Log>| {
            log.note(format!("either {} {}", on.entity, on.trigger().components.len()));
        });
    }),
    ("a hook alone", |world, _| {
        world.register_component_hooks::<Extra>().on_add(hook);
    }),
    ("a hook and observers", |world, _| {
        world.add_observer(add);
        world.register_component_hooks::<Extra>().on_insert(hook);
        world.add_observer(insert);
    }),
    ("an observer of an entity", |world, entities| {
        world.add_observer(Observer::new(add).with_entity(entities[2]));
        world.add_observer(insert);
    }),
    ("a filter that is met", |world, _| _ = world.add_observer(begin)),
    ("a filter and observers", |world, _| {
        world.add_observer(insert);
        world.add_observer(begin);
        world.add_observer(|on: On<EndMatch<(With<Kept>, Without<Extra>)>>, mut log: ResMut<Log>| {
            log.note(format!("end {}", on.entity));
        });
    }),
    ("an observer that was removed, and one that removes itself", |world, _| {
        let gone = world.add_observer(add);
        world.add_observer(|on: On<Add<Extra>>, mut log: ResMut<Log>, mut commands: Commands| {
            log.note(format!("once {}", on.entity));
            commands.remove_observer(on.observer());
        });
        world.remove_observer(gone);
        world.add_observer(insert);
    }),
    ("an observer that removes the component", |world, _| {
        world.add_observer(|on: On<Add<Extra>>, mut log: ResMut<Log>, mut commands: Commands| {
            log.note(format!("away {}", on.entity));
            commands.entity(on.entity).remove::<Extra>();
        });
        world.add_observer(insert);
    }),
];

fn add(on: On<Add<Extra>>, all: Query<&Extra>, mut log: ResMut<Log>) {
    log.note(format!("add {} {}", on.entity, all.get(on.entity).unwrap().0));
}

fn insert(on: On<Insert<Extra>>, all: Query<&Extra>, mut log: ResMut<Log>) {
    log.note(format!("insert {} {}", on.entity, all.get(on.entity).unwrap().0));
}

fn begin(on: On<BeginMatch<(With<Kept>, With<Extra>)>>, mut log: ResMut<Log>) {
    log.note(format!("begin {}", on.entity));
}

fn hook(mut world: strata_ecs::world::DeferredWorld, context: strata_ecs::component::HookContext) {
    world.resource_mut::<Log>().note(format!("hook {}", context.entity));
}

/// Returns the events of entities that get a component, one entity after the other.
fn told(listen: fn(&mut World, &[Entity]), insert: fn(&mut World, Entity, Extra)) -> Vec<String> {
    let mut world = world();
    let entities: Vec<Entity> = world.spawn_batch((0..5).map(Kept)).collect();
    listen(&mut world, &entities);
    // With room for all of them in the table to which they go, from the second time on.
    for round in 0..2 {
        for &entity in &entities {
            insert(&mut world, entity, Extra(round));
        }
        world.all::<With<Extra>>().remove::<Extra>();
    }
    noted(&mut world)
}

#[test]
fn one_component_of_one_entity_is_told_as_it_is_in_a_list_and_by_a_command() {
    for (name, listen) in LISTENERS {
        let single = told(listen, |world, entity, extra| _ = world.entity_mut(entity).insert(extra));
        let listed = told(listen, |world, entity, extra| _ = world.many(&[entity]).insert(extra));
        let command = told(listen, |world, entity, extra| {
            world.commands().entity(entity).insert(extra);
            world.flush();
        });
        assert_eq!(single, listed, "{name}");
        assert_eq!(single, command, "{name}");
        assert_eq!(single.is_empty(), name == "none", "{name}");
    }
}

#[test]
fn an_insert_that_too_much_has_led_to_is_reported_and_takes_place() {
    let mut world = world();
    let entities: Vec<Entity> = world.spawn_batch((0..4).map(Kept)).collect();
    world.add_observer(add);
    for &entity in &entities[..2] {
        world.entity_mut(entity).insert(Extra(1));
    }
    noted(&mut world);
    world.set_event_limit(0);
    world.entity_mut(entities[2]).insert(Extra(2));
    let errors = world.take_command_errors().0;
    assert!(errors.iter().any(|error| error.to_string().contains("too many events led to it")), "{errors:?}");
    assert_eq!((world.get::<Extra>(entities[2]).unwrap().0, noted(&mut world)), (2, Vec::new()));
    world.set_event_limit(1);
    world.entity_mut(entities[3]).insert(Extra(3));
    assert_eq!(noted(&mut world), [format!("add {} 3", entities[3])]);
    assert!(world.take_command_errors().0.is_empty());
}
