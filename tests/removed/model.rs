//! Random operations, and readers at different rhythms, beside vectors.

use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_ecs::prelude::*;
use strata_tests::drops;
use strata_tests::panics::catch;

use super::naive::{KINDS, Naive, Row};
use super::operations::{A, Bunch, Command, Operation, Reader, WITH_TOKENS, operation, reader, set_limit, with_bunch};

/// A reader, and how far it should be.
struct Reading {
    reader: Box<dyn Reader>,
    kind: usize,
    values: bool,
    next: usize,
    missed: u64,
}

impl Reading {
    fn catch_up(&mut self, naive: &Naive) -> usize {
        let log = &naive.logs[self.kind][usize::from(self.values)];
        self.missed += log.first.saturating_sub(self.next) as u64;
        self.next = self.next.max(log.first);
        log.all.len() - self.next
    }

    fn check(&mut self, world: &World, naive: &Naive) {
        let unread = self.catch_up(naive);
        assert_eq!(self.reader.len(world), unread, "unread removals of {}", self.kind);
        assert_eq!(self.reader.missed(world), self.missed, "missed removals of {}", self.kind);
    }

    fn read(&mut self, world: &World, naive: &Naive, count: usize) {
        let unread = self.catch_up(naive);
        let log = &naive.logs[self.kind][usize::from(self.values)].all[self.next..];
        let value = |value: u32| self.values.then_some(if self.kind < 4 { value } else { 0 });
        let expected: Vec<_> = log.iter().take(count).map(|&(entity, number)| (entity, value(number))).collect();
        assert_eq!(self.reader.read(world, count), expected, "removals of {}", self.kind);
        self.next += count.min(unread);
    }
}

struct Run {
    world: World,
    schedule: Schedule,
    naive: Naive,
    readings: Vec<Reading>,
    number: u32,
    /// In how many drops one panics.
    fuse: Option<usize>,
}

impl Run {
    fn new() -> Self {
        drops::reset();
        let (world, schedule) = (World::new(), Schedule::default());
        Self { world, schedule, naive: Naive::default(), readings: Vec::new(), number: 0, fuse: None }
    }

    fn next_number(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    fn entity(&self, number: usize) -> Option<Entity> {
        let count = self.naive.entities.len();
        (count != 0).then(|| self.naive.entities[number % count].0)
    }

    /// Different live entities.
    fn entities(&self, numbers: &[usize]) -> Vec<Entity> {
        let mut entities = Vec::new();
        for entity in numbers.iter().filter_map(|&number| self.entity(number)) {
            if !entities.contains(&entity) {
                entities.push(entity);
            }
        }
        entities
    }

    /// Does something to the world in which a `Drop` may panic. It is complete all the same.
    fn act(&mut self, act: impl FnOnce(&mut World)) {
        drops::fuse(self.fuse);
        let done = catch(|| act(&mut self.world));
        drops::fuse(None);
        assert!(done.is_ok() || self.fuse.is_some(), "{done:?}");
    }

    fn step(&mut self, operation: &Operation) {
        match *operation {
            Operation::Spawn(count, a, b) => self.spawn(count, a, b),
            Operation::RemoveAll(bunch) => {
                let listed = self.world.all::<With<A>>().ids();
                self.remove_selected(&listed, bunch, true);
            }
            Operation::RemoveMany(ref numbers, bunch) => {
                let chosen = self.entities(numbers);
                let listed = self.world.many(&chosen).ids();
                self.remove_selected(&listed, bunch, false);
            }
            Operation::DespawnAll => {
                let listed = self.world.all::<With<A>>().ids();
                self.act(|world| _ = world.all::<With<A>>().despawn());
                self.forget(listed);
            }
            Operation::DespawnMany(ref numbers) => {
                let chosen = self.entities(numbers);
                let listed = self.world.many(&chosen).ids();
                self.act(|world| _ = world.many(&chosen).despawn());
                self.forget(listed);
            }
            Operation::MoveMany(ref numbers) => {
                let chosen = self.entities(numbers);
                let listed = self.world.many(&chosen).ids();
                self.world.many(&chosen).move_to(&mut World::new());
                self.naive.operate(&listed, &[0, 1, 2, 3, 4, 5], |_, _| false);
            }
            Operation::Commands(ref numbers, ref commands) => self.commands(numbers, commands),
            Operation::ClearEntities => self.clear_entities(),
            Operation::Shrink => {
                self.act(World::shrink_to_fit);
                self.check_alive();
            }
            Operation::RunSchedule => {
                let mut schedule = std::mem::take(&mut self.schedule);
                self.act(|world| schedule.run(world));
                self.schedule = schedule;
                self.check_alive();
            }
            Operation::AddReader(kind, values) => {
                let reader = reader(&mut self.world, kind, values);
                let next = self.naive.logs[kind][usize::from(values)].all.len();
                self.readings.push(Reading { reader, kind, values, next, missed: 0 });
            }
            Operation::DropReader(number) => {
                let count = self.readings.len();
                (count != 0).then(|| self.readings.swap_remove(number % count));
            }
            Operation::Read(number, count) => {
                let readers = self.readings.len().max(1);
                if let Some(reading) = self.readings.get_mut(number % readers) {
                    reading.read(&self.world, &self.naive, count);
                }
            }
            Operation::Skip(number) => {
                let readers = self.readings.len().max(1);
                if let Some(reading) = self.readings.get_mut(number % readers) {
                    reading.next += reading.catch_up(&self.naive);
                    reading.reader.clear(&self.world);
                }
            }
            Operation::Limit(kind, limit) => {
                self.act(|world| set_limit(world, kind, limit));
                for log in &mut self.naive.logs[kind] {
                    log.limit = Some(limit);
                    log.keep();
                }
            }
            _ => self.step_of_one(operation),
        }
        self.world.check_invariants();
        assert_eq!(self.world.len(), self.naive.entities.len());
        for reading in &mut self.readings {
            reading.check(&self.world, &self.naive);
        }
        drops::assert_none_twice();
    }

    fn spawn(&mut self, count: usize, a: usize, b: usize) {
        for _ in 0..count {
            let number = self.next_number();
            let mut row = Row::default();
            let mut entity = self.world.spawn_empty();
            for bunch in [a, b] {
                drops::fuse(None);
                with_bunch!(bunch, T => {
                    entity.insert(T::make(number));
                    T::OF.iter().for_each(|&kind| row[kind] = Some(number));
                });
            }
            let id = entity.id();
            self.naive.entities.push((id, row));
        }
    }

    fn step_of_one(&mut self, operation: &Operation) {
        let number = self.next_number();
        let (Operation::Despawn(at)
        | Operation::Insert(at, _)
        | Operation::Remove(at, _)
        | Operation::Retain(at, _)
        | Operation::Take(at, _)
        | Operation::Replace(at, ..)
        | Operation::Exchange(at, ..)
        | Operation::TakeAll(at)
        | Operation::Clear(at)) = *operation
        else {
            unreachable!("this is an operation on one entity");
        };
        let Some(entity) = self.entity(at) else { return };
        let set = |row: &mut Row, of: &[usize]| of.iter().for_each(|&kind| row[kind] = Some(number));
        let unset = |row: &mut Row, of: &[usize]| of.iter().for_each(|&kind| row[kind] = None);
        let has = |row: &Row, of: &[usize]| of.iter().all(|&kind| row[kind].is_some());
        let change: Box<dyn Fn(&mut Row) -> bool>;
        let mut taken: &[usize] = &[];
        match *operation {
            Operation::Despawn(_) => {
                self.act(|world| world.entity_mut(entity).despawn());
                change = Box::new(|_| false);
            }
            Operation::Insert(_, bunch) => with_bunch!(bunch, T => {
                self.act(|world| _ = world.entity_mut(entity).insert(T::make(number)));
                change = Box::new(move |row| { set(row, T::OF); true });
            }),
            Operation::Remove(_, bunch) => with_bunch!(bunch, T => {
                self.act(|world| _ = world.entity_mut(entity).remove::<T>());
                change = Box::new(move |row| { unset(row, T::OF); true });
            }),
            Operation::Retain(_, bunch) => with_bunch!(bunch, T => {
                self.act(|world| _ = world.entity_mut(entity).retain::<T>());
                change = Box::new(move |row| {
                    (0..KINDS).filter(|kind| !T::OF.contains(kind)).for_each(|kind| row[kind] = None);
                    true
                });
            }),
            Operation::Take(_, bunch) => with_bunch!(bunch, T => {
                self.act(|world| drop(world.entity_mut(entity).take::<T>()));
                taken = T::OF;
                change = Box::new(move |row| { if has(row, T::OF) { unset(row, T::OF) } true });
            }),
            Operation::Replace(_, old, new) => with_bunch!(old, Old => with_bunch!(new, New => {
                self.act(|world| _ = world.entity_mut(entity).replace::<Old, New>(New::make(number)));
                change = Box::new(move |row| { unset(row, Old::OF); set(row, New::OF); true });
            })),
            Operation::Exchange(_, old, new) => with_bunch!(old, Old => with_bunch!(new, New => {
                self.act(|world| drop(world.entity_mut(entity).exchange::<Old, New>(New::make(number))));
                taken = Old::OF;
                change = Box::new(move |row| {
                    if has(row, Old::OF) { unset(row, Old::OF); set(row, New::OF) }
                    true
                });
            })),
            Operation::TakeAll(_) => {
                self.act(|world| drop(world.entity_mut(entity).take_all()));
                taken = &[0, 1, 2, 3, 4, 5];
                change = Box::new(|row| {
                    *row = Row::default();
                    true
                });
            }
            _ => {
                self.act(|world| _ = world.entity_mut(entity).clear());
                change = Box::new(|row| {
                    *row = Row::default();
                    true
                });
            }
        }
        self.naive.operate(&[entity], taken, |_, row| change(row));
    }

    /// The entities of a selection are despawned; if a `Drop` has panicked, those of further tables are not.
    fn forget(&mut self, mut listed: Vec<Entity>) {
        listed.retain(|&entity| !self.world.contains(entity));
        self.naive.operate(&listed, &[], |_, _| false);
    }

    fn remove_selected(&mut self, listed: &[Entity], bunch: usize, all: bool) {
        with_bunch!(bunch, T => {
            // Those that stay in their table come first.
            let naive = &self.naive;
            let (moving, mut order): (Vec<_>, Vec<_>) = listed.iter().partition(|id| T::moves(&naive.row(**id)));
            order.extend(moving);
            self.act(|world| {
                let selection = if all { world.all::<With<A>>() } else { world.many(listed) };
                selection.remove::<T>();
            });
            // If a `Drop` panics, the entities of the tables after that one stay as they are.
            order.retain(|&entity| !T::is_on(&self.world, entity));
            self.naive.operate(&order, &[], |_, row| {
                T::OF.iter().for_each(|&kind| row[kind] = None);
                true
            });
        });
    }

    fn commands(&mut self, numbers: &[usize], commands: &[Command]) {
        if self.fuse.is_some() {
            return; // What becomes of commands behind one that panics is another matter.
        }
        let entities = self.entities(numbers);
        let first = self.number;
        let mut queue = CommandQueue::default();
        for &entity in &entities {
            let number = self.next_number();
            let mut recorder = Commands::new(&mut queue, &self.world);
            let mut to = recorder.entity(entity);
            for command in commands {
                match *command {
                    Command::Insert(bunch) => with_bunch!(bunch, T => _ = to.insert(T::make(number))),
                    Command::InsertIfNew(bunch) => with_bunch!(bunch, T => _ = to.insert_if_new(T::make(number))),
                    Command::Remove(bunch) => with_bunch!(bunch, T => _ = to.remove::<T>()),
                    Command::Despawn => {
                        to.despawn();
                        break;
                    }
                }
            }
        }
        queue.apply(&mut self.world);
        self.naive.operate(&entities, &[], |number, row| {
            let number = first + 1 + number as u32;
            for command in commands {
                let (bunch, if_new) = match *command {
                    Command::Insert(bunch) => (bunch, false),
                    Command::InsertIfNew(bunch) => (bunch, true),
                    Command::Remove(bunch) => {
                        with_bunch!(bunch, T => T::OF.iter().for_each(|&kind| row[kind] = None));
                        continue;
                    }
                    Command::Despawn => return false,
                };
                let of = with_bunch!(bunch, T => T::OF);
                let new = of.iter().filter(|&&kind| !if_new || row[kind].is_none()).copied().collect::<Vec<_>>();
                new.iter().for_each(|&kind| row[kind] = Some(number));
            }
            true
        });
    }

    /// Of sparse components only the entities are known, not their order: everybody reads before and after.
    fn clear_entities(&mut self) {
        for reading in &mut self.readings {
            reading.read(&self.world, &self.naive, usize::MAX);
        }
        let listed: Vec<Entity> =
            self.world.tables().iter().flat_map(|table| table.entities().iter().copied()).collect();
        self.act(World::clear_entities);
        self.naive.operate(&listed, &[], |_, _| false);
        for reading in self.readings.iter_mut().filter(|reading| [2, 3, 4].contains(&reading.kind)) {
            let start = reading.next;
            let unread = reading.catch_up(&self.naive);
            let log = &self.naive.logs[reading.kind][usize::from(reading.values)];
            let expected = &log.all[start..];
            let mut got = reading.reader.read(&self.world, usize::MAX);
            assert_eq!(got.len(), unread);
            got.sort();
            got.dedup();
            assert_eq!(got.len(), unread, "an entity comes twice");
            let value = |number: u32| reading.values.then_some(if reading.kind < 4 { number } else { 0 });
            for (entity, read) in got {
                let known = expected.iter().any(|&(other, number)| (other, value(number)) == (entity, read));
                assert!(known, "{entity} has not lost it, or another value");
            }
            reading.next = log.all.len();
        }
    }

    /// After tidying up exactly those values are alive that somebody has or can still read.
    fn check_alive(&self) {
        let mut alive = 0;
        for kind in WITH_TOKENS {
            let log = &self.naive.logs[kind][1];
            let readers = self.readings.iter().filter(|reading| reading.kind == kind && reading.values);
            let slowest = readers.map(|reading| reading.next).min().unwrap_or(log.all.len());
            alive += self.naive.count(kind) + (log.all.len() - slowest.max(log.first));
        }
        assert_eq!(drops::alive(), alive);
    }

    fn finish(self) {
        drop(self.world);
        drops::assert_all_dropped_once();
    }
}

fn config() -> Config {
    Config { cases: 300, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn readers_see_what_a_map_has_lost(operations in prop::collection::vec(operation(), 1..80)) {
        let mut run = Run::new();
        operations.iter().for_each(|operation| run.step(operation));
        run.finish();
    }

    #[test]
    fn nothing_is_lost_or_dropped_twice_when_destructors_panic(
        operations in prop::collection::vec((operation(), prop::option::of(0..8usize)), 1..60)
    ) {
        let mut run = Run::new();
        for (operation, fuse) in &operations {
            run.fuse = *fuse;
            run.step(operation);
        }
        run.finish();
    }
}
