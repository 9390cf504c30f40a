//! The driver: plays operations on the world and on the oracle, and compares all that can be seen after each.

use std::cell::Cell;
use std::collections::HashSet;

use strata_ecs::prelude::*;
use strata_tests::drops;
use strata_tests::panics::{catch, caught};

use super::commands::Kept;
use super::consumers::Consumers;
use super::edits::build;
use super::faults::survive;
use super::forms::threads;
use super::listeners::Listeners;
use super::operations::{History, Operation, Step};
use super::oracle::{Oracle, Stamp, row_of};
use super::parts::{Make, Mask, Part, rings, with_bundle, with_part};
use super::readers::Readers;
use super::recorder::Recorder;
use super::watch::{Watch, read};

/// With more entities all rows and queries are compared after each so many steps only.
const MANY: usize = 300;
const SELDOM: usize = 8;

pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) oracle: Oracle,
    watch: Watch,
    pub(crate) readers: Readers,
    consumers: Consumers,
    recorder: Option<Recorder>,
    listeners: Option<Listeners>,
    /// Every id ever seen, living or not, in the order in which they became known, and as a set.
    pub(crate) ids: Vec<Entity>,
    known: HashSet<Entity>,
    /// Values that a panic made unreachable without dropping them: with a token, and without a size.
    leaked: [usize; 2],
    rings: isize,
    steps: usize,
    /// Whether the last operation was broken off.
    broken: bool,
}

/// The effect of an operation on the world.
pub(crate) enum Effect {
    /// The oracle knows.
    Exact,
    /// The operation was broken off. The oracle knows what entities have, and not what consumers are to see.
    Uncertain,
    /// The operation was broken off; the oracle follows the world.
    Partial,
    /// As `Partial`, but every value that cannot be reached was dropped.
    Whole,
}

impl Run {
    fn new(records: bool, listens: bool) -> Self {
        drops::reset();
        let mut world = World::new();
        world.set_thread_pool(threads());
        let (watch, consumers) = (Watch::new(&mut world), Consumers::new(&world));
        let recorder = records.then(|| Recorder::new(&mut world));
        let listeners = listens.then(|| Listeners::new(&mut world));
        let (oracle, readers) = (Oracle::default(), Readers::default());
        Self {
            world,
            oracle,
            watch,
            readers,
            consumers,
            recorder,
            listeners,
            ids: Vec::new(),
            known: HashSet::new(),
            leaked: [0; 2],
            rings: rings(),
            steps: 0,
            broken: false,
        }
    }

    /// A whole history.
    pub(crate) fn play(history: &History) {
        // The world takes other code paths if changes are observed: half of the histories are recorded, and a quarter have listeners.
        let count = history.steps.len();
        let mut run = Self::new(count % 2 == 1, count % 4 == 3);
        history.start.iter().for_each(|operation| run.step(&Step { operation: operation.clone(), fuse: None }));
        history.steps.iter().for_each(|step| run.step(step));
        run.finish();
    }

    pub(crate) fn step(&mut self, step: &Step) {
        if self.listeners.is_some() && matches!(step.operation, Operation::Consumer { .. }) {
            return;
        }
        self.oracle.now = self.consumers.clock.now(&self.world);
        let panics = caught();
        drops::fuse(step.fuse);
        let effect = self.apply(&step.operation);
        drops::disarm();
        if (caught() != panics || !matches!(effect, Effect::Exact))
            && let Some(listeners) = &mut self.listeners
        {
            // The recorder does not determine the notifications of an aborted operation.
            listeners.forget(&mut self.world);
            self.broken = true;
        }
        match effect {
            Effect::Exact => {}
            Effect::Uncertain => self.consumers.forget(&mut self.world, &mut self.oracle),
            Effect::Partial => self.follow(),
            Effect::Whole => {
                let leaked = self.leaked;
                self.follow();
                assert_eq!(self.leaked, leaked, "a value was neither dropped nor kept");
            }
        }
        self.check();
        // Calls of listeners are runs of their own, so the ticks of the changes differ from the ticks of the oracle.
        if self.listeners.is_none() {
            self.consumers.take_turns(&mut self.world, &mut self.oracle);
        }
    }

    pub(crate) fn finish(mut self) {
        if self.listeners.is_none() {
            self.consumers.finish(&mut self.world, &mut self.oracle);
        }
        self.steps = 0;
        self.check();
        self.world.shrink_to_fit();
        self.readers.tidied(&self.oracle);
        self.check();
        drop(self.world);
        drops::assert_none_twice();
        assert_eq!(
            [drops::alive(), (rings() - self.rings) as usize],
            self.leaked,
            "the world did not drop what it held"
        );
    }

    pub(crate) fn pick(&self, which: usize) -> Entity {
        if self.ids.is_empty() { Entity::PLACEHOLDER } else { self.ids[which % self.ids.len()] }
    }

    pub(crate) fn clock_at(&self, tick: u32) -> u64 {
        self.consumers.clock.at(tick)
    }

    fn alive(&self) -> [usize; 2] {
        [drops::alive(), (rings() - self.rings) as usize]
    }

    fn check(&mut self) {
        self.world.check_invariants();
        drops::assert_none_twice();
        if let Some(recorder) = &mut self.recorder {
            let told = self.world.take_transitions();
            recorder.check(&mut self.world, &told, self.ids.len() < MANY || self.steps.is_multiple_of(SELDOM));
            if let Some(listeners) = self.listeners.as_mut().filter(|_| !self.broken) {
                listeners.check(&mut self.world, &told);
            }
            self.broken = false;
        }
        assert_eq!(self.world.len(), self.oracle.rows.len());
        if self.ids.len() < MANY || self.steps.is_multiple_of(SELDOM) {
            for entity in &self.ids {
                assert_eq!(read(&self.world, *entity), self.oracle.row(*entity), "{entity:?}");
                self.watch.check_entity(&self.world, &self.oracle, *entity);
            }
            self.watch.check(&self.world, &self.oracle);
        }
        self.steps += 1;
        assert_eq!(self.world.get_resource::<Kept>().map(|kept| kept.value), self.oracle.resource);
        self.readers.check(&self.world, &self.oracle);
        let (alive, held, [least, most]) = (self.alive(), self.oracle.held(), self.readers.values(&self.oracle));
        for at in 0..2 {
            let known = held[at] + self.leaked[at];
            assert!(
                (known + least[at]..=known + most[at]).contains(&alive[at]),
                "{} values are alive, and {known} with {} to {} removed ones are to be",
                alive[at],
                least[at],
                most[at],
            );
        }
    }

    /// Takes over what the real world holds, which must be readable; what is alive beyond that was leaked by the panic.
    fn follow(&mut self) {
        self.world.flush();
        // Which commands were carried out is for the real world to say.
        let _ = self.world.take_command_errors();
        self.world.check_invariants();
        for entity in self.world.iter_entities() {
            if self.known.insert(entity.id()) {
                self.ids.push(entity.id());
            }
        }
        self.oracle.rows.clear();
        self.oracle.stamps.clear();
        for entity in &self.ids {
            if let Some(row) = read(&self.world, *entity) {
                self.oracle.rows.insert(*entity, row);
                self.oracle.stamps.insert(*entity, row.map(|value| value.map(|_| Stamp::UNKNOWN)));
            }
        }
        self.oracle.resource = self.world.get_resource::<Kept>().map(|kept| kept.value);
        self.readers.forget(&self.world, &self.oracle);
        self.consumers.forget(&mut self.world, &mut self.oracle);
        self.world.shrink_to_fit();
        self.readers.tidied(&self.oracle);
        let (alive, reachable) = (self.alive(), self.oracle.held());
        for at in 0..2 {
            assert!(alive[at] >= reachable[at] + self.leaked[at], "something that can be reached is dead");
            self.leaked[at] = alive[at] - reachable[at];
        }
    }

    fn apply(&mut self, operation: &Operation) -> Effect {
        match operation {
            Operation::Spawn { kind, value } => {
                let entity = with_bundle!(kind, M => self.world.spawn(M::make(*value)).id());
                self.born(entity, with_bundle!(kind, M => M::MASK), *value);
            }
            Operation::SpawnDynamic { first, second, value } => {
                let (mut builder, mask) = build(*first, *second, *value);
                let entity = self.world.spawn_dynamic(&mut builder).id();
                self.born(entity, mask, *value);
            }
            Operation::SpawnBatch { kind, count, promised, panic_at } => {
                return self.batch(*kind, *count, *promised, *panic_at);
            }
            Operation::SpawnAt { which, kind, value } => self.spawn_at(*which, *kind, *value),
            Operation::Reserve { count, spawn_between, fill } => self.reserve(*count, *spawn_between, *fill),
            Operation::Edit { edits } => return self.edit(edits),
            Operation::WriteAll { kind, value, inside } => self.write_all(*kind, *value, *inside),
            Operation::InsertResource { value } => {
                let kept = Kept::new(*value);
                let _ = catch(|| self.world.insert_resource(kept));
                self.oracle.resource = Some(*value);
            }
            Operation::RemoveResource => {
                let removed = self.world.remove_resource::<Kept>();
                assert_eq!(removed.as_ref().map(|kept| kept.value), self.oracle.resource.take());
                let _ = catch(|| drop(removed));
            }
            Operation::Scope { value, panics } => self.scope(*value, *panics),
            Operation::Clear => return self.clear(),
            // Nothing that can be seen changes.
            Operation::Shrink => self.tidy(World::shrink_to_fit),
            Operation::RunSchedule => self.tidy(|world| world.frame(|world| Schedule::default().run(world))),
            Operation::Commands { commands, reserved, fate } => return self.commands(commands, *reserved, *fate),
            Operation::Bulk { bulk, panic_at } => return self.bulk(bulk, *panic_at),
            Operation::Reader { step } => self.readers.step(&mut self.world, &mut self.oracle, step),
            Operation::Consumer { step } => {
                // Schedules drop values that no reader can read, and what consumers do is not what is to break.
                drops::disarm();
                self.consumers.step(&mut self.world, &mut self.oracle, step, &self.ids);
            }
        }
        Effect::Exact
    }

    /// Values that no reader can read are dropped, even if a destructor panics in its course.
    fn tidy(&mut self, tidy: impl FnOnce(&mut World)) {
        let _ = survive(|| tidy(&mut self.world));
        self.readers.tidied(&self.oracle);
    }

    /// In which order components outside of tables are removed is not known.
    fn clear(&mut self) -> Effect {
        self.readers.read_all(&self.world, &self.oracle);
        let ids: Vec<Entity> = self.world.tables().iter().flat_map(|table| table.entities().to_vec()).collect();
        if survive(|| self.world.clear_entities()).is_none() {
            assert_eq!(self.world.len(), 0, "a panic left entities behind");
            return Effect::Partial;
        }
        assert_eq!(ids.len(), self.oracle.rows.len());
        ids.into_iter().for_each(|entity| _ = self.oracle.despawn(entity));
        self.readers.read_after_clear(&self.world, &self.oracle);
        Effect::Exact
    }

    /// Takes over the entities of the world that the oracle does not know.
    pub(crate) fn adopt(&mut self) -> Vec<Entity> {
        let all: Vec<Entity> = self.world.iter_entities().map(|entity| entity.id()).collect();
        let new: Vec<Entity> = all.into_iter().filter(|entity| !self.oracle.lives(*entity)).collect();
        for entity in &new {
            self.meet(*entity);
            self.oracle.arrive(*entity, &read(&self.world, *entity).expect("it lives"));
        }
        new
    }

    /// A new id.
    pub(crate) fn meet(&mut self, entity: Entity) {
        assert!(self.known.insert(entity), "{entity:?} was handed out twice");
        self.ids.push(entity);
    }

    pub(crate) fn has_met(&self, entity: Entity) -> bool {
        self.known.contains(&entity)
    }

    pub(crate) fn born(&mut self, entity: Entity, mask: Mask, value: u32) {
        self.oracle.spawn(entity, &row_of(mask, value));
        self.meet(entity);
    }

    fn spawn_at(&mut self, which: usize, kind: u8, value: u32) {
        let entity = self.pick(which);
        let outcome = catch(|| with_bundle!(kind, M => self.world.spawn_at(entity, M::make(value)).is_ok()));
        // Whether a world takes an id that died is its own affair; it may not take it and fail, though.
        if outcome == Ok(true) {
            assert!(!self.oracle.lives(entity), "spawned at a living entity");
            self.oracle.spawn(entity, &row_of(with_bundle!(kind, M => M::MASK), value));
        }
    }

    fn reserve(&mut self, count: u32, spawn_between: bool, fill: Option<u8>) {
        let mut reserved: Vec<Entity> = self.world.reserve_entities(count as usize).collect();
        reserved.push(self.world.reserve_entity());
        assert!(reserved.iter().all(|entity| self.world.get::<super::parts::A>(*entity).is_none()));
        if spawn_between {
            let entity = self.world.spawn(()).id();
            self.born(entity, 0, 0);
        }
        if let Some(kind) = fill {
            let given_away = catch(|| with_bundle!(kind, M => self.world.spawn_at(reserved[0], M::make(5)).is_ok()));
            assert_ne!(given_away, Ok(true));
        }
        self.world.flush();
        for entity in reserved {
            self.born(entity, 0, 0);
        }
    }

    fn write_all(&mut self, kind: u8, value: u32, inside: bool) {
        with_part!(kind, P => {
            let mut query = self.world.query::<(Entity, &mut P)>();
            let mut count = 0;
            if inside {
                query.iter_mut(&mut self.world).for_each(|(entity, mut part)| { part.set(value + entity.index()); count += 1; });
            } else {
                for (entity, mut part) in query.iter_mut(&mut self.world) {
                    part.set(value + entity.index());
                    count += 1;
                }
            }
            let all: Vec<Entity> = self.oracle.rows.keys().copied().collect();
            for entity in all.into_iter().filter(|entity| self.oracle.has(*entity, P::MASK)).collect::<Vec<_>>() {
                count -= 1;
                self.oracle.write(entity, P::INDEX, value + entity.index());
            }
            assert_eq!(count, 0, "rows were missed or visited twice");
        });
    }

    fn scope(&mut self, value: u32, panics: bool) {
        let had = self.oracle.resource.is_some();
        let entered = Cell::new(false);
        let outcome = catch(|| {
            self.world.resource_scope(|world: &mut World, mut kept: Mut<'_, Kept>| {
                entered.set(true);
                assert!(!world.contains_resource::<Kept>());
                kept.value = value;
                assert!(!panics, "the closure breaks");
            });
        });
        assert_eq!((entered.get(), outcome.is_ok()), (had, had && !panics));
        if had {
            self.oracle.resource = Some(value);
        }
    }

    fn batch(&mut self, kind: u8, count: u32, promised: usize, panic_at: Option<u32>) -> Effect {
        let before = self.world.len();
        let outcome = catch(|| {
            with_bundle!(kind, M => {
                let items = (0..count).map(|i| { assert!(Some(i) != panic_at, "the iterator breaks"); M::make(i) });
                self.world.spawn_batch(Promising { items, promised }).collect::<Vec<Entity>>()
            })
        });
        match outcome {
            Ok(entities) => {
                assert_eq!(entities.len(), count as usize);
                let mask = with_bundle!(kind, M => M::MASK);
                for (value, entity) in (0..).zip(entities) {
                    self.born(entity, mask, value);
                }
                Effect::Exact
            }
            Err(text) => {
                assert_eq!(text, "the iterator breaks");
                assert_eq!(self.world.len() - before, panic_at.expect("it broke") as usize);
                Effect::Partial
            }
        }
    }
}

/// An iterator that promises any number of items.
pub(crate) struct Promising<I> {
    pub(crate) items: I,
    pub(crate) promised: usize,
}

impl<I: Iterator> Iterator for Promising<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.items.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.promised, None)
    }
}
