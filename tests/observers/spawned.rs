//! Observers that are components of entities.

use strata_ecs::observer::ObserverId;
use strata_ecs::prelude::*;

use super::{Log, noted, world};

#[derive(Event)]
struct Tick(u32);

#[derive(EntityEvent)]
struct Hit(Entity);

/// An observer that notes ticks with its number.
fn numbered(number: u32) -> Observer {
    Observer::new(move |tick: On<Tick>, mut log: ResMut<Log>| log.note(format!("{number}: {}", tick.0)))
}

fn id_of(world: &World, entity: Entity) -> ObserverId {
    world.get::<Observer>(entity).and_then(Observer::id).expect("the observer was added")
}

#[test]
fn a_spawned_observer_is_told_until_its_entity_ends() {
    let mut world = world();
    let entity = world.spawn(numbered(1)).id();
    world.trigger(Tick(1));
    world.despawn(entity);
    world.trigger(Tick(2));
    assert_eq!(noted(&mut world), ["1: 1"]);
}

#[test]
fn another_observer_takes_its_place_and_a_removal_ends_it() {
    let mut world = world();
    let entity = world.spawn(numbered(1)).id();
    let first = id_of(&world, entity);
    world.entity_mut(entity).insert(numbered(2));
    world.trigger(Tick(1));
    assert!(!world.remove_observer(first) && id_of(&world, entity) != first);
    world.entity_mut(entity).remove::<Observer>();
    world.trigger(Tick(2));
    assert_eq!(noted(&mut world), ["2: 1"]);
}

#[test]
fn it_watches_entities_and_asks_conditions() {
    let mut world = world();
    let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    let note = |hit: On<Hit>, mut log: ResMut<Log>| log.note(hit.0);
    world.spawn(Observer::new(note).with_entity(a).run_if(|log: Res<Log>| log.0.len() < 2));
    for entity in [a, b, a, a] {
        world.trigger(Hit(entity));
    }
    assert_eq!(noted(&mut world), [a.to_string(), a.to_string()]);
}

#[test]
fn commands_batches_and_children_spawn_observers() {
    let mut world = world();
    world.commands().spawn((Name::new("first"), numbered(1)));
    world.flush();
    world.spawn_batch([numbered(2), numbered(3)]);
    let parent = world.spawn(children![numbered(4)]).id();
    world.trigger(Tick(1));
    assert_eq!(noted(&mut world), ["1: 1", "2: 1", "3: 1", "4: 1"]);
    world.despawn(parent);
    world.trigger(Tick(2));
    assert_eq!(noted(&mut world), ["1: 2", "2: 2", "3: 2"]);
    assert_eq!(world.query::<&Observer>().iter(&world).count(), 3);
}

#[test]
fn it_is_told_of_what_exists_already_if_it_asks() {
    #[derive(Component)]
    struct Lamp;

    let mut world = world();
    world.spawn_batch([Lamp, Lamp]);
    let lamps = Observer::new(|added: On<Add<Lamp>>, mut log: ResMut<Log>| log.note(added.entity));
    world.spawn(lamps.yield_existing());
    assert_eq!(noted(&mut world).len(), 2);
}

#[test]
fn one_that_has_left_its_world_observes_nothing() {
    let mut world = world();
    let entity = world.spawn(numbered(1)).id();
    let taken = world.entity_mut(entity).take::<Observer>().unwrap();
    assert!(taken.id().is_some() && taken.system_name().contains("numbered"));
    world.entity_mut(entity).insert(taken);
    world.trigger(Tick(1));
    let taken = world.entity_mut(entity).take::<Observer>().unwrap();
    let id = world.add_observer(taken);
    world.trigger(Tick(2));
    assert!(noted(&mut world).is_empty() && !world.remove_observer(id));
}

#[test]
fn an_entity_that_ends_at_once_leaves_no_observer() {
    let mut world = world();
    let entity = world.spawn_empty().id();
    world.commands().entity(entity).insert(numbered(1)).despawn();
    world.commands().spawn(numbered(2)).remove::<Observer>();
    world.flush();
    world.trigger(Tick(1));
    assert!(noted(&mut world).is_empty());
}
