//! Whatever listener of an operation panics, the operation is completed: the world is as if it had not, of every operation on entities.
#![expect(elided_lifetimes_in_paths, reason = "systems as users write them")]

use std::sync::{Arc, Mutex};

use strata_ecs::component::ErasedValue;
use strata_ecs::event::{BeginMatch, EndMatch};
use strata_ecs::prelude::*;
use strata_ecs::store::EntityBuilder;
use strata_tests::panics::catch;

#[derive(Component, Clone, Default, Debug)]
struct A(u32);
#[derive(Component, Clone, Debug)]
struct B(String);
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
struct S(u32);
/// Brings `A` along.
#[derive(Component, Clone, Debug)]
#[require(A)]
struct R;

/// How many listeners are still called before one panics, and what has been called.
#[derive(Resource, Clone)]
struct Calls(Arc<Mutex<(usize, Vec<String>)>>);

impl Calls {
    fn note(&self, call: String) {
        let panics = {
            let (left, calls) = &mut *self.0.lock().unwrap();
            calls.push(call);
            *left = left.wrapping_sub(1);
            *left == usize::MAX
        };
        assert!(!panics, "unlucky");
    }

    /// Makes the call after this number of other calls panic.
    fn arm(&self, calls: usize) {
        *self.0.lock().unwrap() = (calls, Vec::new());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().1)
    }
}

/// With so many calls left none panics.
const NEVER: usize = usize::MAX / 2;

/// Observers of entities and of batches and a hook of each kind for a component, which note what they see.
macro_rules! listen {
    ($world:ident, $C:ident, $($Moment:ident $hook:ident)*) => {$(
        $world.add_observer(|on: On<$Moment<$C>>, all: Query<&$C>, calls: Res<Calls>| {
            calls.note(format!("{} {:?} of {}", stringify!($Moment), all.get(on.entity).unwrap(), on.entity));
        });
        $world.add_observer(|on: OnBatch<$Moment<$C>>, all: Query<&$C>, calls: Res<Calls>| {
            let values: Vec<_> = all.iter_many(on.entities()).matched().collect();
            assert_eq!(values.len(), on.entities().len());
            calls.note(format!("{} {values:?}", stringify!($Moment)));
        });
        $world.register_component_hooks::<$C>().$hook(|world, context| {
            let value = world.get::<$C>(context.entity).unwrap();
            world.resource::<Calls>().note(format!("{} {value:?} of {}", stringify!($hook), context.entity));
        });
    )*};
}

type Filter = (With<A>, Without<S>);

/// A world with entities and listeners.
fn world() -> (World, Calls, Vec<Entity>) {
    let mut world = World::new();
    let calls = Calls(Arc::new(Mutex::new((NEVER, Vec::new()))));
    world.insert_resource(calls.clone());
    let ids = vec![
        world.spawn(A(1)).id(),
        world.spawn((A(2), B("2".into()))).id(),
        world.spawn((A(3), S(3))).id(),
        world.spawn((S(4), B("4".into()))).id(),
        world.spawn(A(5)).id(),
        world.spawn_empty().id(),
    ];
    listen!(world, A, Despawn on_despawn Discard on_discard Remove on_remove Add on_add Insert on_insert);
    listen!(world, S, Despawn on_despawn Discard on_discard Remove on_remove Add on_add Insert on_insert);
    world.add_observer(|on: On<BeginMatch<Filter>>, calls: Res<Calls>| calls.note(format!("begins {}", on.entity)));
    world.add_observer(|on: On<EndMatch<Filter>>, calls: Res<Calls>| calls.note(format!("ends {}", on.entity)));
    (world, calls, ids)
}

/// All entities and what they have.
fn contents(world: &mut World) -> Vec<String> {
    let mut all = world.query::<(Entity, Option<&A>, Option<&B>, Option<&S>, Has<R>)>();
    let mut rows: Vec<String> = all.iter(world).map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

/// An operation on a world, in which these entities are.
type Operation = fn(&mut World, &[Entity]);

/// Carries an operation out again and again, in worlds that are alike, and each time another call of a listener panics.
fn check(name: &str, operation: Operation) {
    let (mut quiet, calls, ids) = world();
    operation(&mut quiet, &ids);
    quiet.flush();
    let told = calls.take();
    let expected = contents(&mut quiet);
    assert!(!told.is_empty(), "{name}: nothing is told");
    for number in 0..told.len() {
        let (mut world, calls, ids) = world();
        calls.arm(number);
        let Err(text) = catch(|| {
            operation(&mut world, &ids);
            world.flush();
        }) else {
            panic!("{name}: the panic of call {number}, `{}`, is lost", told[number])
        };
        assert_eq!(text, "unlucky");
        world.check_invariants();
        let panicked = &told[number];
        assert_eq!(contents(&mut world), expected, "{name}, in which `{panicked}` panics");
        let before = calls.take();
        assert_eq!(before[..=number], told[..=number], "{name}: until `{panicked}` panics");
        // Later events are still delivered, and no events that would not have occurred without the panic.
        let mut rest = told[number..].iter();
        assert!(
            before[number..].iter().all(|call| rest.any(|other| other == call)),
            "{name}, `{panicked}`: {before:?}"
        );
        // Nothing is left over for the next operation.
        calls.arm(NEVER);
        let entity = world.spawn(A(100)).id();
        assert!(
            calls.take().iter().all(|call| call.contains("A(100)") || call.ends_with(&entity.to_string())),
            "{name}"
        );
    }
}

macro_rules! check {
    ($($name:literal: |$world:pat_param, $ids:pat_param| $operation:expr;)*) => {
        $(check($name, |$world, $ids| _ = $operation);)*
    };
}

#[test]
fn of_entities_that_are_made() {
    check! {
        "spawn": |world, _| world.spawn((A(9), S(9)));
        "spawn, required": |world, _| world.spawn((R, S(9)));
        "try_spawn": |world, _| world.try_spawn(A(9)).unwrap();
        "spawn_at": |world, _| world.spawn_at(Entity::from_raw_u32(90).unwrap(), (A(9), S(9))).unwrap();
        "spawn_dynamic": |world, _| world.spawn_dynamic(EntityBuilder::new().add(A(9)).add(S(9)));
        "spawn_batch": |world, _| world.spawn_batch([(A(8), S(8)), (A(9), S(9))]);
        "spawn_batch, required": |world, _| world.spawn_batch([R, R]);
        "extend": |world, _| world.extend([A(8), A(9)]);
        "spawn_columns": |world, _| world.spawn_columns((vec![A(8), A(9)], vec![B("8".into()), B("9".into())])).unwrap();
        "spawn_columns_at": |world, _| {
            let entities = [90, 91].map(|index| Entity::from_raw_u32(index).unwrap());
            world.spawn_columns_at(&entities, vec![A(8), A(9)]).unwrap();
        };
        "clone_entity": |world, ids| world.clone_entity(ids[2]).unwrap();
        "clone_and_spawn": |world, ids| world.entity_mut(ids[2]).clone_and_spawn().unwrap();
        "commands.spawn": |world, _| world.commands().spawn((A(9), S(9)));
        "commands.spawn, insert": |world, _| world.commands().spawn(A(9)).insert(S(9)).id();
        "commands.spawn_batch": |world, _| world.commands().spawn_batch([(A(8), S(8)), (A(9), S(9))]);
    }
}

#[test]
fn of_an_entity_that_changes() {
    check! {
        "insert": |world, ids| world.entity_mut(ids[0]).insert((A(9), S(9)));
        "insert, elsewhere": |world, ids| world.entity_mut(ids[3]).insert((A(9), S(9)));
        "insert, required": |world, ids| world.entity_mut(ids[5]).insert(R);
        "insert, of another storage": |world, ids| world.entity_mut(ids[0]).insert(S(9));
        "insert, into an empty entity": |world, ids| world.entity_mut(ids[5]).insert(A(9));
        "insert_if_new": |world, ids| world.entity_mut(ids[0]).insert_if_new((A(9), S(9)));
        "insert_dynamic": |world, ids| world.entity_mut(ids[0]).insert_dynamic(EntityBuilder::new().add(A(9)).add(S(9)));
        "insert_erased": |world, ids| world.entity_mut(ids[0]).insert_erased(ErasedValue::of(A(9))).unwrap();
        "insert_by_ids": |world, ids| {
            let (a, s) = (world.register_component::<A>(), world.register_component::<S>());
            let values = [(a, ErasedValue::of(A(9))), (s, ErasedValue::of(S(9)))];
            world.entity_mut(ids[0]).insert_by_ids(values).unwrap();
        };
        "remove": |world, ids| world.entity_mut(ids[2]).remove::<(A, S)>();
        "remove, of another storage": |world, ids| world.entity_mut(ids[2]).remove::<S>();
        "remove_by_ids": |world, ids| {
            let components = [world.register_component::<A>(), world.register_component::<S>()];
            world.entity_mut(ids[2]).remove_by_ids(&components).unwrap();
        };
        "take": |world, ids| world.entity_mut(ids[2]).take::<(A, S)>().unwrap();
        "take_by_id": |world, ids| {
            let s = world.register_component::<S>();
            world.entity_mut(ids[2]).take_by_id(s).unwrap();
        };
        "replace": |world, ids| world.entity_mut(ids[0]).replace::<A, S>(S(9));
        "exchange": |world, ids| world.entity_mut(ids[2]).exchange::<S, A>(A(9));
        "retain": |world, ids| world.entity_mut(ids[2]).retain::<B>();
        "clear": |world, ids| world.entity_mut(ids[2]).clear();
        "take_all": |world, ids| world.entity_mut(ids[2]).take_all();
        "modify_component": |world, ids| world.modify_component(ids[0], |a: &mut A| a.0 = 9);
        "entry, or_insert": |world, ids| world.entity_mut(ids[3]).entry::<A>().or_insert(A(9));
        "entry, insert_entry": |world, ids| world.entity_mut(ids[0]).entry::<A>().insert_entry(A(9));
        "despawn": |world, ids| world.despawn(ids[2]);
        "entity.despawn": |world, ids| world.entity_mut(ids[2]).despawn();
        "commands.insert": |world, ids| world.commands().entity(ids[0]).insert((A(9), S(9)));
        "commands, several": |world, ids| world.commands().entity(ids[0]).insert(S(9)).remove::<A>().insert(B("9".into()));
        "commands.remove": |world, ids| world.commands().entity(ids[2]).remove::<(A, S)>();
        "commands.despawn": |world, ids| world.commands().entity(ids[2]).despawn();
        "commands, in vain": |world, ids| world.commands().entity(ids[0]).insert(A(9)).insert(S(1)).remove::<S>();
    }
}

#[test]
fn of_many_entities_that_change() {
    check! {
        "all.insert": |world, _| world.all::<With<A>>().insert((A(9), S(9)));
        "all.insert, new": |world, _| world.all::<With<S>>().insert(A(9));
        "all.insert, required": |world, _| world.all::<With<S>>().insert(R);
        "all.insert, sparse": |world, _| world.all::<With<A>>().insert(S(9));
        "all.insert_with": |world, _| world.all::<With<A>>().insert_with(|entity| S(entity.index()));
        "all.insert_from": |world, _| world.all::<With<A>>().insert_from::<&A, S>(|a| S(a.0));
        "all.remove": |world, _| world.all::<With<A>>().remove::<(A, S)>();
        "all.remove, sparse": |world, _| world.all::<With<S>>().remove::<S>();
        "all.despawn": |world, _| world.all::<With<A>>().despawn();
        "many.insert": |world, ids| world.many(&ids[..4]).insert((A(9), S(9)));
        "many.insert_columns": |world, ids| {
            world.many(&ids[..2]).insert_columns((&[A(8), A(9)][..], &[S(8), S(9)][..])).unwrap();
        };
        "many.remove": |world, ids| world.many(&ids[1..4]).remove::<(A, S)>();
        "many.despawn": |world, ids| world.many(&ids[..5]).despawn();
        "move_to": |world, _| world.all::<With<A>>().move_to(&mut World::new());
        // Each entity is an operation of its own.
        "insert_batch": |world, ids| world.insert_batch([(ids[0], A(9))]);
        "insert_batch_if_new": |world, ids| world.insert_batch_if_new([(ids[0], (A(9), S(9)))]);
        "despawn_all": |world, _| world.despawn_all::<With<S>>();
        "despawn_all_where": |world, _| world.despawn_all_where::<&A, ()>(|a| a.0 > 1);
        "clear_entities": |world, _| world.clear_entities();
        "commands.all.insert": |world, _| world.commands().all::<With<A>>().insert((A(9), S(9)));
        "commands.all.remove": |world, _| world.commands().all::<With<A>>().remove::<(A, S)>();
        "commands.all.despawn": |world, _| world.commands().all::<With<A>>().despawn();
        "commands.many.insert": |world, ids| world.commands().many(ids.to_vec()).insert((A(9), S(9)));
        "commands.insert_batch": |world, ids| world.commands().insert_batch([(ids[0], A(9))]);
    }
}

/// It cannot be made.
#[derive(Component)]
struct Faulty;

impl Default for Faulty {
    fn default() -> Self {
        panic!("no `Faulty` can be made")
    }
}

#[derive(Component)]
#[require(Faulty)]
struct NeedsFaulty;

#[test]
fn the_panic_of_a_listener_goes_on_if_the_operation_then_fails() {
    let (mut world, calls, ids) = world();
    let operations: [(&str, Operation); 2] = [
        ("insert", |world, ids| _ = world.entity_mut(ids[0]).insert((A(9), NeedsFaulty))),
        ("commands.insert", |world, ids| {
            world.commands().entity(ids[0]).insert((A(9), NeedsFaulty));
            world.flush();
        }),
    ];
    let before = contents(&mut world);
    for (name, operation) in operations {
        calls.arm(NEVER);
        assert_eq!(catch(|| operation(&mut world, &ids)), Err("no `Faulty` can be made".into()), "{name}");
        calls.arm(0);
        assert_eq!(catch(|| operation(&mut world, &ids)), Err("unlucky".into()), "{name}");
        world.check_invariants();
        assert_eq!(contents(&mut world), before, "{name}");
        // Nothing is left over for the next operation.
        calls.arm(NEVER);
        let other = world.spawn_empty().id();
        assert_eq!(calls.take(), [""; 0], "{name}");
        world.despawn(other);
    }
}
