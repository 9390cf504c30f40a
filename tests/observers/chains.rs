//! Events that lead to each other.

use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;

use super::{Log, noted, world};

#[derive(Event)]
struct Ping;
#[derive(Event)]
struct Pong;
#[derive(EntityEvent)]
struct Fell(Entity);

fn log_of_ping_and_pong(world: &mut World) {
    world.add_observer(|_: On<Ping>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note("ping");
        commands.trigger(Pong);
    });
    world.add_observer(|_: On<Pong>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note("pong");
        commands.trigger(Ping);
    });
}

#[test]
fn events_that_cause_each_other_end_at_the_limit_and_the_chain_is_reported() {
    let mut world = world();
    world.set_event_limit(5);
    log_of_ping_and_pong(&mut world);
    for _ in 0..2 {
        world.trigger(Ping);
        assert_eq!(noted(&mut world), ["ping", "pong", "ping", "pong", "ping"]);
        let errors = world.take_command_errors().0;
        assert_eq!(errors.len(), 1);
        let text = errors[0].to_string();
        assert_eq!(text.matches("Ping").count(), 3, "{text}");
        assert_eq!(text.matches("Pong").count(), 4, "{text}");
    }
}

#[test]
fn the_limit_at_first_fits_the_stack_of_a_thread() {
    std::thread::spawn(|| {
        let mut world = world();
        log_of_ping_and_pong(&mut world);
        world.trigger(Ping);
        assert_eq!(noted(&mut world).len(), 128);
        assert!(world.take_command_errors().0[0].to_string().contains("more"));
    })
    .join()
    .unwrap();
}

#[test]
fn two_events_per_event_end_as_well() {
    let mut world = world();
    world.set_event_limit(6);
    world.add_observer(|_: On<Ping>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note("");
        commands.trigger(Ping);
        commands.trigger(Ping);
    });
    world.trigger(Ping);
    assert_eq!(noted(&mut world).len(), (1 << 6) - 1);
}

#[test]
fn depth_is_counted_by_cause_not_by_number() {
    let mut world = world();
    world.set_event_limit(2);
    world.add_observer(|_: On<Pong>, mut log: ResMut<Log>| log.note("pong"));
    world.add_observer(|_: On<Ping>, mut commands: Commands| (0..50).for_each(|_| commands.trigger(Pong)));
    for _ in 0..3 {
        world.trigger(Ping);
    }
    assert_eq!(noted(&mut world).len(), 150);
    assert!(world.take_command_errors().0.is_empty());
}

#[test]
fn events_within_events_count() {
    let mut world = world();
    world.set_event_limit(1);
    world.add_observer(|_: On<Ping>, mut world: DeferredWorld| world.trigger(Pong));
    world.add_observer(|_: On<Pong>, mut log: ResMut<Log>| log.note("pong"));
    world.trigger(Ping);
    assert!(noted(&mut world).is_empty());
    assert!(world.take_command_errors().0[0].to_string().contains("Pong"));
    world.trigger(Pong);
    assert_eq!(noted(&mut world), ["pong"]);
}

#[test]
fn closures_of_commands_have_the_cause_of_their_observer() {
    let mut world = world();
    world.set_event_limit(4);
    world.add_observer(|_: On<Ping>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note("");
        commands.queue(|world: &mut World| world.trigger(Ping));
    });
    world.trigger(Ping);
    assert_eq!(noted(&mut world).len(), 4);
}

#[test]
fn an_observer_may_spawn_what_it_triggers_for() {
    let mut world = world();
    world.add_observer(|_: On<Ping>, mut commands: Commands| {
        let id = commands.spawn_empty().observe(|fell: On<Fell>, mut log: ResMut<Log>| log.note(fell.0)).id();
        commands.trigger(Fell(id));
        commands.entity(id).despawn();
    });
    world.trigger(Ping);
    assert_eq!((noted(&mut world).len(), world.len()), (1, 0));
    assert!(world.take_command_errors().0.is_empty());
}
