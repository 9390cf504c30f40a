//! The dispatch of events: the order of hooks and observers, panics, nested operations, entities and filters that observers watch, batches.

use alloc::vec::Vec;
use core::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs_derive::{Component, Event, Resource};

use super::{Observer, On, OnBatch};
use crate::component::{ComponentHook, ComponentId};
use crate::entity::Entity;
use crate::events::event::{Add, BeginMatch, Despawn, Discard, EndMatch, EventPattern, Insert, Remove};
use crate::events::event::{EntityEvent, LifecycleEvent};
use crate::query::{With, Without};
use crate::structure::store::Store;
use crate::system::ResMut;
use crate::system::commands::Commands;
use crate::world::World;

#[derive(Component, Clone, Copy)]
struct Left;

#[derive(Component, Clone, Copy)]
struct Right;

#[derive(Component, Clone, Copy)]
#[component(storage = "sparse")]
struct Sparse;

#[derive(Event)]
struct Tick;

/// The calls of hooks and observers, in order, each with a name and an entity.
#[derive(Resource, Default)]
struct Calls(Vec<(&'static str, Entity)>);

fn recording() -> World {
    let mut world = World::new();
    world.init_resource::<Calls>();
    world
}

fn take_calls(world: &mut World) -> Vec<(&'static str, Entity)> {
    core::mem::take(&mut world.resource_mut::<Calls>().0)
}

fn names(world: &mut World) -> Vec<&'static str> {
    take_calls(world).into_iter().map(|call| call.0).collect()
}

/// Creates an observer that records its calls under a name.
fn record<P: EventPattern<Event: EntityEvent>>(name: &'static str) -> Observer {
    Observer::new(move |on: On<'_, '_, P>, mut calls: ResMut<'_, Calls>| calls.0.push((name, on.event_target())))
}

/// Creates an observer like [`record`], which runs once for all entities of a batch.
fn record_batch<P: EventPattern<Event: LifecycleEvent>>(name: &'static str) -> Observer {
    Observer::new(move |on: OnBatch<'_, '_, P>, mut calls: ResMut<'_, Calls>| {
        calls.0.push((name, on.entities()[0]));
        calls.0.extend(on.entities()[1..].iter().map(|&entity| ("", entity)));
    })
}

macro_rules! hook {
    ($name:literal) => {{
        const HOOK: ComponentHook = |mut world, context| {
            world.resource_mut::<Calls>().0.push(($name, context.entity));
        };
        HOOK
    }};
}

/// Whether no dispatch is in progress and no event waits for delivery.
fn is_idle(store: &Store) -> bool {
    store.events.dispatch.is_idle() && store.events.pending.is_empty() && !store.events.has_pending
}

fn panics(operation: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(operation)).is_err()
}

#[test]
fn hooks_run_around_observers_in_the_order_of_the_life_of_a_component() {
    let mut world = recording();
    world
        .register_component_hooks::<Left>()
        .on_add(hook!("hook add"))
        .on_insert(hook!("hook insert"))
        .on_discard(hook!("hook discard"))
        .on_remove(hook!("hook remove"))
        .on_despawn(hook!("hook despawn"));
    // The order in which observers of different events are added has no effect.
    world.add_observer(record::<Despawn<Left>>("despawn"));
    world.add_observer(record::<Remove<Left>>("remove"));
    world.add_observer(record::<Insert<Left>>("insert"));
    world.add_observer(record::<Discard<Left>>("discard"));
    world.add_observer(record::<Add<Left>>("add"));
    let entity = world.spawn(Left).id();
    assert_eq!(names(&mut world), ["hook add", "add", "hook insert", "insert"]);
    world.entity_mut(entity).insert(Left);
    assert_eq!(names(&mut world), ["discard", "hook discard", "hook insert", "insert"]);
    world.entity_mut(entity).remove::<Left>();
    assert_eq!(names(&mut world), ["discard", "hook discard", "remove", "hook remove"]);
    world.entity_mut(entity).insert(Left);
    take_calls(&mut world);
    world.despawn(entity);
    let expected = ["despawn", "hook despawn", "discard", "hook discard", "remove", "hook remove"];
    assert_eq!(names(&mut world), expected);
    assert!(is_idle(&world.store));
}

#[test]
fn observers_of_one_event_run_in_the_order_in_which_they_were_added() {
    let mut world = recording();
    let entity = world.spawn_empty().id();
    world.add_observer(record::<Add<Left>>("1"));
    world.add_observer(record::<Add<(Left, Right)>>("2"));
    world.add_observer(record::<Add<Right>>("3").with_entity(entity));
    let removed = world.add_observer(record::<Add<Right>>("4"));
    world.add_observer(record::<Add<()>>("5"));
    assert!(world.remove_observer(removed));
    world.entity_mut(entity).insert((Left, Right));
    // Each observer runs once, even if it watches both components.
    assert_eq!(names(&mut world), ["1", "2", "3", "5"]);
    let other = world.spawn((Left, Right)).id();
    assert_eq!(take_calls(&mut world), ["1", "2", "5"].map(|name| (name, other)));
}

/// Tests that one row and many rows are handled the same way: each observer is notified of all entities in the order of
/// rows, before the next observer is.
#[test]
fn each_observer_is_notified_of_all_entities_before_the_next_one() {
    for count in [1, 2, 40] {
        let mut world = recording();
        world.add_observer(record::<Insert<Left>>("each"));
        world.add_observer(record_batch::<Insert<Left>>("batch"));
        world.add_observer(record_batch::<Add<(Left, Sparse)>>("sparse"));
        let ids: Vec<Entity> = world.spawn_batch((0..count).map(|_| Left)).collect();
        let of = |name: &'static str, rest: &'static str| {
            let ids = ids.iter().enumerate();
            ids.map(move |(at, &entity)| (if at == 0 { name } else { rest }, entity)).collect::<Vec<_>>()
        };
        let all = [of("sparse", ""), of("each", "each"), of("batch", "")].concat();
        assert_eq!(take_calls(&mut world), all);
        world.all::<With<Left>>().insert_with(|_| Left);
        assert_eq!(take_calls(&mut world), [of("each", "each"), of("batch", "")].concat());
        assert!(is_idle(&world.store));
    }
}

#[test]
fn an_observer_of_entities_is_notified_of_these_only() {
    let mut world = recording();
    let ids: [Entity; 5] = core::array::from_fn(|_| world.spawn_empty().id());
    world.add_observer(record::<Add<Left>>("all"));
    world.add_observer(record::<Add<Left>>("some").with_entities([ids[3], ids[1], ids[3]]));
    world.insert_batch(ids.map(|id| (id, Left)));
    let of_all = ids.map(|id| ("all", id));
    assert_eq!(take_calls(&mut world), [&of_all[..], &[("some", ids[1]), ("some", ids[3])]].concat());
    // The observer of a despawned entity is not notified of another entity that reuses its index.
    world.despawn(ids[1]);
    let next = world.spawn(Left).id();
    assert_eq!((next.index(), take_calls(&mut world)), (ids[1].index(), alloc::vec![("all", next)]));
}

#[test]
fn filters_begin_and_end_to_match_with_the_operation_on_the_whole() {
    type Visible = (With<Left>, Without<Right>);

    let mut world = recording();
    world.add_observer(record::<BeginMatch<Visible>>("begins"));
    world.add_observer(record::<EndMatch<Visible>>("ends"));
    let entity = world.spawn((Left, Right)).id();
    assert_eq!(names(&mut world), [""; 0]);
    world.entity_mut(entity).remove::<Right>();
    assert_eq!(names(&mut world), ["begins"]);
    world.entity_mut(entity).insert(Left);
    assert_eq!(names(&mut world), [""; 0]);
    world.entity_mut(entity).insert(Right);
    assert_eq!(names(&mut world), ["ends"]);
    world.entity_mut(entity).remove::<Right>();
    world.despawn(entity);
    assert_eq!(names(&mut world), ["begins", "ends"]);
}

#[test]
fn commands_of_observers_are_applied_when_the_outermost_dispatch_has_ended() {
    let mut world = recording();
    world.add_observer(|on: On<'_, '_, Add<Left>>, mut calls: ResMut<'_, Calls>, mut commands: Commands<'_, '_>| {
        calls.0.push(("left", on.entity));
        commands.entity(on.entity).insert(Right);
        commands.trigger(Tick);
    });
    world.add_observer(record::<Add<Left>>("also left"));
    world.add_observer(|_: On<'_, '_, Tick>, mut calls: ResMut<'_, Calls>| {
        calls.0.push(("tick", Entity::PLACEHOLDER));
    });
    world.add_observer(record::<Add<Right>>("right"));
    world.spawn(Left);
    assert_eq!(names(&mut world), ["left", "also left", "right", "tick"]);
    assert!(is_idle(&world.store));
}

#[test]
fn events_of_operations_that_are_one_are_delivered_at_its_end() {
    let mut world = recording();
    world.add_observer(record_batch::<Add<Left>>("add"));
    let mut made = Vec::new();
    world.store.batched(|store| {
        let world = World::from_store_mut(store);
        made.extend((0..3).map(|_| world.spawn(Left).id()));
        assert!(world.resource::<Calls>().0.is_empty());
        // Entities that are despawned before delivery are not reported.
        world.despawn(made[1]);
    });
    // The events of the two remaining entities are one batch.
    assert_eq!(take_calls(&mut world), [("add", made[0]), ("", made[2])]);
    assert!(is_idle(&world.store));
}

#[test]
fn a_panic_ends_the_dispatch_and_leaves_the_observers_usable() {
    let mut world = recording();
    world.add_observer(record::<Add<Left>>("first"));
    let panicking = world.add_observer(|_: On<'_, '_, Add<Left>>| panic!("the second one panics"));
    world.add_observer(record::<Add<Left>>("third"));
    assert!(panics(|| _ = world.spawn(Left)));
    assert!(panics(|| _ = world.spawn_batch([Left, Left])));
    assert_eq!(names(&mut world), ["first"; 3]);
    assert!(is_idle(&world.store));
    assert_eq!(world.query::<&Left>().iter(&world).count(), 3);
    assert!(world.remove_observer(panicking));
    world.spawn(Left);
    assert_eq!(names(&mut world), ["first", "third"]);
}

#[test]
fn a_panic_before_an_operation_waits_until_the_operation_has_ended() {
    let mut world = recording();
    world.add_observer(|_: On<'_, '_, Remove<Left>>| panic!("it panics before the operation"));
    let ids: Vec<Entity> = world.spawn_batch([Left; 4]).collect();
    let is_left = |world: &World, range: Range<usize>| ids[range].iter().any(|&id| world.get::<Left>(id).is_some());
    assert!(panics(|| _ = world.entity_mut(ids[0]).remove::<Left>()));
    assert!(panics(|| _ = world.despawn(ids[1])));
    assert!(!is_left(&world, 0..2) && is_left(&world, 2..4));
    assert!(panics(|| _ = world.all::<With<Left>>().remove::<Left>()));
    assert!(!is_left(&world, 0..4) && is_idle(&world.store));
}

/// Tests that an event of a type that is being dispatched becomes a command, and the events that it causes, too.
#[test]
fn events_that_lead_to_each_other_are_limited() {
    let mut world = recording();
    world.set_event_limit(5);
    world.add_observer(|_: On<'_, '_, Tick>, mut calls: ResMut<'_, Calls>, mut commands: Commands<'_, '_>| {
        calls.0.push(("tick", Entity::PLACEHOLDER));
        commands.trigger(Tick);
    });
    world.trigger(Tick);
    assert_eq!(names(&mut world).len(), 5);
    let errors = world.take_command_errors().0;
    assert_eq!(errors.len(), 1);
    assert!(alloc::format!("{}", errors[0]).contains("too many events led to it"));
    assert!(is_idle(&world.store));
}

#[test]
fn an_observer_of_all_components_is_notified_of_each_with_its_id() {
    #[derive(Resource, Default)]
    struct About(Vec<Vec<ComponentId>>);

    let mut world = World::new();
    world.init_resource::<About>();
    world.add_observer(|on: On<'_, '_, Add<()>>, mut about: ResMut<'_, About>| {
        let mut components = on.trigger().components.clone();
        components.sort_unstable();
        about.0.push(components);
    });
    world.spawn((Left, Right, Sparse));
    let mut all =
        [world.register_component::<Left>(), world.register_component::<Right>(), world.register_component::<Sparse>()];
    all.sort_unstable();
    assert_eq!(world.resource::<About>().0, [all]);
}
