//! The order in which observers run, and when their commands are applied.

use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;

use super::{Log, noted, world};

#[derive(Event)]
struct Alarm(u32);
#[derive(Event)]
struct Fire;
#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
}
#[derive(Component)]
struct Mark;

#[test]
fn observers_are_told_in_the_order_in_which_they_were_added() {
    let mut world = world();
    for name in ["a", "b", "c"] {
        world.add_observer(move |alarm: On<Alarm>, mut log: ResMut<Log>| log.note(format!("{name}{}", alarm.0)));
    }
    world.trigger(Alarm(1));
    world.trigger(Alarm(2));
    assert_eq!(noted(&mut world), ["a1", "b1", "c1", "a2", "b2", "c2"]);
}

#[test]
fn an_observer_can_change_the_event_for_those_behind_it() {
    let mut world = world();
    world.add_observer(|mut alarm: On<Alarm>| alarm.0 *= 2);
    world.add_observer(|mut alarm: On<Alarm>, mut log: ResMut<Log>| {
        log.note(alarm.0);
        alarm.event_mut().0 += 1;
    });
    let mut alarm = Alarm(4);
    world.trigger_ref(&mut alarm);
    assert_eq!((noted(&mut world), alarm.0), (vec!["8".to_owned()], 9));
}

#[test]
fn observers_of_all_events_are_told_before_those_of_the_entity() {
    let mut world = world();
    let entity = world.spawn_empty().observe(|_: On<Hit>, mut log: ResMut<Log>| log.note("entity")).id();
    world.add_observer(|_: On<Hit>, mut log: ResMut<Log>| log.note("all"));
    world.trigger(Hit { entity });
    assert_eq!(noted(&mut world), ["all", "entity"]);
}

#[test]
fn commands_are_applied_when_all_observers_have_been_told_in_the_order_of_the_observers() {
    let mut world = world();
    for name in ["a", "b"] {
        world.add_observer(move |_: On<Alarm>, marks: Query<&Mark>, mut log: ResMut<Log>, mut commands: Commands| {
            log.note(format!("{name} sees {}", marks.iter().count()));
            commands.spawn(Mark);
            commands.queue(move |world: &mut World| {
                let marks = world.query::<&Mark>().iter(world).count();
                world.resource_mut::<Log>().note(format!("command of {name} sees {marks}"));
            });
        });
    }
    world.trigger(Alarm(0));
    assert_eq!(noted(&mut world), ["a sees 0", "b sees 0", "command of a sees 1", "command of b sees 2"]);
}

#[test]
fn what_a_command_leads_to_comes_before_the_next_command() {
    let mut world = world();
    world.add_observer(|alarm: On<Alarm>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note(format!("alarm {}", alarm.0));
        let number = alarm.0;
        commands.queue(move |world: &mut World| world.resource_mut::<Log>().note(format!("after alarm {number}")));
        if number < 10 {
            commands.trigger(Alarm(10 * number));
            commands.trigger(Alarm(10 * number + 1));
        }
    });
    let mut commands = world.commands();
    commands.trigger(Alarm(1));
    commands.queue(|world: &mut World| world.resource_mut::<Log>().note("between"));
    commands.trigger(Alarm(2));
    world.flush();
    let expected = [
        "alarm 1",
        "after alarm 1",
        "alarm 10",
        "after alarm 10",
        "alarm 11",
        "after alarm 11",
        "between",
        "alarm 2",
        "after alarm 2",
        "alarm 20",
        "after alarm 20",
        "alarm 21",
        "after alarm 21",
    ];
    assert_eq!(noted(&mut world), expected);
}

#[test]
fn an_event_within_an_event_is_told_at_once_and_the_commands_wait_for_the_outer_one() {
    let mut world = world();
    world.add_observer(|_: On<Alarm>, mut world: DeferredWorld| {
        world.commands().queue(|world: &mut World| world.resource_mut::<Log>().note("first command"));
        world.resource_mut::<Log>().note("alarm begins");
        world.trigger(Fire);
        world.resource_mut::<Log>().note("alarm ends");
        world.commands().queue(|world: &mut World| world.resource_mut::<Log>().note("last command"));
    });
    world.add_observer(|_: On<Fire>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note("fire");
        commands.queue(|world: &mut World| world.resource_mut::<Log>().note("command of fire"));
    });
    world.add_observer(|_: On<Alarm>, mut log: ResMut<Log>| log.note("alarm again"));
    world.trigger(Alarm(0));
    let expected =
        ["alarm begins", "fire", "alarm ends", "alarm again", "first command", "command of fire", "last command"];
    assert_eq!(noted(&mut world), expected);
}

#[test]
fn an_event_of_the_same_type_within_an_event_is_told_when_that_one_has_been() {
    let mut world = world();
    world.add_observer(|alarm: On<Alarm>, mut world: DeferredWorld| {
        world.resource_mut::<Log>().note(format!("{} begins", alarm.0));
        if alarm.0 > 0 {
            world.trigger(Alarm(alarm.0 - 1));
        }
        world.resource_mut::<Log>().note(format!("{} ends", alarm.0));
    });
    world.trigger(Alarm(1));
    assert_eq!(noted(&mut world), ["1 begins", "1 ends", "0 begins", "0 ends"]);
}

#[test]
fn observers_that_are_added_or_removed_meanwhile_take_part_from_the_next_event_on() {
    let mut world = world();
    let second = std::sync::Arc::new(std::sync::OnceLock::new());
    let handle = second.clone();
    world.add_observer(move |_: On<Alarm>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note("first");
        if let Some(&second) = handle.get() {
            commands.remove_observer(second);
        }
        commands.add_observer(|_: On<Alarm>, mut log: ResMut<Log>| log.note("new"));
    });
    second.set(world.add_observer(|_: On<Alarm>, mut log: ResMut<Log>| log.note("second"))).unwrap();
    world.trigger(Alarm(0));
    assert_eq!(noted(&mut world), ["first", "second"]);
    world.trigger(Alarm(0));
    assert_eq!(noted(&mut world), ["first", "new"]);
}

#[test]
fn an_event_that_a_system_triggers_is_told_when_its_commands_are_applied() {
    fn system(mut commands: Commands) {
        commands.spawn(Mark);
        commands.trigger(Alarm(1));
        commands.spawn(Mark);
    }
    let mut world = world();
    world.add_observer(|_: On<Alarm>, marks: Query<&Mark>, mut log: ResMut<Log>| log.note(marks.iter().count()));
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    schedule.run(&mut world);
    assert_eq!((noted(&mut world), world.len()), (vec!["1".to_owned()], 2));
}

#[test]
fn a_world_that_a_command_puts_elsewhere_takes_what_waits_with_it() {
    let mut ours = world();
    let mut other = world();
    other.add_observer(|_: On<Fire>, mut log: ResMut<Log>| log.note("fire elsewhere"));
    let holder = std::sync::Mutex::new(Some(other));
    let holder = std::sync::Arc::new(holder);
    let inside = holder.clone();
    ours.add_observer(move |_: On<Alarm>, mut commands: Commands| {
        let inside = inside.clone();
        commands.queue(move |world: &mut World| {
            std::mem::swap(inside.lock().unwrap().as_mut().unwrap(), world);
        });
        commands.queue(|world: &mut World| world.resource_mut::<Log>().note("back home"));
    });
    ours.add_observer(|_: On<Alarm>, mut commands: Commands| {
        commands.queue(|world: &mut World| world.resource_mut::<Log>().note("of the second"));
    });
    ours.trigger(Alarm(0));
    // `ours` is the other world now.
    assert!(noted(&mut ours).is_empty());
    ours.trigger(Fire);
    assert_eq!(noted(&mut ours), ["fire elsewhere"]);
    let mut home = holder.lock().unwrap().take().unwrap();
    home.flush();
    assert_eq!(noted(&mut home), ["back home", "of the second"]);
    // Its observers are there as before.
    *holder.lock().unwrap() = Some(world());
    home.trigger(Alarm(0));
    assert!(home.resource::<Log>().0.is_empty());
    // Its observer holds what holds it.
    let ours = holder.lock().unwrap().take();
    drop(ours);
}

#[test]
fn observers_change_no_ids() {
    fn ids(observed: bool) -> Vec<Entity> {
        let mut world = world();
        let mut ids = vec![world.spawn_empty().id()];
        if observed {
            world.add_observer(|_: On<Alarm>| {});
            world.entity_mut(ids[0]).observe(|_: On<Hit>| {});
            world.commands().add_observer(|_: On<Fire>| {});
        }
        world.trigger(Alarm(0));
        world.trigger(Hit { entity: ids[0] });
        ids.extend(world.spawn_batch([Mark, Mark]));
        world.entity_mut(ids[1]).despawn();
        world.flush();
        ids.push(world.spawn(Mark).id());
        ids.push(world.commands().spawn(Mark).id());
        ids
    }
    assert_eq!(ids(true), ids(false));
}
