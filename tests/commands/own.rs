//! Commands of one's own, what they return, and those that are made of several steps.

use strata_ecs::error::{EcsError, ErrorContext, Severity};
use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

#[derive(Component, Default, Debug, PartialEq)]
struct Health(u32);
#[derive(Component, Default, Debug, PartialEq)]
#[require(Health)]
struct Armour(u32);
#[derive(Component, Default, Debug, PartialEq)]
#[require(Armour)]
#[component(storage = "sparse")]
struct Knight;

/// Returns the texts of the reported errors, which name the command.
fn reported(world: &mut World) -> Vec<String> {
    world.take_command_errors().0.iter().map(ToString::to_string).collect()
}

struct Parse(&'static str);

impl Command for Parse {
    type Out = Result;

    fn apply(self, world: &mut World) -> Result {
        world.spawn(Health(self.0.parse().context("the health")?));
        Ok(())
    }
}

#[test]
fn the_error_of_a_command_is_reported_and_the_others_run() {
    let mut world = World::new();
    world.commands().queue(Parse("3"));
    world.commands().queue(Parse("x"));
    world.commands().queue(Parse("4"));
    world.commands().queue_silenced(Parse("y"));
    world.flush();
    let healths: Vec<u32> = world.query::<&Health>().iter(&world).map(|health| health.0).collect();
    assert_eq!(healths, [3, 4]);
    let reported = reported(&mut world);
    assert_eq!(reported.len(), 1);
    assert!(reported[0].contains("Parse") && reported[0].ends_with("the health: invalid digit found in string"));
}

#[test]
fn what_is_not_bad_is_not_reported() {
    let mut world = World::new();
    for (severity, count) in [(Severity::Ignore, 0), (Severity::Warning, 0), (Severity::Error, 1), (Severity::Panic, 1)]
    {
        world.commands().queue(move |_: &mut World| -> Result { Err(EcsError::new(severity, "a test of severities")) });
        world.flush();
        assert_eq!(reported(&mut world).len(), count, "{severity:?}");
    }
}

#[test]
fn a_command_for_an_entity_that_is_not_alive_is_reported() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    world.commands().entity(entity).despawn();
    world.commands().entity(entity).queue(|_: EntityWorldMut<'_>| unreachable!("it is not alive"));
    world.commands().entity(entity).queue_silenced(|_: EntityWorldMut<'_>| unreachable!("it is not alive"));
    world.flush();
    let reported = reported(&mut world);
    assert_eq!(reported.len(), 1);
    assert!(reported[0].contains("it was despawned"), "{reported:?}");
}

#[test]
fn a_command_for_an_entity_may_end_it() {
    let mut world = World::new();
    let entity = world
        .commands()
        .spawn(Health(1))
        .queue(|entity: EntityWorldMut<'_>| entity.despawn())
        .queue(|_: EntityWorldMut<'_>| -> Result { Err("not reached".into()) })
        .id();
    world.flush();
    assert!(!world.contains(entity));
    assert!(reported(&mut world)[0].contains("despawned"));
}

#[test]
fn an_entry_that_tries_says_nothing_of_an_entity_that_is_gone() {
    let mut world = World::new();
    let [gone, there] = [(); 2].map(|()| world.spawn_empty().id());
    world.despawn(gone);
    let mut commands = world.commands();
    commands.entity(gone).entry::<Health>().or_try_insert_with(|| unreachable!("it is not alive"));
    let mut health = commands.entity(there);
    health.entry().or_try_insert_with(|| Health(3)).or_try_insert_with(|| unreachable!("it has one"));
    world.flush();
    assert!(reported(&mut world).is_empty());
    assert_eq!(world.get(there), Some(&Health(3)));
}

#[test]
fn an_entry_changes_what_is_there_and_inserts_what_is_not() {
    let mut world = World::new();
    let [with, without] = [world.spawn(Health(1)).id(), world.spawn_empty().id()];
    for entity in [with, without] {
        let mut commands = world.commands();
        let mut entity = commands.entity(entity);
        entity.entry::<Health>().and_modify(|mut health| health.0 += 10).or_insert(Health(5));
        entity.entry::<Armour>().or_insert_with(|| Armour(2)).and_modify(|mut armour| armour.0 += 1);
        entity.entry::<Knight>().or_default().entity().insert_if_new(Health(9));
        world.flush();
    }
    assert_eq!(world.get(with), Some(&Health(11)));
    assert_eq!(world.get(without), Some(&Health(5)));
    assert!([with, without].iter().all(|&entity| world.get(entity) == Some(&Armour(3))));
    assert!(world.entity(without).contains::<Knight>());
}

#[test]
fn conditions_are_asked_at_once() {
    let mut world = World::new();
    let entity = world.spawn(Armour(1)).id();
    let mut asked = 0;
    let mut ask = |answer| {
        asked += 1;
        answer
    };
    let mut commands = world.commands();
    let mut recorder = commands.entity(entity);
    recorder.insert_if(Health(7), || ask(true)).insert_if(Health(8), || ask(false));
    recorder.insert_if_new_and(Armour(2), || ask(true)).insert_if_new_and(Knight, || ask(false));
    recorder.remove_if::<Armour>(|| ask(false));
    assert_eq!(asked, 5);
    world.flush();
    assert_eq!((world.get(entity), world.get(entity)), (Some(&Health(7)), Some(&Armour(1))));
    assert!(!world.entity(entity).contains::<Knight>());
}

#[test]
fn what_a_bundle_requires_goes_with_it_through_all_steps() {
    let mut world = World::new();
    let entity = world.spawn(Knight).id();
    assert!(world.entity(entity).contains::<Health>());
    world.entity_mut(entity).remove_with_requires::<Armour>();
    assert_eq!(world.entity(entity).components().count(), 1);
    world.entity_mut(entity).insert(Health(3));
    world.commands().entity(entity).remove_with_requires::<Knight>();
    world.flush();
    assert_eq!(world.entity(entity).components().count(), 0);
}

#[test]
fn entities_are_despawned_by_filter_and_by_value() {
    let mut world = World::new();
    world.spawn_batch((0..10).map(Health));
    let knight = world.spawn(Knight).id();
    world.commands().despawn_all_where::<&Health, Without<Knight>>(|health| health.0 % 2 == 0);
    world.flush();
    assert_eq!(world.len(), 6);
    world.commands().despawn_all::<Without<Knight>>();
    world.flush();
    assert!(world.contains(knight) && world.len() == 1);
}

#[test]
fn an_error_that_is_handled_goes_to_the_handler_and_nowhere_else() {
    use std::sync::mpsc;
    let mut world = World::new();
    let (send, received) = mpsc::channel();
    let handler = move |error: EcsError, context: ErrorContext| {
        send.send(format!("{:?} {:?} {context}: {error}", error.severity(), context.system())).unwrap();
    };
    let gone = world.spawn_empty().id();
    world.despawn(gone);
    let alive = world.spawn_empty().id();
    let fails = |entity: EntityWorldMut<'_>| -> Result {
        Err(EcsError::new(Severity::Info, format!("{} has failed", entity.id())))
    };
    let [first, second, third, fourth] = [handler.clone(), handler.clone(), handler.clone(), handler];
    world.commands().queue_handled(Parse("x"), first);
    world.commands().queue_handled(Parse("3"), second);
    world.commands().entity(gone).queue_handled(|_: EntityWorldMut<'_>| unreachable!("it is gone"), third);
    world.commands().entity(alive).queue_handled(fails, fourth).insert(Health(7));
    world.flush();
    let texts: Vec<String> = received.try_iter().collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts[0].starts_with("Panic None command `") && texts[0].contains("Parse` failed: the health: invalid"));
    assert!(texts[1].contains("it was despawned"), "{texts:?}");
    assert!(texts[2].starts_with("Info None ") && texts[2].ends_with(&format!("{alive} has failed")));
    assert!(reported(&mut world).is_empty());
    assert_eq!(world.get(alive), Some(&Health(7)));
    assert_eq!(world.query::<&Health>().iter(&world).count(), 2);
}

#[test]
fn a_handler_is_told_the_system_and_may_panic() {
    use strata_ecs::error::{debug, ignore, info, panic, trace};
    fn record(mut commands: Commands<'_, '_>) {
        for handler in [trace, debug, info, ignore, panic] {
            commands.queue_handled(Parse("x"), handler);
        }
    }
    let mut world = World::new();
    let text = expect_panic(|| world.run_system_once(record));
    assert!(
        text.contains("Parse` of system `") && text.contains("record` failed: the health: invalid digit"),
        "{text}"
    );
    world.flush();
    assert!(reported(&mut world).is_empty());
    world.check_invariants();
}
