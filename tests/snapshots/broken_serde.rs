//! `serde` implementations that fail or panic half way: nothing leaks, nothing is half done, and the world stays usable.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strata_ecs::prelude::*;
use strata_save::{Recorder, Replica, WorldFormat, components, relations, resources};

#[derive(Clone, Copy)]
enum Fault {
    Error,
    Panic,
}

thread_local! {
    /// How many values are written or read until the fault.
    static UNTIL_FAULT: Cell<Option<(u32, Fault)>> = const { Cell::new(None) };
    /// How many values there are.
    static ALIVE: Cell<i64> = const { Cell::new(0) };
}

/// Counts a value that is written or read.
fn count() -> Result<(), &'static str> {
    match UNTIL_FAULT.get() {
        None => Ok(()),
        Some((0, Fault::Error)) => Err("a fault"),
        Some((0, Fault::Panic)) => panic!("a fault"),
        Some((left, fault)) => {
            UNTIL_FAULT.set(Some((left - 1, fault)));
            Ok(())
        }
    }
}

#[derive(PartialEq, Debug)]
struct Value(Box<u32>);

impl Value {
    fn new(value: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self(Box::new(value))
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        Self::new(*self.0)
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        count().map_err(S::Error::custom)?;
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Self::new(u32::deserialize(deserializer)?);
        count().map_err(D::Error::custom)?;
        Ok(value)
    }
}

#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "solid")]
struct Solid(Value);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "rare", storage = "sparse")]
struct Rare(Vec<Value>);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(name = "hunting")]
struct Hunting(Value);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "score")]
struct Score(Value);

fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Solid, Rare])
        .with_relations(relations![Hunting])
        .with_resources(resources![Score])
}

fn world(first: u32) -> World {
    let mut world = World::new();
    let ids: Vec<Entity> = (first..first + 6).map(|at| world.spawn(Solid(Value::new(at))).id()).collect();
    for at in 0..3 {
        world.entity_mut(ids[at]).insert(Rare(vec![Value::new(1), Value::new(2)]));
        world.relate(ids[at], Hunting(Value::new(3)), ids[at + 1]);
    }
    world.despawn(ids[5]);
    world.insert_resource(Score(Value::new(first)));
    world
}

fn saved(world: &mut World) -> Vec<u8> {
    format().save(world).unwrap()
}

/// Has an operation fail at each value that it writes or reads, and then succeed. `None` is a failure.
#[track_caller]
fn fail_everywhere<T>(world: &mut World, operation: impl FnMut(&mut World) -> Option<T>) -> T {
    fail_and_compare(world, saved, operation)
}

/// The same, where `look` says what does not change.
#[track_caller]
fn fail_and_compare<T, L: PartialEq>(
    world: &mut World,
    look: impl Fn(&mut World) -> L,
    mut operation: impl FnMut(&mut World) -> Option<T>,
) -> T {
    let before = look(world);
    let mut faults = 0;
    for until in 0..1000 {
        for fault in [Fault::Error, Fault::Panic] {
            let alive = ALIVE.get();
            UNTIL_FAULT.set(Some((until, fault)));
            let done = catch_unwind(AssertUnwindSafe(|| operation(world)));
            UNTIL_FAULT.set(None);
            world.check_invariants();
            if let Ok(Some(done)) = done {
                assert!(faults > 2, "nothing has failed");
                return done;
            }
            faults += 1;
            assert_eq!(ALIVE.get(), alive, "a value has leaked or was dropped twice");
            assert!(look(world) == before, "something was half done");
        }
    }
    panic!("the operation never succeeds");
}

/// Uses a world by operations that are valid for any world.
fn use_on(world: &mut World) {
    let [one, other] = [1, 2].map(|value| world.spawn((Solid(Value::new(value)), Rare(Vec::new()))).id());
    world.relate(one, Hunting(Value::new(1)), other);
    world.despawn(one);
    world.check_invariants();
}

#[test]
fn a_save_that_fails_half_way_changes_nothing() {
    let mut world = world(0);
    let bytes = fail_everywhere(&mut world, |world| format().save(world).ok());
    assert_eq!(bytes, saved(&mut world));
    fail_everywhere(&mut world, |world| Recorder::<Score>::new(&format(), world).ok().map(drop));
    use_on(&mut world);
    drop(world);
    assert_eq!(ALIVE.get(), 0);
}

#[test]
fn a_load_that_fails_half_way_changes_nothing() {
    let bytes = saved(&mut world(10));
    let mut world = world(0);
    fail_everywhere(&mut world, |world| format().load(world, &bytes).ok());
    assert_eq!(saved(&mut world), bytes);
    use_on(&mut world);
    drop(world);
    assert_eq!(ALIVE.get(), 0);
}

#[test]
fn a_load_into_a_living_world_that_fails_half_way_changes_nothing() {
    let bytes = saved(&mut world(10));
    let mut world = world(0);
    let map = fail_everywhere(&mut world, |world| format().load_entities(world, &bytes).ok());
    assert_eq!((map.len(), world.len()), (5, 10));
    use_on(&mut world);
    drop(world);
    assert_eq!(ALIVE.get(), 0);
}

#[test]
fn a_text_that_fails_half_way_changes_nothing() {
    let mut other = world(10);
    let text = fail_everywhere(&mut other, |world| {
        let mut text = Vec::new();
        let done = format().serialize(world, &mut serde_json::Serializer::new(&mut text));
        done.ok().map(|()| text)
    });
    let mut world = world(0);
    fail_everywhere(&mut world, |world| {
        format().deserialize(world, &mut serde_json::Deserializer::from_slice(&text)).ok()
    });
    assert_eq!(saved(&mut world), saved(&mut other));
    use_on(&mut world);
    drop((world, other));
    assert_eq!(ALIVE.get(), 0);
}

#[test]
fn a_delta_that_fails_half_way_changes_nothing() {
    let (format, mut server) = (format(), world(0));
    format.start_journal(&mut server, 1 << 10).unwrap();
    let (mut client, mut replica) = (World::new(), Replica::new());
    // A position in the journal has a tick of its own, so the tick goes on.
    let rows = |world: &mut World| {
        let mut query = world.query::<(Entity, &Solid, Option<&Rare>)>();
        query.iter(world).map(|row| format!("{row:?}")).collect::<Vec<_>>()
    };
    let full = fail_and_compare(&mut server, rows, |world| format.full_delta(world).ok());
    fail_everywhere(&mut client, |world| replica.apply(&format, world, &full.bytes).ok());
    let all: Vec<Entity> = server.query_filtered::<Entity, With<Solid>>().iter(&server).collect();
    server.entity_mut(all[0]).insert(Solid(Value::new(99)));
    server.entity_mut(all[4]).insert(Rare(vec![Value::new(7)]));
    server.relate(all[3], Hunting(Value::new(8)), all[0]);
    server.spawn(Solid(Value::new(100)));
    server.insert_resource(Score(Value::new(5)));
    server.despawn(all[1]);
    let delta = fail_and_compare(&mut server, rows, |world| format.delta_since(world, &full.position).ok());
    fail_everywhere(&mut client, |world| replica.apply(&format, world, &delta.bytes).ok());
    for id in server.query_filtered::<Entity, With<Solid>>().iter(&server) {
        assert_eq!(client.get::<Solid>(replica.get(id).unwrap()), server.get::<Solid>(id));
    }
    assert_eq!(client.resource::<Score>(), server.resource::<Score>());
    use_on(&mut client);
    drop((client, server));
    assert_eq!(ALIVE.get(), 0);
}

#[test]
fn damaged_texts_are_refused_and_the_world_stays() {
    let mut other = world(10);
    let mut text = Vec::new();
    format().serialize(&mut other, &mut serde_json::Serializer::new(&mut text)).unwrap();
    let mut world = world(0);
    let before = saved(&mut world);
    let mut read = 0;
    for at in (0..text.len()).step_by(strata_tests::effort::step(3)) {
        let mut texts = vec![text[..at].to_vec(), [&text[..at], &text[at + 1..]].concat()];
        for with in [b'0', b'9', b'"', b'[', b'}', b',', b'-'] {
            texts.push([&text[..at], &[with], &text[at + 1..]].concat());
        }
        for text in texts {
            let alive = ALIVE.get();
            match format().deserialize(&mut world, &mut serde_json::Deserializer::from_slice(&text)) {
                Err(_) => {
                    assert_eq!(ALIVE.get(), alive);
                    assert_eq!(saved(&mut world), before);
                }
                // Another number where any number is right, for instance.
                Ok(()) => {
                    world.check_invariants();
                    format().load(&mut world, &before).unwrap();
                    read += 1;
                }
            }
        }
    }
    assert!(read > 0);
    use_on(&mut world);
}
