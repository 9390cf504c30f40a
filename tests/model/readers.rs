//! Readers of removals at different rhythms, and what each of them must see.

use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_ecs::removal::{RemovedComponentReader, RemovedValueReader};

use super::oracle::Oracle;
use super::parts::{IN_TABLES, KINDS, Part, counts, rings_of, with_part};

/// The entities that were read, and the values if there are any.
type Read = Vec<(Entity, Option<u32>)>;

/// A reader of either kind.
trait Reader {
    fn read(&mut self, world: &World, count: usize) -> Read;
    fn len(&self, world: &World) -> usize;
    fn clear(&mut self, world: &World);
    fn missed(&self, world: &World) -> u64;
}

macro_rules! reader {
    ($Reader:ident, |$item:ident| $read:expr) => {
        impl<P: Part> Reader for $Reader<P> {
            fn read(&mut self, world: &World, count: usize) -> Read {
                Self::read(self, world).take(count).map(|$item| $read).collect()
            }

            fn len(&self, world: &World) -> usize {
                Self::len(self, world)
            }

            fn clear(&mut self, world: &World) {
                Self::clear(self, world);
            }

            fn missed(&self, world: &World) -> u64 {
                Self::missed(self, world)
            }
        }
    };
}

reader!(RemovedComponentReader, |entity| (entity, None));
reader!(RemovedValueReader, |item| (item.0, Some(item.1.value())));

/// A reader, and how far it should be.
struct Reading {
    reader: Box<dyn Reader>,
    kind: usize,
    values: bool,
    next: usize,
    missed: u64,
}

impl Reading {
    fn log<'o>(&self, oracle: &'o Oracle) -> &'o super::oracle::Log {
        &oracle.logs[self.kind][usize::from(self.values)]
    }

    fn catch_up(&mut self, oracle: &Oracle) -> usize {
        let log = self.log(oracle);
        self.missed += log.first.saturating_sub(self.next) as u64;
        self.next = self.next.max(log.first);
        log.all.len() - self.next
    }

    fn check(&mut self, world: &World, oracle: &Oracle) {
        let unread = self.catch_up(oracle);
        assert_eq!(self.reader.len(world), unread, "unread removals of {}", self.kind);
        assert_eq!(self.reader.missed(world), self.missed, "missed removals of {}", self.kind);
    }

    fn read(&mut self, world: &World, oracle: &Oracle, count: usize) {
        let unread = self.catch_up(oracle);
        let log = &self.log(oracle).all[self.next..];
        let expected: Read =
            log.iter().take(count).map(|&(entity, value)| (entity, self.values.then_some(value))).collect();
        assert_eq!(self.reader.read(world, count), expected, "removals of {}", self.kind);
        self.next += count.min(unread);
    }

    /// Reads all that is new, of which the order is not known.
    fn read_in_any_order(&mut self, world: &World, oracle: &Oracle) {
        let start = self.next;
        let unread = self.catch_up(oracle);
        let mut expected: Read = self.log(oracle).all[start..]
            .iter()
            .map(|&(entity, value)| (entity, self.values.then_some(value)))
            .collect();
        expected.sort_unstable();
        let mut found = self.reader.read(world, usize::MAX);
        assert_eq!(found.len(), unread, "removals of {}", self.kind);
        found.sort_unstable();
        // Which of them are kept under a limit depends on the order.
        let mut rest = expected.into_iter();
        for read in found {
            assert!(rest.any(|other| other == read), "{read:?} of {} is no removal, or comes twice", self.kind);
        }
        self.next = self.log(oracle).all.len();
    }

    fn skip(&mut self, world: &World, oracle: &Oracle) {
        self.next += self.catch_up(oracle);
        self.reader.clear(world);
    }
}

/// An operation on readers.
#[derive(Clone, Debug)]
pub(crate) enum ReaderStep {
    Add { kind: u8, values: bool },
    Drop { which: usize },
    Read { which: usize, count: usize },
    Skip { which: usize },
    Limit { kind: u8, limit: usize },
}

pub(crate) fn reader_step() -> impl Strategy<Value = ReaderStep> {
    let which = any::<usize>;
    let kind = || 0..KINDS as u8;
    prop_oneof![
        6 => (kind(), any::<bool>()).prop_map(|(kind, values)| ReaderStep::Add { kind, values }),
        1 => which().prop_map(|which| ReaderStep::Drop { which }),
        8 => (which(), prop_oneof![Just(usize::MAX), 0..4_usize])
            .prop_map(|(which, count)| ReaderStep::Read { which, count }),
        1 => which().prop_map(|which| ReaderStep::Skip { which }),
        1 => (kind(), 0..12_usize).prop_map(|(kind, limit)| ReaderStep::Limit { kind, limit }),
    ]
}

/// All readers of a run.
#[derive(Default)]
pub(crate) struct Readers {
    all: Vec<Reading>,
    /// For each component of which values have been kept since the world tidied up: where in the log that began.
    kept: [Option<usize>; KINDS],
}

impl Readers {
    pub(crate) fn step(&mut self, world: &mut World, oracle: &mut Oracle, step: &ReaderStep) {
        let count = self.all.len().max(1);
        match *step {
            ReaderStep::Add { kind, values } => with_part!(kind, P => {
                let log = oracle.logs[P::INDEX][usize::from(values)].all.len();
                let reader: Box<dyn Reader> = if values {
                    self.kept[P::INDEX].get_or_insert(log);
                    Box::new(world.removed_value_reader::<P>())
                } else {
                    Box::new(world.removed_reader::<P>())
                };
                self.all.push(Reading { reader, kind: P::INDEX, values, next: log, missed: 0 });
            }),
            ReaderStep::Drop { which } => {
                if !self.all.is_empty() {
                    self.all.swap_remove(which % count);
                }
            }
            ReaderStep::Read { which, count: most } => {
                self.all.get_mut(which % count).into_iter().for_each(|reading| reading.read(world, oracle, most));
            }
            ReaderStep::Skip { which } => {
                self.all.get_mut(which % count).into_iter().for_each(|reading| reading.skip(world, oracle));
            }
            ReaderStep::Limit { kind, limit } => with_part!(kind, P => {
                // The call drops the entries beyond the limit, and a destructor may panic.
                let _ = super::faults::survive(|| world.set_removed_limit::<P>(limit));
                oracle.logs[P::INDEX].iter_mut().for_each(|log| log.set_limit(limit));
            }),
        }
    }

    pub(crate) fn check(&mut self, world: &World, oracle: &Oracle) {
        self.all.iter_mut().for_each(|reading| reading.check(world, oracle));
    }

    /// Everything is read, so that the order of what comes is no longer a matter of the log.
    pub(crate) fn read_all(&mut self, world: &World, oracle: &Oracle) {
        self.all.iter_mut().for_each(|reading| reading.read(world, oracle, usize::MAX));
    }

    pub(crate) fn read_in_any_order(&mut self, world: &World, oracle: &Oracle) {
        self.all.iter_mut().for_each(|reading| reading.read_in_any_order(world, oracle));
    }

    /// As `read_in_any_order`; what lies in tables comes in their order.
    pub(crate) fn read_after_clear(&mut self, world: &World, oracle: &Oracle) {
        for reading in &mut self.all {
            if IN_TABLES & (1 << reading.kind) == 0 {
                reading.read_in_any_order(world, oracle);
            } else {
                reading.read(world, oracle, usize::MAX);
            }
        }
    }

    /// After a panic it is not known which removals there were.
    pub(crate) fn forget(&mut self, world: &World, oracle: &Oracle) {
        for reading in &mut self.all {
            reading.reader.clear(world);
            reading.missed = reading.reader.missed(world);
            reading.next = reading.log(oracle).all.len();
        }
    }

    /// The oldest value of a component that a reader may still read.
    fn slowest(&self, oracle: &Oracle, kind: usize) -> usize {
        let log = &oracle.logs[kind][1];
        let readers = self.all.iter().filter(|reading| reading.kind == kind && reading.values);
        readers.map(|reading| reading.next).min().unwrap_or(log.all.len()).max(log.first)
    }

    /// The world has dropped what no reader can read.
    pub(crate) fn tidied(&mut self, oracle: &Oracle) {
        for kind in 0..KINDS {
            let is_read = self.all.iter().any(|reading| reading.kind == kind && reading.values);
            self.kept[kind] = is_read.then(|| self.slowest(oracle, kind));
        }
    }

    /// How many removed values with a token, and without a size but with a destructor, exist at least and at most.
    pub(crate) fn values(&self, oracle: &Oracle) -> [[usize; 2]; 2] {
        let mut range = [[0; 2]; 2];
        for kind in (0..KINDS).filter(|&kind| counts(kind) || rings_of(kind)) {
            let Some(kept) = self.kept[kind] else { continue };
            let all = oracle.logs[kind][1].all.len();
            let of = usize::from(rings_of(kind));
            range[0][of] += all - self.slowest(oracle, kind);
            range[1][of] += all - kept;
        }
        range
    }
}
