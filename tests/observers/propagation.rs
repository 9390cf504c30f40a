//! Events that go on to other entities.

use strata_ecs::event::{PropagateEntityTrigger, Traversal};
use strata_ecs::prelude::*;

use super::{Log, noted, world};

/// The entity on which this one hangs.
#[derive(Component)]
struct HangsOn(Entity);

impl<E> Traversal<E> for &HangsOn {
    fn traverse(item: &HangsOn, _: &E) -> Option<Entity> {
        Some(item.0)
    }
}

#[derive(EntityEvent)]
#[entity_event(auto_propagate, propagate = &'static HangsOn)]
struct Pull {
    #[event_target]
    at: Entity,
    force: u32,
}

#[derive(EntityEvent)]
#[entity_event(propagate = &'static HangsOn)]
struct Tap(Entity);

/// Hook, lamp and bulb: each hangs on the one before.
fn chain(world: &mut World) -> [Entity; 3] {
    let hook = world.spawn_empty().id();
    let lamp = world.spawn(HangsOn(hook)).id();
    [hook, lamp, world.spawn(HangsOn(lamp)).id()]
}

fn names(entities: &[Entity]) -> Vec<String> {
    entities.iter().map(ToString::to_string).collect()
}

#[test]
fn an_event_goes_on_to_the_end() {
    let mut world = world();
    let [hook, lamp, bulb] = chain(&mut world);
    world.add_observer(|pull: On<Pull>, mut log: ResMut<Log>| {
        assert_eq!(pull.event_target(), pull.at);
        log.note(pull.at);
    });
    world.trigger(Pull { at: bulb, force: 1 });
    assert_eq!(noted(&mut world), names(&[bulb, lamp, hook]));
}

#[test]
fn at_each_entity_those_of_all_come_first_and_the_original_target_is_kept() {
    let mut world = world();
    let [hook, _, bulb] = chain(&mut world);
    world.entity_mut(hook).observe(move |pull: On<Pull>, mut log: ResMut<Log>| {
        assert_eq!(pull.original_event_target(), bulb);
        log.note("hook");
    });
    world.entity_mut(bulb).observe(|_: On<Pull>, mut log: ResMut<Log>| log.note("bulb"));
    world.add_observer(|_: On<Pull>, mut log: ResMut<Log>| log.note("all"));
    world.trigger(Pull { at: bulb, force: 1 });
    assert_eq!(noted(&mut world), ["all", "bulb", "all", "all", "hook"]);
}

#[test]
fn an_observer_ends_it_after_the_others_of_the_entity_and_changes_go_on() {
    let mut world = world();
    let [_, lamp, bulb] = chain(&mut world);
    world.entity_mut(lamp).observe(|mut pull: On<Pull>| pull.propagate(false));
    world.entity_mut(lamp).observe(|pull: On<Pull>, mut log: ResMut<Log>| {
        assert!(!pull.get_propagate());
        log.note(pull.force);
    });
    world.add_observer(|mut pull: On<Pull>| pull.force += 1);
    let mut pull = Pull { at: bulb, force: 1 };
    world.trigger_ref(&mut pull);
    assert_eq!((noted(&mut world), pull.at, pull.force), (vec!["3".to_owned()], lamp, 3));
}

#[test]
fn without_auto_an_observer_asks_for_it() {
    let mut world = world();
    let [hook, lamp, bulb] = chain(&mut world);
    world.add_observer(|tap: On<Tap>, mut log: ResMut<Log>| log.note(tap.0));
    world.trigger(Tap(bulb));
    assert_eq!(noted(&mut world), names(&[bulb]));
    world.add_observer(|mut tap: On<Tap>| tap.propagate(true));
    world.trigger(Tap(bulb));
    assert_eq!(noted(&mut world), names(&[bulb, lamp, hook]));
}

#[test]
fn a_trigger_of_the_caller_says_it_and_tells_how_it_ended() {
    let mut world = world();
    let [hook, _, bulb] = chain(&mut world);
    world.entity_mut(hook).observe(|mut tap: On<Tap>| tap.propagate(false));
    let mut trigger = PropagateEntityTrigger::default();
    trigger.propagate = true;
    let mut tap = Tap(bulb);
    world.trigger_ref_with(&mut tap, &mut trigger);
    assert_eq!((tap.0, trigger.original_event_target, trigger.propagate), (hook, bulb, false));
}

#[test]
fn a_circle_ends_with_a_report() {
    let mut world = world();
    let a = world.spawn_empty().id();
    let b = world.spawn(HangsOn(a)).id();
    world.entity_mut(a).insert(HangsOn(b));
    world.add_observer(|_: On<Pull>, mut log: ResMut<Log>| log.note("told"));
    world.trigger(Pull { at: a, force: 1 });
    let errors = world.take_command_errors().0;
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("circle") && errors[0].to_string().contains("Pull"), "{}", errors[0]);
    // It works as before.
    noted(&mut world);
    world.entity_mut(a).remove::<HangsOn>();
    world.trigger(Pull { at: b, force: 1 });
    assert_eq!(noted(&mut world), ["told", "told"]);
}

#[test]
fn an_event_that_goes_on_to_a_dead_entity_is_told_to_those_of_all_and_ends() {
    let mut world = world();
    let [hook, lamp, bulb] = chain(&mut world);
    world.add_observer(|pull: On<Pull>, mut log: ResMut<Log>| log.note(pull.at));
    world.despawn(lamp);
    world.trigger(Pull { at: bulb, force: 1 });
    assert_eq!(noted(&mut world), names(&[bulb, lamp]));
    let _ = hook;
}
