//! Observers and hooks of components: the values that they see, their order, and the effects of their commands. The tests in `model` check
//! that each of them gets every event once.
#![expect(elided_lifetimes_in_paths, reason = "systems as users write them")]

use std::sync::{Arc, Mutex};

use strata_ecs::event::{AddEvent, BeginMatch, InsertEvent};
use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;
use strata_tests::panics::{catch, expect_panic};

#[derive(Component, Clone, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Clone, Debug, PartialEq)]
struct B(String);
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(u32);
#[derive(Component, Clone)]
struct Marker;

/// The calls of listeners.
#[derive(Resource, Default, Clone)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A world in which observers of `A` and `S` of all kinds write down the value that they see.
fn observed() -> (World, Log) {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    macro_rules! observe {
        ($($Moment:ident)*) => {$(
            world.add_observer(|on: On<$Moment<A>>, all: Query<&A>, log: Res<Log>| {
                log.note(format!("{} A {}", stringify!($Moment), all.get(on.entity).unwrap().0));
            });
            world.add_observer(|on: On<$Moment<S>>, all: Query<&S>, log: Res<Log>| {
                log.note(format!("{} S {}", stringify!($Moment), all.get(on.entity).unwrap().0));
            });
        )*};
    }
    observe!(Insert Add Remove Discard Despawn);
    (world, log)
}

#[test]
fn kinds_come_in_order_and_see_the_old_values_before_and_the_new_ones_behind() {
    let (mut world, log) = observed();
    let entity = world.spawn((A(1), B("b".into()))).id();
    assert_eq!(log.take(), ["Add A 1", "Insert A 1"]);
    world.entity_mut(entity).insert((A(2), S(5)));
    assert_eq!(log.take(), ["Discard A 1", "Add S 5", "Insert A 2", "Insert S 5"]);
    world.entity_mut(entity).insert(S(6));
    assert_eq!(log.take(), ["Discard S 5", "Insert S 6"]);
    world.entity_mut(entity).insert_if_new((A(9), S(9)));
    assert!(log.take().is_empty());
    world.entity_mut(entity).remove::<A>();
    assert_eq!(log.take(), ["Discard A 2", "Remove A 2"]);
    world.entity_mut(entity).insert(A(3));
    assert_eq!(log.take(), ["Add A 3", "Insert A 3"]);
    world.entity_mut(entity).remove::<B>();
    assert!(log.take().is_empty());
    assert_eq!(world.entity_mut(entity).take::<S>(), Some(S(6)));
    assert_eq!(log.take(), ["Discard S 6", "Remove S 6"]);
    world.despawn(entity);
    assert_eq!(log.take(), ["Despawn A 3", "Discard A 3", "Remove A 3"]);
}

#[test]
fn hooks_come_behind_observers_before_and_before_them_behind() {
    let (mut world, log) = observed();
    world
        .register_component_hooks::<A>()
        .on_add(|world, _| world.resource::<Log>().note("on_add"))
        .on_insert(|world, _| world.resource::<Log>().note("on_insert"))
        .on_discard(|world, _| world.resource::<Log>().note("on_discard"))
        .on_remove(|world, _| world.resource::<Log>().note("on_remove"))
        .on_despawn(|world, _| world.resource::<Log>().note("on_despawn"));
    let entity = world.spawn(A(1)).id();
    assert_eq!(log.take(), ["on_add", "Add A 1", "on_insert", "Insert A 1"]);
    world.despawn(entity);
    let expected = ["Despawn A 1", "on_despawn", "Discard A 1", "on_discard", "Remove A 1", "on_remove"];
    assert_eq!(log.take(), expected);
    let text = expect_panic(|| world.register_component_hooks::<A>().on_add(|_, _| {}).try_on_add(|_, _| {}).is_some());
    assert!(text.contains("lifecycle::A` has an `on_add` hook already"), "{text}");
}

#[test]
fn a_bulk_operation_is_one() {
    let (mut world, log) = observed();
    let ids: Vec<Entity> = world.spawn_batch([A(1), A(2)]).collect();
    assert_eq!(log.take(), ["Add A 1", "Add A 2", "Insert A 1", "Insert A 2"]);
    world.all::<With<A>>().insert(S(3));
    assert_eq!(log.take(), ["Add S 3", "Add S 3", "Insert S 3", "Insert S 3"]);
    world.many(&ids).insert(A(4));
    assert_eq!(log.take(), ["Discard A 1", "Discard A 2", "Insert A 4", "Insert A 4"]);
    world.spawn_columns((vec![A(7)], vec![B("x".into())])).unwrap();
    assert_eq!(log.take(), ["Add A 7", "Insert A 7"]);
    world.all::<With<S>>().remove::<(A, S)>();
    let expected = ["Discard A 4", "Discard S 3", "Discard A 4", "Discard S 3"];
    let mut told = log.take();
    told[..4].sort();
    let mut expected: Vec<String> = expected.map(String::from).into();
    expected.sort();
    assert_eq!(told[..4], expected);
    world.clear_entities();
    assert_eq!(log.take(), ["Despawn A 7", "Discard A 7", "Remove A 7"]);
}

#[test]
fn an_observer_of_two_components_is_told_once_of_an_entity() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|on: On<Add<(A, S)>>, log: Res<Log>| log.note(format!("{}", on.trigger().components.len())));
    let both = world.spawn((A(1), S(1), Marker)).id();
    world.spawn(S(1));
    world.spawn(Marker);
    world.entity_mut(both).insert((A(2), S(2)));
    assert_eq!(log.take(), ["2", "1"]);
    // Without components: of whatever it is.
    world.add_observer(|_: On<AddEvent>, log: Res<Log>| log.note("any"));
    world.spawn(Marker);
    world.spawn((Marker, A(1)));
    assert_eq!(log.take(), ["any", "1", "any"]);
}

#[test]
fn an_observer_of_an_entity_hears_of_no_other() {
    let (mut world, log) = observed();
    let [first, second] = [1, 2].map(|n| world.spawn(A(n)).id());
    log.take();
    for entity in [first, second] {
        world.entity_mut(entity).observe(move |on: On<Remove<A>>, log: Res<Log>| {
            assert_eq!(on.entity, entity);
            log.note(format!("{entity} loses"));
        });
    }
    world.entity_mut(second).remove::<A>();
    assert_eq!(log.take(), ["Discard A 2".to_string(), "Remove A 2".into(), format!("{second} loses")]);
    world.all::<With<A>>().despawn();
    assert_eq!(log.take().last(), Some(&format!("{first} loses")));
}

#[test]
fn observers_that_are_gone_hear_nothing() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    let first = world.add_observer(|_: On<Add<A>>, log: Res<Log>| log.note("first"));
    let second = world.add_observer(|_: On<Add<A>>, log: Res<Log>| log.note("second"));
    world.spawn(A(1));
    assert!(world.remove_observer(first));
    world.spawn(A(1));
    assert!(world.remove_observer(second));
    world.spawn(A(1));
    world.spawn_batch([A(1), A(2)]);
    assert_eq!(log.take(), ["first", "second", "second"]);
    world.check_invariants();
}

#[test]
fn commands_of_observers_come_before_the_next_command() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|on: On<Add<A>>, mut commands: Commands, log: Res<Log>| {
        log.note(format!("added {}", on.entity.index()));
        let log = Log::clone(&log);
        commands.queue(move |_: &mut World| log.note("its command"));
    });
    for _ in 0..20 {
        world.commands().spawn(A(1));
    }
    let kept = log.clone();
    world.commands().queue(move |_: &mut World| kept.note("the last one"));
    world.flush();
    let told = log.take();
    assert_eq!(told.len(), 41);
    for (at, pair) in told[..40].chunks(2).enumerate() {
        assert_eq!(pair, [format!("added {at}"), "its command".into()]);
    }
    assert_eq!(told[40], "the last one");
}

#[test]
fn observers_may_end_what_they_are_told_of_and_what_comes_next() {
    let mut world = World::new();
    world.add_observer(|on: On<Add<A>>, mut commands: Commands| commands.entity(on.entity).despawn());
    // It is gone when `spawn` returns.
    let entity = world.spawn(A(1)).id();
    assert!(!world.contains(entity));
    let ids: Vec<Entity> = world.spawn_batch((0..10).map(A)).collect();
    assert_eq!(ids.len(), 10);
    assert!(ids.iter().all(|id| !world.contains(*id)) && world.is_empty());
    let ids: Vec<Entity> = world.spawn_columns((0..10).map(|n| A(n as u32))).unwrap().collect();
    assert_eq!((ids.len(), world.len()), (10, 0));
    let mut entity = world.spawn(Marker);
    entity.insert(A(3));
    let text = expect_panic(|| entity.insert(B("late".into())).id());
    assert!(text.contains("was despawned"), "{text}");
    // The next ones of a list of commands.
    let mut world = World::new();
    let all: Vec<Entity> = (0..30).map(|_| world.spawn(Marker).id()).collect();
    let next = all.clone();
    world.add_observer(move |on: On<Add<A>>, mut commands: Commands| {
        let at = next.iter().position(|entity| *entity == on.entity).unwrap();
        if let Some(next) = next.get(at + 1) {
            commands.entity(*next).try_despawn();
        }
    });
    for entity in &all {
        world.commands().entity(*entity).insert(A(1));
    }
    world.flush();
    assert_eq!(world.query::<&A>().iter(&world).count(), 15);
    assert_eq!((world.len(), world.take_command_errors().0.len()), (15, 15));
    world.check_invariants();
}

#[test]
fn an_insertion_that_leads_to_itself_ends() {
    let mut world = World::new();
    world.set_event_limit(20);
    world.add_observer(|on: On<Insert<A>>, all: Query<&A>, mut commands: Commands| {
        let next = all.get(on.entity).unwrap().0 + 1;
        commands.entity(on.entity).insert(A(next));
    });
    let entity = world.spawn(A(0)).id();
    assert_eq!(world.get(entity), Some(&A(20)));
    let (errors, _) = world.take_command_errors();
    assert!(errors[0].to_string().contains("too many events led to it"), "{}", errors[0]);
    // The next operation has no cause.
    world.entity_mut(entity).insert(A(100));
    assert_eq!(world.get(entity), Some(&A(120)));
}

#[test]
fn entities_that_change_their_world_end_in_one_and_begin_in_the_other() {
    let (mut from, log_from) = observed();
    let (mut to, log_to) = observed();
    from.spawn((A(1), S(2)));
    log_from.take();
    from.all::<()>().move_to(&mut to);
    assert_eq!(log_from.take().len(), 6);
    assert_eq!(log_to.take(), ["Add A 1", "Add S 2", "Insert A 1", "Insert S 2"]);
    let entity = to.query::<Entity>().single(&to).unwrap();
    let clone = to.clone_entity(entity).unwrap();
    assert_eq!(log_to.take(), ["Add A 1", "Add S 2", "Insert A 1", "Insert S 2"]);
    assert_eq!(to.get(clone), Some(&A(1)));
}

#[test]
fn a_command_of_an_observer_may_exchange_the_world() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|_: On<Add<A>>, mut commands: Commands| {
        commands.queue(|world: &mut World| drop(std::mem::take(world)));
    });
    let entity = world.spawn(Marker).id();
    world.commands().entity(entity).insert(A(1));
    let kept = log.clone();
    world.commands().queue(move |_: &mut World| kept.note("here"));
    world.flush();
    assert!(world.is_empty() && !world.contains_resource::<Log>());
    world.check_invariants();
    // It was for a world that is no more.
    assert!(log.take().is_empty());
}

#[test]
fn a_panic_of_an_observer_leaves_a_world_that_goes_on() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|on: On<Add<A>>, all: Query<&A>, log: Res<Log>| {
        assert!(all.get(on.entity).unwrap().0 != 13, "unlucky");
        log.note("added");
    });
    world.add_observer(|on: On<Discard<A>>, all: Query<&A>| assert!(all.get(on.entity).unwrap().0 != 14, "kept"));
    assert!(catch(|| world.spawn(A(13)).id()).is_err());
    assert_eq!(world.len(), 1);
    world.spawn(A(1));
    assert_eq!(log.take(), ["added"]);
    let kept = world.spawn(A(14)).id();
    assert!(catch(|| world.despawn(kept)).is_err());
    assert!(!world.contains(kept));
    world.check_invariants();
}

#[test]
fn an_operation_of_which_a_listener_panics_is_complete() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    // The commands of an observer that panics are dropped.
    world.add_observer(|on: On<Discard<A>>, mut commands: Commands| _ = commands.entity(on.entity).try_insert(Marker));
    world.add_observer(|on: On<Discard<A>>, all: Query<&A>, mut commands: Commands| {
        if all.get(on.entity).unwrap().0 == 14 {
            commands.entity(on.entity).despawn();
            panic!("unlucky");
        }
    });
    world.register_component_hooks::<S>().on_discard(|world, context| {
        assert!(world.get::<S>(context.entity).unwrap().0 != 14, "unlucky");
    });
    world.add_observer(|_: On<Insert<A>>, log: Res<Log>| log.note("inserted"));
    let marked = |world: &World, entity: Entity| world.entity(entity).contains::<Marker>();
    let entity = world.spawn((A(14), S(14))).id();
    log.take();
    let text = expect_panic(|| _ = world.entity_mut(entity).insert(A(1)));
    assert_eq!(text, "unlucky");
    assert_eq!((world.get(entity), log.take()), (Some(&A(1)), vec!["inserted".to_string()]));
    assert!(marked(&world, entity), "what was recorded before the panic is applied");
    assert!(catch(|| _ = world.entity_mut(entity).remove::<S>()).is_err());
    assert!(!world.entity(entity).contains::<S>());
    world.entity_mut(entity).get_mut::<A>().unwrap().0 = 14;
    assert!(catch(|| world.entity_mut(entity).take::<A>()).is_err());
    assert!(!world.entity(entity).contains::<A>());
    // An operation on several tables completes all of them.
    let ids = [world.spawn(A(1)).id(), world.spawn((A(14), B("b".into()))).id(), world.spawn((A(2), S(2))).id()];
    assert!(catch(|| _ = world.all::<With<A>>().remove::<A>()).is_err());
    assert_eq!(world.query::<&A>().query(&world).count(), 0);
    assert_eq!(ids.map(|entity| marked(&world, entity)), [true; 3], "it was told of all of them before");
    world.many(&ids).insert(A(14));
    assert!(catch(|| _ = world.many(&ids).despawn()).is_err());
    assert!(ids.iter().all(|&entity| !world.contains(entity)));
    world.spawn_batch([A(14), A(14)]);
    assert!(catch(|| world.clear_entities()).is_err());
    assert!(world.is_empty());
    // The commands after the panicking command are dropped.
    let entity = world.spawn(A(14)).id();
    world.commands().entity(entity).remove::<A>();
    world.commands().spawn(B("x".into()));
    assert!(catch(|| world.flush()).is_err());
    assert!(!world.entity(entity).contains::<A>());
    world.check_invariants();
}

#[test]
fn listeners_change_values_but_see_the_structure_as_it_is() {
    let mut world = World::new();
    world.register_component_hooks::<A>().on_insert(|mut world: DeferredWorld<'_>, context| {
        world.get_mut::<A>(context.entity).unwrap().0 *= 10;
        world.commands().entity(context.entity).insert(Marker);
        assert!(!world.entity(context.entity).contains::<Marker>());
    });
    world.add_observer(|on: On<InsertEvent>, mut all: Query<&mut A>| {
        if let Ok(mut value) = all.get_mut(on.entity) {
            value.0 += 1;
        }
    });
    let entity = world.spawn(A(2)).id();
    // Once for `A`, and once for the marker.
    assert_eq!(world.get(entity), Some(&A(22)));
    assert!(world.entity(entity).contains::<Marker>());
}

#[test]
fn an_observer_that_removes_itself_leaves_no_stale_location() {
    let mut world = World::new();
    world.add_observer(|on: On<Add<A>>, mut commands: Commands| {
        commands.entity(on.entity).despawn();
        commands.remove_observer(on.observer());
    });
    let others: Vec<Entity> = (0..3).map(|n| world.spawn((Marker, B(n.to_string()))).id()).collect();
    let mut entity = world.spawn(Marker);
    entity.insert(A(1));
    assert!(catch(move || entity.insert(B("late".into())).id()).is_err());
    assert!((0..3).all(|n| world.get::<B>(others[n]) == Some(&B(n.to_string()))));
    world.check_invariants();
    // The same if another world is there afterwards.
    world.add_observer(|_: On<Add<A>>, mut commands: Commands| {
        commands.queue(|world: &mut World| drop(std::mem::take(world)));
    });
    let mut entity = world.spawn(Marker);
    entity.insert(A(1));
    assert!(catch(move || entity.insert(B("late".into())).id()).is_err());
    assert!(world.is_empty());
}

#[test]
fn neither_observers_nor_conditions_have_the_world() {
    let mut world = World::new();
    let exclusive = || IntoSystem::into_system(|world: &mut World| world.is_empty());
    let observer = || Observer::new(|_: On<Discard<B>>| {});
    let text = expect_panic(|| world.add_observer(observer().run_if(exclusive())));
    assert!(text.contains("takes `&mut World`"), "{text}");
    expect_panic(|| world.add_observer(observer().run_if(not(exclusive()))));
    expect_panic(|| world.add_observer(observer().run_if((|_: &mut World| 1).pipe(|In(n): In<i32>| n == 1))));
    expect_panic(|| {
        world.add_observer(IntoSystem::into_system(|_: On<Discard<B>>, world: &mut World| world.clear_entities()))
    });
    world.add_observer(|_: On<Discard<B>>, mut world: DeferredWorld| _ = world.commands().spawn_empty().id());
    world.spawn(B("x".into()));
    world.clear_entities();
    assert_eq!(world.len(), 1);
}

#[test]
fn an_id_that_was_asked_for_is_one_entity_also_if_an_observer_panics() {
    let mut world = World::new();
    world.add_observer(|_: On<Add<A>>| panic!("unlucky"));
    let id = Entity::from_raw_u32(7).unwrap();
    assert!(catch(|| world.spawn_at(id, A(1)).is_ok()).is_err());
    assert_eq!(world.get(id), Some(&A(1)));
    assert!((0..20).all(|_| world.spawn_empty().id() != id));
    assert!(world.despawn(id));
    world.check_invariants();
}

#[test]
fn what_is_left_of_a_panic_does_not_mix_with_commands() {
    let mut world = World::new();
    world.add_observer(|_: On<Remove<A>>, mut commands: Commands| {
        commands.queue(|world: &mut World| drop(std::mem::take(world)));
    });
    world.add_observer(|_: On<Remove<A>>| panic!("unlucky"));
    let entity = world.spawn(A(1)).id();
    let plain: Vec<Entity> = (0..20).map(|_| world.spawn_empty().id()).collect();
    assert!(catch(|| world.despawn(entity)).is_err());
    let mut queue = CommandQueue::default();
    let mut commands = Commands::new(&mut queue, &world);
    plain.iter().for_each(|entity| _ = commands.entity(*entity).insert(B("b".into())));
    queue.apply(&mut world);
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn a_sparse_component_that_comes_later_is_heard() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|on: On<AddEvent>, log: Res<Log>| log.note(on.entity.to_string()));
    let first = world.spawn(S(1)).id();
    let second = world.spawn_empty().id();
    world.entity_mut(second).insert(S(2));
    world.all::<Without<S>>().insert(S(3));
    assert_eq!(log.take(), [first.to_string(), second.to_string()]);
}

#[test]
fn ids_that_observers_reserve_are_their_own() {
    let mut world = World::new();
    world.add_observer(|_: On<Add<A>>, world: &World| _ = world.reserve_entity());
    world.add_observer(|_: On<Remove<A>>, world: &World| _ = world.reserve_entity());
    for _ in 0..5 {
        world.commands().spawn(A(1));
        world.commands().spawn(Marker);
    }
    world.flush();
    assert_eq!(world.len(), 15);
    world.all::<With<A>>().despawn();
    world.flush();
    assert_eq!(world.len(), 15);
    world.check_invariants();
}

#[test]
fn what_a_batch_made_before_its_iterator_panicked_is_told_as_far_as_it_is_there() {
    let (mut world, log) = observed();
    expect_panic(|| world.spawn_batch((0..4).map(|n| if n == 3 { panic!("no more") } else { A(n) })).len());
    assert_eq!((world.len(), log.take().len()), (3, 0));
    let first = world.query::<(Entity, &A)>().iter(&world).find(|(_, a)| a.0 == 0).unwrap().0;
    world.despawn(first);
    let begin = ["Add A 0", "Add A 1", "Add A 2", "Insert A 0", "Insert A 1", "Insert A 2"];
    assert_eq!(log.take(), [&begin[..], &["Despawn A 0", "Discard A 0", "Remove A 0"]].concat());
}

#[test]
fn observers_of_everything_and_of_components_are_told_in_the_order_in_which_they_were_added() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    let mut observers = Vec::new();
    for n in 0..3 {
        observers.push(world.add_observer(move |_: On<Add<()>>, log: Res<Log>| log.note(format!("any {n}"))));
        observers.push(world.add_observer(move |_: On<Add<A>>, log: Res<Log>| log.note(format!("A {n}"))));
        observers.push(world.add_observer(move |_: On<Add<(A, Marker)>>, log: Res<Log>| log.note(format!("both {n}"))));
    }
    assert!(world.remove_observer(observers[0]) && world.remove_observer(observers[4]));
    world.spawn(A(1));
    assert_eq!(log.take(), ["A 0", "both 0", "any 1", "both 1", "any 2", "A 2", "both 2"]);
    world.spawn(Marker);
    assert_eq!(log.take(), ["both 0", "any 1", "both 1", "any 2", "both 2"]);
    world.spawn((A(1), Marker));
    assert_eq!(log.take(), ["A 0", "both 0", "any 1", "both 1", "any 2", "A 2", "both 2"]);
    // This also holds for a component that no observer names.
    world.spawn(B("b".into()));
    assert_eq!(log.take(), ["any 1", "any 2"]);
}

#[test]
fn a_trigger_that_an_observer_changes_is_the_next_ones_all_the_same() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|mut on: On<Add<A>>| on.trigger_mut().components.clear());
    world.add_observer(|on: On<Add<A>>, log: Res<Log>| log.note(on.trigger().components.len().to_string()));
    world.spawn_batch([A(1), A(2)]);
    assert_eq!(log.take(), ["1", "1"]);
}

#[test]
fn a_component_that_is_modified_is_told_as_another_value() {
    let (mut world, log) = observed();
    let entity = world.spawn((A(1), S(5))).id();
    log.take();
    assert_eq!(world.entity_mut(entity).modify_component(|a: &mut A| std::mem::replace(&mut a.0, 2)), Some(1));
    assert_eq!(log.take(), ["Discard A 1", "Insert A 2"]);
    assert_eq!(world.modify_component(entity, |s: &mut S| s.0 = 6), Ok(Some(())));
    assert_eq!(log.take(), ["Discard S 5", "Insert S 6"]);
    assert_eq!(world.modify_component(entity, |_: &mut B| unreachable!()), Ok(None::<()>));
    let text = expect_panic(|| {
        world.modify_component(entity, |a: &mut A| {
            a.0 = 3;
            panic!("halfway")
        })
    });
    assert!(text.contains("halfway"));
    assert_eq!(log.take(), ["Discard A 2"]);
    assert_eq!(world.get::<A>(entity), Some(&A(3)));
    // The discarded value has been replaced, and the next operation delivers that event.
    world.entity_mut(entity).insert(A(4));
    assert_eq!(log.take(), ["Insert A 3", "Discard A 3", "Insert A 4"]);
}

#[test]
fn immutable_components_can_be_modified_since_listeners_are_told() {
    #[derive(Component)]
    #[component(immutable)]
    struct Key(u32);
    #[derive(Resource, Default)]
    struct Index(Vec<u32>);

    let mut world = World::new();
    world.init_resource::<Index>();
    world.add_observer(|on: On<Discard<Key>>, keys: Query<&Key>, mut index: ResMut<Index>| {
        let key = keys.get(on.entity).unwrap().0;
        index.0.retain(|other| *other != key);
    });
    world.add_observer(|on: On<Insert<Key>>, keys: Query<&Key>, mut index: ResMut<Index>| {
        index.0.push(keys.get(on.entity).unwrap().0);
    });
    let entity = world.spawn(Key(1)).id();
    let mut changed = SystemState::<Query<(), Changed<Key>>>::new(&mut world);
    assert_eq!(changed.get(&world).unwrap().count(), 1);
    world.modify_component(entity, |key: &mut Key| key.0 += 1).unwrap();
    assert_eq!(changed.get(&world).unwrap().count(), 1);
    assert_eq!(changed.get(&world).unwrap().count(), 0);
    assert_eq!(world.resource::<Index>().0, [2]);
}

#[test]
fn what_an_observer_asks_for_comes_behind_the_modification() {
    let mut world = World::new();
    world.add_observer(|on: On<Discard<A>>, mut commands: Commands| {
        commands.entity(on.entity).remove::<A>();
        commands.spawn(Marker);
    });
    let entity = world.spawn(A(1)).id();
    assert_eq!(world.modify_component(entity, |a: &mut A| a.0 + 1), Ok(Some(2)));
    assert!(!world.entity(entity).contains::<A>());
    // The observer has also got the removal.
    assert_eq!(world.query::<&Marker>().iter(&world).count(), 2);
}

#[test]
fn what_is_taken_is_dropped_if_a_listener_panics() {
    #[derive(Component)]
    struct Held(Arc<()>);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Beside(Arc<()>);
    let value = Arc::new(());
    for turn in 0..4 {
        let mut world = World::new();
        world.add_observer(|_: On<Remove<Held>>| panic!("unlucky"));
        world.add_observer(|_: On<Remove<Beside>>, mut commands: Commands| {
            commands.queue(|_: &mut World| panic!("unlucky"));
        });
        world.add_observer(|_: On<Add<A>>| panic!("unlucky"));
        let entity = world.spawn((Held(value.clone()), Beside(value.clone()), Marker)).id();
        let mut entity = world.entity_mut(entity);
        let done = match turn {
            0 => catch(|| drop(entity.take::<Held>())),
            1 => catch(|| drop(entity.take::<Beside>())),
            2 => catch(|| drop(entity.take::<(Held, Beside, Marker)>())),
            _ => catch(|| drop(entity.exchange::<(Marker, Held), A>(A(1)))),
        };
        assert!(done.is_err(), "turn {turn}");
        world.check_invariants();
        drop(world);
        assert_eq!(Arc::strong_count(&value), 1, "turn {turn}");
    }
}

/// A world with an entity that has `A`, of whose discarding an observer panics.
fn with_a_panicking_observer() -> (World, Entity) {
    let mut world = World::new();
    world.add_observer(|_: On<Discard<A>>| panic!("of the listener"));
    let entity = world.spawn((A(1), S(1))).id();
    (world, entity)
}

#[test]
fn a_panic_of_a_listener_is_forgotten_with_the_operation_that_another_one_breaks_off() {
    #[derive(Component)]
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("of the operation");
        }
    }
    let broken: [fn(&mut World, Entity); 4] = [
        |world, _| _ = world.all::<With<A>>().insert_with(|_| -> A { panic!("of the operation") }),
        |world, entity| _ = world.entity_mut(entity).modify_component(|_: &mut A| panic!("of the operation")),
        |world, entity| {
            world.entity_mut(entity).insert(Bomb);
            world.entity_mut(entity).remove::<(A, Bomb)>();
        },
        |world, entity| {
            world.entity_mut(entity).insert(Bomb);
            world.despawn(entity);
        },
    ];
    for (number, operation) in broken.into_iter().enumerate() {
        let (mut world, entity) = with_a_panicking_observer();
        assert_eq!(expect_panic(|| operation(&mut world, entity)), "of the operation", "operation {number}");
        // Commands of others are carried out, and nothing panics once more.
        world.commands().spawn(Marker);
        world.flush();
        world.spawn(B("b".into()));
        assert_eq!(world.query::<&Marker>().query(&world).count(), 1, "operation {number}");
        world.check_invariants();
    }
}

#[test]
fn a_broken_batch_is_told_of_what_is_left_of_it() {
    let batch = || (0..3).map(|n| if n == 2 { panic!("no more") } else { A(n) });
    for by_command in [false, true] {
        let mut world = World::new();
        let log = Log::default();
        world.insert_resource(log.clone());
        world.add_observer(|on: OnBatch<Add<A>>, all: Query<&A>, log: Res<Log>| {
            assert!(!on.entities().is_empty());
            on.entities().iter().for_each(|&entity| log.note(all.get(entity).unwrap().0.to_string()));
        });
        let broken = catch(|| {
            if by_command {
                world.commands().spawn_batch(batch());
                world.flush();
            } else {
                world.spawn_batch(batch());
            }
        });
        assert!(broken.is_err());
        let first = world.query::<(Entity, &A)>().iter(&world).find(|(_, a)| a.0 == 0).unwrap().0;
        // Its despawn triggers no event.
        world.despawn(first);
        world.flush();
        assert_eq!(log.take(), ["1"]);
    }
}

#[test]
fn entities_of_a_broken_operation_are_asked_one_by_one_whether_they_match() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    type Filter = (With<A>, Without<Marker>);
    world.add_observer(|on: On<BeginMatch<Filter>>, all: Query<&A, Filter>, log: Res<Log>| {
        log.note(all.get(on.entity).expect("it matches").0.to_string());
    });
    assert!(catch(|| _ = world.spawn_batch((0..3).map(|n| if n == 2 { panic!("no more") } else { A(n) }))).is_err());
    let second = world.query::<(Entity, &A)>().iter(&world).find(|(_, a)| a.0 == 1).unwrap().0;
    world.entity_mut(second).insert(Marker);
    assert_eq!(log.take(), ["0"]);
}

#[test]
fn a_panic_of_old_news_keeps_no_new_ones_back() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|_: On<Insert<A>>| panic!("old"));
    world.add_observer(|_: On<Despawn<B>>, log: Res<Log>| log.note("ends"));
    let entity = world.spawn(B("b".into())).id();
    assert!(catch(|| _ = world.spawn_batch((0..3).map(|n| if n == 2 { panic!("no more") } else { A(n) }))).is_err());
    assert_eq!(expect_panic(|| _ = world.despawn(entity)), "old");
    assert_eq!((log.take(), world.contains(entity)), (vec!["ends".to_string()], false));
}

#[test]
fn what_came_before_is_told_before_what_is_taken() {
    let mut world = World::new();
    let log = Log::default();
    world.insert_resource(log.clone());
    world.add_observer(|_: On<Add<A>>, log: Res<Log>| log.note("add"));
    world.add_observer(|_: On<Remove<A>>, log: Res<Log>| log.note("remove"));
    assert!(catch(|| _ = world.spawn_batch((0..2).map(|n| if n == 1 { panic!("no more") } else { A(n) }))).is_err());
    let entity = world.query_filtered::<Entity, With<A>>().single(&world).unwrap();
    assert_eq!(world.entity_mut(entity).take::<A>(), Some(A(0)));
    assert_eq!(log.take(), ["add", "remove"]);
}

#[test]
fn a_value_that_is_half_changed_is_told_as_another_one() {
    let (mut world, log) = observed();
    let entity = world.spawn(A(1)).id();
    log.take();
    let change = |a: &mut A| {
        a.0 = 2;
        panic!("in the middle");
    };
    assert!(catch(|| _ = world.entity_mut(entity).modify_component(change)).is_err());
    world.flush();
    assert_eq!(log.take(), ["Discard A 1", "Insert A 2"]);
}

#[test]
fn a_world_that_entities_move_to_is_told_of_them_if_a_listener_of_the_other_one_panics() {
    let (mut to, log) = observed();
    let mut from = World::new();
    from.add_observer(|_: On<Remove<A>>| panic!("unlucky"));
    from.spawn_batch([A(1), A(2)]);
    assert!(catch(|| _ = from.all::<With<A>>().move_to(&mut to)).is_err());
    let first = to.query::<(Entity, &A)>().iter(&to).find(|(_, a)| a.0 == 1).unwrap().0;
    to.entity_mut(first).insert(Marker);
    to.flush();
    assert_eq!(log.take(), ["Add A 1", "Add A 2", "Insert A 1", "Insert A 2"]);
    assert!(from.is_empty());
}
