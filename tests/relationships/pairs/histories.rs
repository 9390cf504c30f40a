//! Random histories of pairs of relations of every kind, compared with an oracle, which is a list of pairs.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_ecs::relation::{OnTargetDespawn, PairSource, PairTarget};
use strata_tests::drops::{self, Token};

/// Relations whose values account for their drops.
macro_rules! relations {
    ($($(#[$options:meta])? $Name:ident)*) => { $(
        #[derive(Relation)]
        $(#[$options])?
        struct $Name(u32, Token);

        impl Clone for $Name {
            fn clone(&self) -> Self {
                Self(self.0, Token::new())
            }
        }

        impl Value for $Name {
            fn new(number: u32) -> Self {
                Self(number, Token::new())
            }

            fn number(&self) -> u32 {
                self.0
            }
        }
    )* };
}

trait Value: Relation {
    fn new(number: u32) -> Self;
    fn number(&self) -> u32;
}

relations! {
    Plain
    #[relation(exclusive, on_target_despawn = "cascade")] Bound
    #[relation(on_target_despawn = "ignore")] Remembered
    #[relation(symmetric)] Known
    #[relation(symmetric, exclusive, on_target_despawn = "cascade")] Twin
    #[relation(acyclic, exclusive)] Below
    #[relation(acyclic, on_target_despawn = "cascade")] Needed
}

/// The properties and operations of a relation, without its type.
struct Kind {
    policy: OnTargetDespawn,
    exclusive: bool,
    symmetric: bool,
    acyclic: bool,
    relate: fn(&mut World, Entity, u32, Entity) -> bool,
    queue: fn(&mut Commands, Entity, u32, Entity),
    unrelate: fn(&mut World, Entity, Entity) -> bool,
    unrelate_all: fn(&mut World, usize, Entity),
    remove_component: fn(&mut World, usize, Entity),
    set: fn(&mut World, Entity, Entity, u32),
    all: fn(&World) -> Vec<(Entity, u32, Entity)>,
    from: fn(&World, Entity) -> Vec<(Entity, u32)>,
    to: fn(&World, Entity) -> Vec<(Entity, u32)>,
    get: fn(&World, Entity, Entity) -> Option<u32>,
    is_end: fn(&World, Entity) -> [bool; 2],
}

fn kind<R: Value + Clone>() -> Kind {
    Kind {
        policy: R::ON_TARGET_DESPAWN,
        exclusive: R::EXCLUSIVE,
        symmetric: R::SYMMETRIC,
        acyclic: R::ACYCLIC,
        relate: |world, source, number, target| world.relate(source, R::new(number), target),
        queue: |commands, source, number, target| commands.relate(source, R::new(number), target),
        unrelate: |world, source, target| world.unrelate::<R>(source, target),
        unrelate_all: |world, end, entity| match end {
            0 => world.unrelate_from::<R>(entity),
            _ => world.unrelate_to::<R>(entity),
        },
        remove_component: |world, end, entity| match (end, world.get_entity_mut(entity)) {
            (0, Ok(mut entity)) => _ = entity.remove::<PairSource<R>>(),
            (_, Ok(mut entity)) => _ = entity.remove::<PairTarget<R>>(),
            _ => {}
        },
        set: |world, source, target, number| {
            if let Some(mut value) = world.get_pair_mut::<R>(source, target) {
                *value = R::new(number);
            }
        },
        all: |world| world.pairs::<R>().map(|(source, value, target)| (source, value.number(), target)).collect(),
        from: |world, source| world.pairs_from::<R>(source).map(|(other, value)| (other, value.number())).collect(),
        to: |world, target| world.pairs_to::<R>(target).map(|(other, value)| (other, value.number())).collect(),
        get: |world, source, target| world.get_pair::<R>(source, target).map(R::number),
        is_end: |world, entity| match world.get_entity(entity) {
            Ok(entity) => [entity.contains::<PairSource<R>>(), entity.contains::<PairTarget<R>>()],
            Err(_) => [false; 2],
        },
    }
}

fn kinds() -> [Kind; KINDS] {
    [
        kind::<Plain>(),
        kind::<Bound>(),
        kind::<Remembered>(),
        kind::<Known>(),
        kind::<Twin>(),
        kind::<Below>(),
        kind::<Needed>(),
    ]
}

const KINDS: usize = 7;

/// Something that moves an entity to another table.
#[derive(Component, Clone)]
struct Mark;

/// A step of a history. Entities are indexes into the list of all entities that have existed.
#[derive(Clone, Debug)]
enum Step {
    Spawn,
    Relate(usize, usize, u32, usize),
    Queue(Vec<(usize, usize, u32, usize)>),
    Unrelate(usize, usize, usize),
    UnrelateAll(usize, usize, usize),
    RemoveComponent(usize, usize, usize),
    Set(usize, usize, usize, u32),
    Clear(usize),
    Mark(usize),
    Despawn(usize),
    DespawnMany(Vec<usize>),
    DespawnMarked,
    Clone(usize),
    Move(Vec<usize>),
    Shrink,
    ClearAll,
}

fn step() -> impl Strategy<Value = Step> {
    let entity = || 0..14_usize;
    let pair = || (0..KINDS, entity(), 0..1000_u32, entity());
    prop_oneof![
        6 => Just(Step::Spawn),
        30 => pair().prop_map(|(kind, a, number, b)| Step::Relate(kind, a, number, b)),
        3 => vec(pair(), 1..5).prop_map(Step::Queue),
        5 => (0..KINDS, entity(), entity()).prop_map(|(kind, a, b)| Step::Unrelate(kind, a, b)),
        2 => (0..KINDS, 0..2_usize, entity()).prop_map(|(kind, end, a)| Step::UnrelateAll(kind, end, a)),
        2 => (0..KINDS, 0..2_usize, entity()).prop_map(|(kind, end, a)| Step::RemoveComponent(kind, end, a)),
        2 => (0..KINDS, entity(), entity(), 0..1000_u32).prop_map(|(kind, a, b, number)| Step::Set(kind, a, b, number)),
        1 => entity().prop_map(Step::Clear),
        2 => entity().prop_map(Step::Mark),
        3 => entity().prop_map(Step::Despawn),
        1 => vec(entity(), 0..4).prop_map(Step::DespawnMany),
        1 => Just(Step::DespawnMarked),
        2 => entity().prop_map(Step::Clone),
        1 => vec(entity(), 0..8).prop_map(Step::Move),
        1 => Just(Step::Shrink),
        1 => Just(Step::ClearAll),
    ]
}

/// Pairs in the order in which they were made, and which entities are alive.
#[derive(Default)]
struct Oracle {
    alive: HashSet<Entity>,
    pairs: [Vec<(Entity, u32, Entity)>; KINDS],
}

impl Oracle {
    fn is(kind: &Kind, pair: &(Entity, u32, Entity), source: Entity, target: Entity) -> bool {
        (pair.0, pair.2) == (source, target) || kind.symmetric && (pair.2, pair.0) == (source, target)
    }

    fn leads(&self, number: usize, from: Entity, to: Entity) -> bool {
        let (mut waiting, mut seen) = (vec![from], HashSet::new());
        while let Some(entity) = waiting.pop() {
            if entity == to {
                return true;
            }
            if seen.insert(entity) {
                waiting.extend(self.pairs[number].iter().filter(|pair| pair.0 == entity).map(|pair| pair.2));
            }
        }
        false
    }

    fn relate(&mut self, kinds: &[Kind; KINDS], number: usize, source: Entity, value: u32, target: Entity) -> bool {
        let kind = &kinds[number];
        if !self.alive.contains(&source)
            || !self.alive.contains(&target)
            || kind.symmetric && source == target
            || kind.acyclic && self.leads(number, target, source)
        {
            return false;
        }
        if let Some(pair) = self.pairs[number].iter_mut().find(|pair| Self::is(kind, pair, source, target)) {
            pair.1 = value;
            return true;
        }
        if kind.exclusive {
            self.pairs[number].retain(|pair| {
                let ends = [pair.0, pair.2];
                if kind.symmetric { !ends.contains(&source) && !ends.contains(&target) } else { pair.0 != source }
            });
        }
        self.pairs[number].push((source, value, target));
        true
    }

    /// Removes the pairs of which an entity is the source (0) or the target (1).
    fn unrelate_all(&mut self, kind: &Kind, number: usize, end: usize, entity: Entity) {
        self.pairs[number].retain(|pair| {
            let ends = [pair.0, pair.2];
            if kind.symmetric { !ends.contains(&entity) } else { ends[end] != entity }
        });
    }

    fn despawn(&mut self, kinds: &[Kind; KINDS], entity: Entity) {
        let mut waiting = vec![entity];
        while let Some(entity) = waiting.pop() {
            if !self.alive.remove(&entity) {
                continue;
            }
            for (number, kind) in kinds.iter().enumerate() {
                if kind.policy == OnTargetDespawn::Cascade {
                    let mut sources = |pair: &(Entity, u32, Entity)| {
                        waiting.extend((pair.2 == entity).then_some(pair.0));
                        waiting.extend((kind.symmetric && pair.0 == entity).then_some(pair.2));
                    };
                    self.pairs[number].iter().for_each(&mut sources);
                }
                self.unrelate_all(kind, number, 0, entity);
                if kind.policy != OnTargetDespawn::Ignore {
                    self.unrelate_all(kind, number, 1, entity);
                }
            }
        }
    }

    /// The pairs of an entity as a source (0) or a target (1), in their order.
    fn list(&self, kind: &Kind, number: usize, end: usize, entity: Entity) -> Vec<(Entity, u32)> {
        let other = |pair: &(Entity, u32, Entity)| {
            let ends = [pair.0, pair.2];
            let at = if kind.symmetric { ends.iter().position(|&other| other == entity)? } else { end };
            (ends[at] == entity).then_some((ends[1 - at], pair.1))
        };
        self.pairs[number].iter().filter_map(other).collect()
    }
}

struct History {
    world: World,
    kinds: [Kind; KINDS],
    oracle: Oracle,
    all: Vec<Entity>,
}

impl History {
    fn entity(&self, number: usize) -> Entity {
        self.all.get(number % self.all.len().max(1)).copied().unwrap_or(Entity::PLACEHOLDER)
    }

    fn note(&mut self, entity: Entity) {
        self.all.push(entity);
        if self.all.len() > 14 {
            // Dead ones are of some interest, but not only they.
            let dead = self.all.iter().position(|entity| !self.oracle.alive.contains(entity));
            self.all.remove(dead.unwrap_or(0));
        }
        self.oracle.alive.insert(entity);
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Spawn => {
                let entity = self.world.spawn_empty().id();
                self.note(entity);
            }
            Step::Relate(kind, source, value, target) => {
                let (source, target) = (self.entity(source), self.entity(target));
                let made = (self.kinds[kind].relate)(&mut self.world, source, value, target);
                assert_eq!(made, self.oracle.relate(&self.kinds, kind, source, value, target));
            }
            Step::Queue(ref pairs) => {
                let pairs: Vec<_> =
                    pairs.iter().map(|&(kind, a, value, b)| (kind, self.entity(a), value, self.entity(b))).collect();
                let mut commands = self.world.commands();
                pairs.iter().for_each(|&(kind, a, value, b)| (self.kinds[kind].queue)(&mut commands, a, value, b));
                self.world.flush();
                pairs.iter().for_each(|&(kind, a, value, b)| _ = self.oracle.relate(&self.kinds, kind, a, value, b));
            }
            Step::Unrelate(kind, source, target) => {
                let (source, target) = (self.entity(source), self.entity(target));
                let was_there = (self.kinds[kind].unrelate)(&mut self.world, source, target);
                let pairs = &mut self.oracle.pairs[kind];
                let found = pairs.iter().position(|pair| Oracle::is(&self.kinds[kind], pair, source, target));
                assert_eq!(was_there, found.map(|at| pairs.remove(at)).is_some());
            }
            Step::UnrelateAll(kind, end, entity) => {
                let entity = self.entity(entity);
                (self.kinds[kind].unrelate_all)(&mut self.world, end, entity);
                if self.oracle.alive.contains(&entity) {
                    self.oracle.unrelate_all(&self.kinds[kind], kind, end, entity);
                }
            }
            Step::RemoveComponent(kind, end, entity) => {
                let entity = self.entity(entity);
                (self.kinds[kind].remove_component)(&mut self.world, end, entity);
                if self.oracle.alive.contains(&entity) {
                    self.oracle.unrelate_all(&self.kinds[kind], kind, end, entity);
                }
            }
            Step::Set(kind, source, target, value) => {
                let (source, target) = (self.entity(source), self.entity(target));
                (self.kinds[kind].set)(&mut self.world, source, target, value);
                let mut pairs = self.oracle.pairs[kind].iter_mut();
                if let Some(pair) = pairs.find(|pair| Oracle::is(&self.kinds[kind], pair, source, target)) {
                    pair.1 = value;
                }
            }
            Step::Clear(entity) => {
                let entity = self.entity(entity);
                if self.oracle.alive.contains(&entity) {
                    self.world.entity_mut(entity).clear();
                    self.leave(entity);
                }
            }
            Step::Mark(entity) => {
                if let Ok(mut entity) = self.world.get_entity_mut(self.entity(entity)) {
                    entity.insert(Mark);
                }
            }
            _ => self.run_on_many(step),
        }
    }

    /// All pairs of an entity go, although it has not ended.
    fn leave(&mut self, entity: Entity) {
        for (number, kind) in self.kinds.iter().enumerate() {
            (0..2).for_each(|end| self.oracle.unrelate_all(kind, number, end, entity));
        }
    }

    fn run_on_many(&mut self, step: &Step) {
        match *step {
            Step::Despawn(entity) => {
                let entity = self.entity(entity);
                self.world.despawn(entity);
                self.oracle.despawn(&self.kinds, entity);
            }
            Step::DespawnMany(ref entities) => {
                let entities: Vec<Entity> = entities.iter().map(|&entity| self.entity(entity)).collect();
                let mut commands = self.world.commands();
                entities.iter().for_each(|&entity| commands.entity(entity).try_despawn());
                self.world.flush();
                entities.iter().for_each(|&entity| self.oracle.despawn(&self.kinds, entity));
            }
            Step::DespawnMarked => {
                let marked: Vec<Entity> = self.world.query_filtered::<Entity, With<Mark>>().iter(&self.world).collect();
                self.world.all::<With<Mark>>().despawn();
                marked.iter().for_each(|&entity| self.oracle.despawn(&self.kinds, entity));
            }
            Step::Clone(entity) => {
                let entity = self.entity(entity);
                let Ok(clone) = self.world.clone_entity(entity) else { return };
                self.note(clone);
                for number in 0..KINDS {
                    let kind = &self.kinds[number];
                    if kind.symmetric && kind.exclusive {
                        continue;
                    }
                    for (target, value) in self.oracle.list(kind, number, 0, entity) {
                        self.oracle.relate(&self.kinds, number, clone, value, target);
                    }
                }
            }
            Step::Move(ref entities) => self.move_to_another_world(entities),
            Step::Shrink => self.world.shrink_to_fit(),
            Step::ClearAll => {
                self.world.clear_entities();
                self.oracle = Oracle::default();
            }
            _ => unreachable!("of one entity"),
        }
    }

    fn move_to_another_world(&mut self, entities: &[usize]) {
        let moving: HashSet<Entity> = entities.iter().map(|&entity| self.entity(entity)).collect();
        let moving: HashSet<Entity> = moving.intersection(&self.oracle.alive).copied().collect();
        let list: Vec<Entity> = self.all.iter().copied().filter(|entity| moving.contains(entity)).collect();
        let mut there = World::new();
        there.spawn_empty();
        let map = self.world.many(&list).move_to(&mut there);
        there.check_invariants();
        for (number, kind) in self.kinds.iter().enumerate() {
            let both = |pair: &&(Entity, u32, Entity)| moving.contains(&pair.0) && moving.contains(&pair.2);
            let new = |entity: Entity| map.get(entity).expect("it has moved");
            let pairs = self.oracle.pairs[number].iter().filter(both);
            let mut expected: Vec<_> = pairs.map(|&(a, value, b)| (new(a), value, new(b))).collect();
            let mut found = (kind.all)(&there);
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "of kind {number}, elsewhere");
        }
        for &entity in &list {
            self.leave(entity);
            self.oracle.alive.remove(&entity);
        }
    }

    fn compare(&mut self) {
        self.world.check_invariants();
        assert_eq!(self.world.len(), self.oracle.alive.len());
        for (number, kind) in self.kinds.iter().enumerate() {
            let mut found = (kind.all)(&self.world);
            let mut expected = self.oracle.pairs[number].clone();
            for pair in found.iter().chain(&expected) {
                assert_eq!((kind.get)(&self.world, pair.0, pair.2), Some(pair.1));
            }
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "pairs of kind {number}");
            for &entity in &self.oracle.alive {
                let lists = [0, 1].map(|end| self.oracle.list(kind, number, end, entity));
                assert_eq!([(kind.from)(&self.world, entity), (kind.to)(&self.world, entity)], lists, "kind {number}");
                assert_eq!((kind.is_end)(&self.world, entity), lists.map(|list| !list.is_empty()), "kind {number}");
            }
        }
        let pairs: usize = self.oracle.pairs.iter().map(Vec::len).sum();
        assert_eq!(drops::alive(), pairs, "each pair has one value");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pairs_are_what_an_oracle_says(steps in vec(step(), 1..60)) {
        drops::reset();
        let mut world = World::new();
        world.on_command_error(strata_ecs::world::OnCommandError::Ignore);
        let mut history = History { world, kinds: kinds(), oracle: Oracle::default(), all: Vec::new() };
        for step in &steps {
            history.run(step);
            history.compare();
        }
        drop(history);
        drops::assert_all_dropped_once();
    }
}
