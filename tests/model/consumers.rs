//! Systems that look for changes, and what a model says that each of them has to see.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;

use super::oracle::{Oracle, Stamp, Stamps};
use super::parts::{A, B, KINDS, Part, Row, S, T, U, with_part};

/// When a consumer ran last, if it ever did.
type Last = Option<u64>;

fn changed<P: Part>(stamps: &Stamps, last: Last) -> bool {
    stamps[P::INDEX].is_some_and(|stamp| last.is_none_or(|last| stamp.changed > last))
}

fn added<P: Part>(stamps: &Stamps, last: Last) -> bool {
    stamps[P::INDEX].is_some_and(|stamp| last.is_none_or(|last| stamp.added > last))
}

fn has<P: Part>(stamps: &Stamps) -> bool {
    stamps[P::INDEX].is_some()
}

/// Changes a value by one.
fn raise(part: &mut impl Part) {
    part.set(part.value() + 1);
}

type Seen = Arc<Mutex<Vec<Entity>>>;

fn note(seen: &Seen, entities: impl Iterator<Item = Entity>) {
    seen.lock().expect("no panic").extend(entities);
}

/// A system that looks for changes.
struct Kind {
    name: &'static str,
    make: fn(Seen) -> Schedule,
    /// Whether it has to see an entity.
    expects: fn(&Stamps, Last) -> bool,
    /// Whether it changes each second entity that it sees.
    writes: bool,
    /// Whether it is one whose own run ends with another tick.
    exclusive: bool,
}

/// A system that does something with a query.
macro_rules! looks {
    ($D:ty, $F:ty, |$query:ident, $seen:ident| $body:expr) => {
        |$seen: Seen| {
            let mut schedule = Schedule::default();
            schedule.add_systems(move |$query: Query<'_, '_, $D, $F>| $body);
            schedule
        }
    };
}

/// A system that looks with a filter.
macro_rules! filtered {
    ($F:ty) => {
        looks!(Entity, $F, |query, seen| note(&seen, query.iter()))
    };
}

const fn kind(name: &'static str, make: fn(Seen) -> Schedule, expects: fn(&Stamps, Last) -> bool) -> Kind {
    Kind { name, make, expects, writes: false, exclusive: false }
}

fn exclusive(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    let mut query: Option<QueryState<Entity, Changed<A>>> = None;
    schedule.add_systems(move |world: &mut World| {
        let query = query.get_or_insert_with(|| world.query_filtered());
        note(&seen, query.iter(world));
        let mut own = world.query::<&mut A>();
        let halves: Vec<Entity> = seen.lock().expect("no panic").iter().copied().step_by(2).collect();
        for entity in halves {
            raise(&mut *own.get_mut(world, entity).expect("it was seen"));
        }
    });
    schedule
}

fn writer(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |mut query: Query<'_, '_, (Entity, &mut A), Changed<A>>| {
        for (nth, (entity, mut health)) in query.iter_mut().enumerate() {
            note(&seen, [entity].into_iter());
            if nth % 2 == 0 {
                raise(&mut *health);
            }
        }
    });
    schedule
}

fn sparse_writer(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |mut query: Query<'_, '_, (Entity, Mut<'_, S>), Changed<S>>| {
        let mut nth = 0;
        query.iter_mut().for_each(|(entity, mut aside)| {
            note(&seen, [entity].into_iter());
            if nth % 2 == 0 {
                raise(&mut *aside);
            }
            nth += 1;
        });
    });
    schedule
}

fn by_entity(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |all: Query<'_, '_, Entity, With<A>>, new: Query<'_, '_, Entity, Changed<A>>| {
        note(&seen, all.iter().filter(|&entity| new.contains(entity)));
        assert_eq!(new.iter_many(&all).matched().count(), seen.lock().expect("no panic").len());
    });
    schedule
}

fn sparse_by_entity(seen: Seen) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(move |all: Query<'_, '_, Entity>, new: Query<'_, '_, (), Or<(Added<S>, Changed<T>)>>| {
        note(&seen, all.iter().filter(|&entity| new.get(entity).is_ok()));
    });
    schedule
}

/// All kinds.
const KINDS_OF_CONSUMERS: &[Kind] = &[
    kind("Changed<A>", filtered!(Changed<A>), changed::<A>),
    kind("Added<A>", filtered!(Added<A>), added::<A>),
    kind("Changed<S>", filtered!(Changed<S>), changed::<S>),
    kind("Added<S>", filtered!(Added<S>), added::<S>),
    kind("Changed<T>", filtered!(Changed<T>), changed::<T>),
    kind("Changed<U>", filtered!(Changed<U>), changed::<U>),
    kind("Added<U>", filtered!(Added<U>), added::<U>),
    kind("Or of a table's and a sparse one", filtered!(Or<(Changed<A>, Changed<S>)>), |row, last| {
        changed::<A>(row, last) || changed::<S>(row, last)
    }),
    kind("Or of two of tables", filtered!(Or<(Changed<A>, Added<U>)>), |row, last| {
        changed::<A>(row, last) || added::<U>(row, last)
    }),
    kind("Or with With", filtered!(Or<(Added<A>, With<T>)>), |row, last| added::<A>(row, last) || has::<T>(row)),
    kind("two of tables", filtered!((Changed<A>, Changed<U>)), |row, last| {
        changed::<A>(row, last) && changed::<U>(row, last)
    }),
    kind("sparse ones and one of a table", filtered!((Changed<T>, Changed<S>, Changed<A>)), |row, last| {
        changed::<T>(row, last) && changed::<S>(row, last) && changed::<A>(row, last)
    }),
    kind("with another component", filtered!((Changed<A>, With<B>)), |row, last| {
        changed::<A>(row, last) && has::<B>(row)
    }),
    kind("without a tag", filtered!((Changed<A>, Without<T>)), |row, last| changed::<A>(row, last) && !has::<T>(row)),
    kind("Or in a tuple", filtered!((Changed<A>, Or<(With<T>, Changed<U>)>)), |row, last| {
        changed::<A>(row, last) && (has::<T>(row) || changed::<U>(row, last))
    }),
    kind(
        "Ref of a table",
        looks!((Entity, Ref<'_, A>), (), |query, seen| {
            note(&seen, query.iter().filter(|(_, health)| health.is_changed()).map(|(entity, _)| entity));
        }),
        changed::<A>,
    ),
    kind(
        "Ref of a sparse one",
        looks!((Entity, Ref<'_, S>), (), |query, seen| {
            query
                .iter()
                .filter(|(_, aside)| aside.is_added())
                .for_each(|(entity, _)| note(&seen, [entity].into_iter()));
        }),
        added::<S>,
    ),
    kind(
        "by slices",
        looks!((Entity, &A), Changed<A>, |query, seen| {
            for (entities, healths) in query.contiguous_iter() {
                assert_eq!(entities.len(), healths.len());
                note(&seen, entities.iter().copied());
            }
        }),
        changed::<A>,
    ),
    kind(
        "by fold",
        looks!(Entity, Changed<A>, |query, seen| query.iter().for_each(|entity| note(&seen, [entity].into_iter()))),
        changed::<A>,
    ),
    kind(
        "by combinations",
        looks!(Entity, Changed<U>, |query, seen| {
            note(&seen, query.iter_combinations::<1>().map(|[entity]| entity));
        }),
        changed::<U>,
    ),
    kind("by entity", by_entity, changed::<A>),
    kind("sparse ones by entity", sparse_by_entity, |row, last| added::<S>(row, last) || changed::<T>(row, last)),
    Kind {
        name: "a writer",
        make: writer,
        expects: |row, last| changed::<A>(row, last),
        writes: true,
        exclusive: false,
    },
    Kind {
        name: "a writer of a sparse one",
        make: sparse_writer,
        expects: |row, last| changed::<S>(row, last),
        writes: true,
        exclusive: false,
    },
    Kind {
        name: "an exclusive system",
        make: exclusive,
        expects: |row, last| changed::<A>(row, last),
        writes: true,
        exclusive: true,
    },
];

impl Kind {
    /// The component that it changes, if it does.
    fn written(&self) -> usize {
        if self.name.contains("sparse") { S::INDEX } else { A::INDEX }
    }
}

/// A system of some kind that runs now and then.
struct Consumer {
    kind: &'static Kind,
    schedule: Schedule,
    seen: Seen,
    /// Each so many steps it runs.
    period: u64,
    last: Last,
}

impl Consumer {
    fn new(kind: &'static Kind, period: u64) -> Self {
        let seen = Seen::default();
        Self { kind, schedule: (kind.make)(Arc::clone(&seen)), seen, period, last: None }
    }

    /// Runs it, and says what it has seen.
    fn run(&mut self, world: &mut World) -> Vec<Entity> {
        self.schedule.run(world);
        std::mem::take(&mut self.seen.lock().expect("no panic"))
    }
}

/// Queries by hand.
struct Hand {
    changed: QueryState<Entity, Changed<A>>,
    added: QueryState<Entity, Added<S>>,
}

/// The number of runs that are certainly distinguished.
const KNOWN: u64 = 5 << 29;

/// The tick of the world, counted without an end, and as the world says it.
pub(crate) struct Clock {
    now: u64,
    tick: u32,
}

impl Clock {
    pub(crate) fn new(world: &World) -> Self {
        let tick = world.change_tick().get();
        Self { now: u64::from(tick), tick }
    }

    /// The tick of what is done now.
    pub(crate) fn now(&mut self, world: &World) -> u64 {
        let tick = world.change_tick().get();
        (self.now, self.tick) = (self.at(tick), tick);
        self.now
    }

    /// A tick that the world has had since it was asked last.
    pub(crate) fn at(&self, tick: u32) -> u64 {
        self.now + u64::from(tick.wrapping_sub(self.tick))
    }

    fn skip(&mut self, world: &mut World, runs: u32) {
        self.now(world);
        world.skip_change_ticks(runs);
        self.now += u64::from(runs);
        self.tick = self.tick.wrapping_add(runs);
        assert_eq!(self.tick, world.change_tick().get());
    }
}

/// An operation on consumers, or on the ticks that they compare.
#[derive(Clone, Debug)]
pub(crate) enum ConsumerStep {
    Create {
        kind: u8,
        period: u8,
    },
    Drop {
        which: u8,
    },
    /// Looks by hand.
    Look,
    Forget,
    /// Changes each `nth` value that a query yields.
    WriteEach {
        nth: usize,
        how: u8,
    },
    /// Changes all values, by systems and by slices.
    Sweep {
        how: u8,
    },
    Skip {
        runs: u32,
    },
    /// Compares ticks; asks for those that are not known if `demand` is set.
    Inspect {
        which: Vec<usize>,
        demand: bool,
    },
}

pub(crate) fn consumer_step() -> impl Strategy<Value = ConsumerStep> {
    let (a, b) = (any::<u8>(), any::<u8>());
    let runs = prop_oneof![0..100_u32, any::<u32>(), (u32::MAX - 1000)..u32::MAX];
    let which = prop_oneof![6 => vec(any::<usize>(), 1..4), 3 => vec(any::<usize>(), 4..40)];
    prop_oneof![
        4 => (1..90_usize, a).prop_map(|(nth, how)| ConsumerStep::WriteEach { nth, how }),
        2 => a.prop_map(|how| ConsumerStep::Sweep { how }),
        3 => (a, b).prop_map(|(kind, period)| ConsumerStep::Create { kind, period }),
        2 => a.prop_map(|which| ConsumerStep::Drop { which }),
        2 => Just(ConsumerStep::Look),
        1 => Just(ConsumerStep::Forget),
        1 => runs.prop_map(|runs| ConsumerStep::Skip { runs }),
        3 => (which, proptest::bool::weighted(0.2)).prop_map(|(which, demand)| ConsumerStep::Inspect { which, demand }),
    ]
}

/// Compares what a consumer has seen with what it has to see.
fn compare(oracle: &Oracle, name: &str, seen: &[Entity], exact: bool, last: Last, expects: fn(&Stamps, Last) -> bool) {
    let all: BTreeSet<Entity> = seen.iter().copied().collect();
    assert_eq!(all.len(), seen.len(), "{name}: something was seen twice");
    for (entity, stamps) in &oracle.stamps {
        let (sees, has_to) = (all.contains(entity), expects(stamps, last));
        let may = has_to || !exact && expects(stamps, None);
        assert!(sees || !has_to, "{name}, which ran at {last:?}, misses {entity} with {stamps:?}");
        assert!(!sees || may, "{name}, which ran at {last:?}, sees {entity} with {stamps:?}");
    }
    assert!(all.iter().all(|entity| oracle.lives(*entity)), "{name} sees a ghost");
}

#[system]
fn sweep(a: &mut A) {
    raise(a);
}

#[system(without(T))]
fn sweep_some(a: &mut A, _: &B) {
    raise(a);
}

#[system]
fn sweep_sparse(s: &mut S) {
    raise(s);
}

#[system]
fn thirds(mut a: Mut<'_, A>) {
    if a.value().is_multiple_of(3) {
        raise(&mut *a);
    }
}

/// All consumers of a run.
pub(crate) struct Consumers {
    all: Vec<Consumer>,
    hand: Option<Hand>,
    cleared: u64,
    /// Since when the ticks of each component are known.
    since: [Option<u64>; KINDS],
    steps: u64,
    pub(crate) clock: Clock,
}

impl Consumers {
    pub(crate) fn new(world: &World) -> Self {
        let clock = Clock::new(world);
        Self { all: Vec::new(), hand: None, cleared: clock.now - 1, since: [None; KINDS], steps: 0, clock }
    }

    pub(crate) fn step(&mut self, world: &mut World, oracle: &mut Oracle, step: &ConsumerStep, ids: &[Entity]) {
        match step {
            ConsumerStep::Create { kind, period } => {
                let period = [1, 2, 3, 7, 25][usize::from(*period) % 5];
                self.all
                    .push(Consumer::new(&KINDS_OF_CONSUMERS[usize::from(*kind) % KINDS_OF_CONSUMERS.len()], period));
            }
            ConsumerStep::Drop { which } => {
                if !self.all.is_empty() {
                    self.all.swap_remove(usize::from(*which) % self.all.len());
                }
            }
            ConsumerStep::Look => self.look(world, oracle),
            ConsumerStep::Forget => self.hand = None,
            ConsumerStep::WriteEach { nth, how } => write_each(world, oracle, *nth, *how),
            ConsumerStep::Sweep { how } => run_sweep(world, oracle, *how),
            ConsumerStep::Skip { runs } => self.clock.skip(world, *runs),
            ConsumerStep::Inspect { which, demand } => {
                for which in which.iter().filter(|_| !ids.is_empty()) {
                    self.inspect(world, oracle, ids[which % ids.len()], *demand);
                }
            }
        }
    }

    /// Runs those whose turn it is.
    pub(crate) fn take_turns(&mut self, world: &mut World, oracle: &mut Oracle) {
        self.poll(world);
        self.steps += 1;
        for at in 0..self.all.len() {
            if self.steps.is_multiple_of(self.all[at].period) {
                self.run(at, world, oracle);
                self.poll(world);
            }
        }
    }

    /// All run once more, and all ticks are compared.
    pub(crate) fn finish(&mut self, world: &mut World, oracle: &mut Oracle) {
        (0..self.all.len()).for_each(|at| self.run(at, world, oracle));
        self.poll(world);
        let ids: Vec<Entity> = oracle.rows.keys().copied().collect();
        ids.into_iter().for_each(|entity| self.inspect(world, oracle, entity, false));
    }

    /// After a panic it is not known what has changed; what consumers see then does not count, and is past after that.
    pub(crate) fn forget(&mut self, world: &mut World, oracle: &mut Oracle) {
        for stamps in oracle.stamps.values_mut() {
            stamps.iter_mut().flatten().for_each(|stamp| *stamp = Stamp::UNKNOWN);
        }
        // Those that write do so now as well.
        for at in 0..self.all.len() {
            let now = self.clock.now(world);
            let seen = self.all[at].run(world);
            self.written(at, &seen, now, world, oracle);
        }
        self.cleared = self.clock.now(world);
        world.clear_trackers();
        self.poll(world);
    }

    /// Notes that a consumer has run, and what it has changed.
    fn written(&mut self, at: usize, seen: &[Entity], now: u64, world: &World, oracle: &mut Oracle) {
        let kind = self.all[at].kind;
        let tick = if kind.exclusive { self.clock.now(world) - 1 } else { now };
        self.all[at].last = Some(tick);
        if kind.writes {
            oracle.now = tick;
            for entity in seen.iter().step_by(2) {
                let value = oracle.rows[entity][kind.written()].expect("it was seen");
                oracle.write(*entity, kind.written(), value + 1);
            }
        }
    }

    fn run(&mut self, at: usize, world: &mut World, oracle: &mut Oracle) {
        let now = self.clock.now(world);
        let seen = self.all[at].run(world);
        let Consumer { kind, last, .. } = &self.all[at];
        let exact = last.is_none_or(|last| now - last <= KNOWN);
        compare(oracle, kind.name, &seen, exact, *last, kind.expects);
        self.written(at, &seen, now, world, oracle);
    }

    fn look(&mut self, world: &mut World, oracle: &Oracle) {
        if self.hand.is_none() {
            self.hand = Some(Hand { changed: world.query_filtered(), added: world.query_filtered() });
            self.poll(world);
        }
        let (now, last) = (self.clock.now(world), self.cleared);
        let Hand { changed: of_a, added: of_s } = self.hand.as_mut().expect("it has just been made");
        let of_a: Vec<Entity> = of_a.iter(world).collect();
        let of_s: Vec<Entity> = of_s.iter(world).collect();
        let exact = |kind: usize| now - last <= KNOWN && self.since[kind].is_some_and(|since| since <= last);
        compare(oracle, "by hand", &of_a, exact(A::INDEX), Some(last), changed::<A>);
        compare(oracle, "by hand", &of_s, exact(S::INDEX), Some(last), added::<S>);
        self.cleared = now;
        world.clear_trackers();
    }

    /// Finds out since when ticks are known.
    fn poll(&mut self, world: &World) {
        let now = self.clock.now(world);
        for kind in 0..KINDS {
            let id = with_part!(kind as u8, P => world.component_id::<P>());
            let is_tracked = id.is_some_and(|id| world.components().info(id).expect("it has a number").is_tracked());
            self.since[kind] = is_tracked.then(|| self.since[kind].unwrap_or(now));
        }
    }

    fn inspect(&mut self, world: &World, oracle: &Oracle, entity: Entity, demand: bool) {
        let now = self.clock.now(world);
        let Some(stamps) = oracle.stamps.get(&entity) else { return };
        for (kind, (&stamp, &since)) in stamps.iter().zip(&self.since).enumerate() {
            let Some(stamp) = stamp else { continue };
            if since.is_none() && !demand {
                continue;
            }
            let ticks = with_part!(kind as u8, P => world.entity(entity).get_change_ticks::<P>());
            assert_eq!(ticks.is_some(), since.is_some());
            let Some((ticks, since)) = ticks.zip(since) else { continue };
            for (tick, stamp) in [(ticks.added, stamp.added), (ticks.changed, stamp.changed)] {
                let age = u64::from(
                    (now as u32).wrapping_sub(tick.get()).wrapping_add(self.clock.tick.wrapping_sub(now as u32)),
                );
                if stamp != Stamp::UNKNOWN.changed && now - stamp <= KNOWN {
                    let right = if stamp >= since { age == now - stamp } else { age <= now - stamp };
                    assert!(right, "{entity}: component {kind} has {tick:?} and not {stamp}");
                }
            }
        }
    }
}

fn write_each(world: &mut World, oracle: &mut Oracle, nth: usize, how: u8) {
    let mut written = Vec::new();
    if how.is_multiple_of(2) {
        let mut query = world.query::<(Entity, &mut A)>();
        for (entity, mut a) in query.iter_mut(world).step_by(nth) {
            raise(&mut *a);
            written.push((entity, A::INDEX, a.value()));
        }
    } else {
        let mut query = world.query::<(Entity, Mut<'_, S>)>();
        for (entity, mut s) in query.iter_mut(world).step_by(nth) {
            raise(&mut *s);
            written.push((entity, S::INDEX, s.value()));
        }
    }
    written.into_iter().for_each(|(entity, kind, value)| oracle.write(entity, kind, value));
}

fn run_sweep(world: &mut World, oracle: &mut Oracle, how: u8) {
    let mut schedule = Schedule::default();
    let (kind, changes): (usize, fn(&Row) -> bool) = match how % 5 {
        0 => {
            schedule.add_systems(sweep);
            (A::INDEX, |_| true)
        }
        1 => {
            schedule.add_systems(sweep_some);
            (A::INDEX, |row| row[T::INDEX].is_none() && row[B::INDEX].is_some())
        }
        2 => {
            schedule.add_systems(sweep_sparse);
            (S::INDEX, |_| true)
        }
        3 => {
            schedule.add_systems(thirds);
            (A::INDEX, |row| row[A::INDEX].is_some_and(|a| a.is_multiple_of(3)))
        }
        _ => {
            let mut query = world.query_filtered::<&mut A, Without<T>>();
            for slice in query.contiguous_iter_mut(world) {
                slice.iter_mut().for_each(raise);
            }
            (A::INDEX, |row| row[T::INDEX].is_none())
        }
    };
    schedule.run(world);
    let written: Vec<(Entity, u32)> =
        oracle.rows.iter().filter(|(_, row)| changes(row)).filter_map(|(id, row)| Some((*id, row[kind]?))).collect();
    written.into_iter().for_each(|(entity, value)| oracle.write(entity, kind, value + 1));
}
