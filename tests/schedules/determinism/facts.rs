//! All that can be known of a world.

use std::fmt::Debug;

use strata_ecs::change::ComponentTicks;
use strata_ecs::prelude::*;
use strata_ecs::removal::{RemovedComponentReader, RemovedValueReader};

use super::parts::{A, B, C, Cry, D, E, Extra, F, Kept, Likes, Link, Note, One, Owns, S, T, Two};

/// One thing that can be known.
#[derive(PartialEq, Debug)]
pub(crate) enum Fact {
    /// How the run of the schedule ended.
    Result(Option<String>),
    /// A digest of the values that each system has seen since the beginning.
    Digests(Vec<u64>),
    /// The entities of a table, in their rows.
    Table(strata_ecs::entity::TableId, Vec<Entity>),
    /// The items of a query, in order.
    Query(&'static str, Vec<Entity>),
    /// A component of an entity.
    Value(Entity, &'static str, u64, Option<ComponentTicks>),
    Resource(&'static str, Option<u64>, Option<ComponentTicks>),
    /// Messages, with the number of the first.
    Messages(&'static str, Vec<(u64, u64)>),
    /// The removals since the last time.
    Removed(&'static str, Vec<(Entity, u64)>),
    /// All pairs of a relation.
    Pairs(&'static str, Vec<(Entity, u64, Entity)>),
    /// The lists of an entity: its children, and the sources of pairs.
    Lists(Entity, Vec<Entity>, Vec<Entity>),
    Tick(u32),
    CommandErrors(Vec<String>, usize),
    /// Ids that are free next, in their order.
    Next(Vec<Entity>),
}

/// Readers outside of the schedule.
pub(crate) struct Readers {
    watchers: Option<Watchers>,
    sparse: QueryState<Entity, With<S>>,
    removed_a: RemovedComponentReader<A>,
    removed_e: RemovedComponentReader<E>,
    removed_kept: RemovedValueReader<Kept>,
}

/// They see to it that changes are kept.
struct Watchers {
    changed_a: QueryState<Entity, Changed<A>>,
    added_a: QueryState<Entity, Added<A>>,
    changed_b: QueryState<(Entity, &'static B), (Changed<B>, Without<T>)>,
    changed_e: QueryState<Entity, Changed<E>>,
}

impl Watchers {
    fn facts(&mut self, world: &mut World, facts: &mut Vec<Fact>) {
        facts.push(Fact::Query("Changed<A>", self.changed_a.iter(world).collect()));
        facts.push(Fact::Query("Added<A>", self.added_a.iter(world).collect()));
        facts.push(Fact::Query("Changed<B>", self.changed_b.iter(world).map(|(entity, _)| entity).collect()));
        facts.push(Fact::Query("Changed<E>", self.changed_e.iter(world).collect()));
    }
}

impl Readers {
    /// If they watch, some of the components are watched from outside, and others only if a system does.
    pub(crate) fn new(world: &mut World, watch: bool) -> Self {
        let watchers = watch.then(|| Watchers {
            changed_a: world.query_filtered(),
            added_a: world.query_filtered(),
            changed_b: world.query_filtered(),
            changed_e: world.query_filtered(),
        });
        Self {
            watchers,
            sparse: world.query_filtered(),
            removed_a: world.removed_reader(),
            removed_e: world.removed_reader(),
            removed_kept: world.removed_value_reader(),
        }
    }

    /// All that can be known of a world.
    pub(crate) fn facts(&mut self, world: &mut World) -> Vec<Fact> {
        let mut facts = vec![Fact::Tick(world.change_tick().get())];
        facts.extend(world.tables().iter().map(|table| Fact::Table(table.id(), table.entities().to_vec())));
        if let Some(watchers) = &mut self.watchers {
            watchers.facts(world, &mut facts);
        }
        facts.push(Fact::Query("With<S>", self.sparse.iter(world).collect()));
        facts.push(Fact::Removed("A", self.removed_a.read(world).map(|entity| (entity, 0)).collect()));
        facts.push(Fact::Removed("E", self.removed_e.read(world).map(|entity| (entity, 0)).collect()));
        let kept = self.removed_kept.read(world).map(|(entity, kept)| (entity, kept.0));
        facts.push(Fact::Removed("Kept", kept.collect()));
        values(world, &mut facts);
        pairs(world, &mut facts);
        resource(world, "One", &mut facts, |One(number)| *number);
        resource(world, "Two", &mut facts, |Two(number)| *number);
        resource(world, "Extra", &mut facts, |Extra(number)| *number);
        messages(world, "Note", &mut facts, |Note(number)| *number);
        messages(world, "Cry", &mut facts, |Cry(entity)| entity.to_bits());
        let (errors, more) = world.take_command_errors();
        facts.push(Fact::CommandErrors(errors.iter().map(|error| format!("{error:?}")).collect(), more));
        world.clear_trackers();
        facts
    }
}

fn values(world: &World, facts: &mut Vec<Fact>) {
    for entity in world.iter_entities() {
        let id = entity.id();
        macro_rules! component {
            ($($T:ident: $number:expr),*) => {$(
                if let Some(value) = entity.get::<$T>() {
                    let ticks = entity.get_change_ticks::<$T>();
                    facts.push(Fact::Value(id, stringify!($T), $number(value), ticks));
                }
            )*};
        }
        component!(
            A: |a: &A| a.0, B: |b: &B| b.0, C: |c: &C| c.0, D: |d: &D| d.0, E: |e: &E| e.0, F: |f: &F| f.0,
            Kept: |kept: &Kept| kept.0, Link: |link: &Link| link.0.to_bits(), T: |_: &T| 0, S: |_: &S| 0
        );
    }
}

fn pairs(world: &World, facts: &mut Vec<Fact>) {
    facts.push(Fact::Pairs("Likes", world.pairs::<Likes>().map(|(a, likes, b)| (a, likes.0, b)).collect()));
    facts.push(Fact::Pairs("Owns", world.pairs::<Owns>().map(|(a, owns, b)| (a, owns.0, b)).collect()));
    for entity in world.iter_entities() {
        let children = entity.get::<Children>().map_or_else(Vec::new, |children| children.to_vec());
        let sources: Vec<Entity> = world.pairs_to::<Likes>(entity.id()).entities().collect();
        if !children.is_empty() || !sources.is_empty() {
            facts.push(Fact::Lists(entity.id(), children, sources));
        }
    }
}

pub(crate) fn resource<R: Resource>(world: &World, name: &'static str, facts: &mut Vec<Fact>, number: fn(&R) -> u64) {
    let ticks = world.get_resource_change_ticks::<R>();
    facts.push(Fact::Resource(name, world.get_resource::<R>().map(number), ticks));
}

fn messages<M: Message>(world: &World, name: &'static str, facts: &mut Vec<Fact>, number: fn(&M) -> u64) {
    let Some(messages) = world.get_resource::<Messages<M>>() else { return };
    let all = messages.get_cursor().read_with_id(messages).map(|(message, id)| (id.id, number(message))).collect();
    facts.push(Fact::Messages(name, all));
}

/// Compares what is known after each run.
pub(crate) fn compare(expected: &[Vec<Fact>], found: &[Vec<Fact>], way: &dyn Debug) {
    assert_eq!(expected.len(), found.len());
    for (number, (expected, found)) in expected.iter().zip(found).enumerate() {
        let differs = expected.iter().zip(found).find(|(expected, found)| expected != found);
        match differs {
            Some((Fact::Digests(expected), Fact::Digests(found))) => {
                let differ = |system: &usize| expected[*system] != found[*system];
                let systems: Vec<usize> = (0..expected.len()).filter(differ).collect();
                panic!("{way:?}, run {number}: systems {systems:?} have seen something else");
            }
            Some((expected, found)) => panic!("{way:?}, run {number}:\nexpected {expected:?}\nfound    {found:?}"),
            None => {}
        }
        assert_eq!(expected.len(), found.len(), "{way:?}, run {number}");
    }
}
