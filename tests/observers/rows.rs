//! Observers that run for many entities of one operation, one after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::event::AddEvent;
use strata_ecs::observer::Observer;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Kept(u32);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Extra(u32);
#[derive(Component)]
struct Mark;
#[derive(Component)]
#[component(storage = "sparse")]
struct Loose(u32);

#[derive(Resource, Default)]
struct Log(Vec<u32>);

/// A world with entities in two tables, in the order of their numbers.
fn world(count: u32) -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.spawn_batch((0..count).map(Kept));
    world
}

fn insert(world: &mut World) {
    world.all::<With<Kept>>().insert(Extra(7));
}

fn log(world: &mut World) -> Vec<u32> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[test]
fn all_entities_of_a_table_are_new_in_each_call_for_one_operation() {
    let mut world = world(3);
    world.add_observer(|_: On<Add<Extra>>, new: Query<(), Added<Extra>>, mut log: ResMut<Log>| {
        log.0.push(new.iter().count() as u32);
    });
    insert(&mut world);
    assert_eq!(log(&mut world), [3, 3, 3]);
    let one = world.spawn(Kept(3)).id();
    world.entity_mut(one).insert(Extra(1));
    assert_eq!(log(&mut world), [1]);
}

#[observer]
fn components(on: On<Add<Extra>>, entity: Entity, kept: &Kept, extra: &mut Extra, mut log: ResMut<Log>) {
    assert_eq!(on.entity, entity);
    extra.0 += kept.0;
    log.0.push(extra.0);
}

#[test]
fn components_of_each_entity_are_given_and_changed_in_order() {
    let mut world = world(3);
    world.add_observer(components);
    world.clear_trackers();
    insert(&mut world);
    assert!(world.resource_ref::<Log>().is_changed());
    assert_eq!(log(&mut world), [7, 8, 9]);
    let mut all = world.query::<&Extra>();
    assert_eq!(all.iter(&world).map(|extra| extra.0).collect::<Vec<_>>(), [7, 8, 9]);
}

#[observer(without(Loose))]
fn those_without(_: On<Add<Extra>>, kept: &Kept, mut log: ResMut<Log>) {
    log.0.push(kept.0);
}

#[observer]
fn those_with(_: On<Add<Extra>>, kept: &Kept, loose: &Loose, mut log: ResMut<Log>) {
    log.0.push(10 * kept.0 + loose.0);
}

#[test]
fn entities_that_do_not_match_are_passed_over_one_by_one() {
    let mut world = world(4);
    let ids: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    world.entity_mut(ids[1]).insert(Loose(5));
    world.entity_mut(ids[2]).insert(Loose(6));
    world.add_observer(those_without);
    world.add_observer(those_with);
    insert(&mut world);
    assert_eq!(log(&mut world), [0, 3, 15, 26]);
}

#[observer]
fn odd_ones_fail(_: On<Add<Extra>>, kept: &Kept, mut log: ResMut<Log>) -> Result {
    if kept.0 % 2 == 1 {
        return Err("odd".into());
    }
    log.0.push(kept.0);
    Ok(())
}

#[test]
fn an_error_of_one_entity_does_not_keep_the_others_from_being_told() {
    let mut world = world(5);
    world.add_observer(odd_ones_fail);
    world.add_observer(|on: On<Add<Extra>>, all: Query<&Kept>, mut log: ResMut<Log>| -> Result {
        let kept = all.get(on.entity).unwrap().0;
        if kept == 2 {
            return Err("two".into());
        }
        log.0.push(10 + kept);
        Ok(())
    });
    insert(&mut world);
    assert_eq!(log(&mut world), [0, 2, 4, 10, 11, 13, 14]);
    assert_eq!(world.take_command_errors().0.len(), 3);
}

#[observer]
fn mark_first(
    _: On<Add<Extra>>,
    kept: &Kept,
    mut commands: Commands,
    mut first: Local<Option<Entity>>,
    entity: Entity,
) {
    let first = *first.get_or_insert(entity);
    commands.entity(first).insert(Mark);
    commands.entity(first).insert(Kept(10 * kept.0));
}

#[test]
fn what_is_recorded_for_each_entity_is_an_operation_of_its_own() {
    let mut world = world(3);
    world.add_observer(mark_first);
    world.add_observer(|on: On<Insert<Kept>>, all: Query<&Kept>, mut log: ResMut<Log>| {
        log.0.push(all.get(on.entity).unwrap().0);
    });
    insert(&mut world);
    assert_eq!(log(&mut world), [0, 10, 20]);
}

#[test]
fn an_observer_that_changes_the_trigger_is_given_the_right_one_for_the_next_entity() {
    let mut world = world(3);
    let extra = world.register_component::<Extra>();
    world.add_observer(move |mut on: On<Add<Extra>>, mut log: ResMut<Log>| {
        assert_eq!(on.trigger().components, [extra]);
        on.trigger_mut().components.clear();
        *on.event_mut() = AddEvent { entity: Entity::PLACEHOLDER };
        log.0.push(1);
    });
    world.add_observer(move |on: On<Add<Extra>>| {
        assert_eq!(on.trigger().components, [extra]);
        assert_ne!(on.entity, Entity::PLACEHOLDER);
    });
    insert(&mut world);
    assert_eq!(log(&mut world), [1, 1, 1]);
}

#[observer]
fn third_one_panics(_: On<Add<Extra>>, kept: &Kept, mut log: ResMut<Log>) {
    assert!(kept.0 != 2, "the third");
    log.0.push(kept.0);
}

#[test]
fn a_panic_in_the_middle_leaves_what_the_others_did() {
    let mut world = world(4);
    world.add_observer(third_one_panics);
    world.clear_trackers();
    assert!(catch_unwind(AssertUnwindSafe(|| insert(&mut world))).is_err());
    assert!(world.resource_ref::<Log>().is_changed());
    assert_eq!(log(&mut world), [0, 1]);
    assert_eq!(world.query::<&Extra>().iter(&world).count(), 4);
    world.spawn((Kept(9), Extra(1)));
    assert_eq!(log(&mut world), [9]);
}

#[test]
fn conditions_are_asked_for_each_entity() {
    let mut world = world(4);
    world.add_observer(Observer::new(components).run_if(|log: Res<Log>| log.0.len() < 2));
    insert(&mut world);
    assert_eq!(log(&mut world), [7, 8]);
}
