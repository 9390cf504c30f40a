//! Random changes, and consumers at different rhythms: each sees exactly what it should, once.

mod changes;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_ecs::prelude::*;

use crate::consumers::{ASIDE, COMPONENTS, Consumer, HEALTH, KINDS, MARKED, Row, TAG};
use crate::operations::{Case, Operation, Who, cases};
use crate::parts::{Aside, Health, Marked, Needy, Other, Tag};

/// How many runs are told apart for certain.
const KNOWN: u64 = 5 << 29;

/// Queries by hand, and since when what they say is exact.
struct Hand {
    changed: QueryState<Entity, Changed<Health>>,
    added: QueryState<Entity, Added<Aside>>,
}

struct Model {
    world: World,
    rows: BTreeMap<Entity, Row>,
    /// The tick of the world, counted without an end, and as the world says it.
    clock: u64,
    tick: u32,
    since: [Option<u64>; COMPONENTS],
    consumers: Vec<Consumer>,
    hand: Option<Hand>,
    cleared: u64,
    steps: u64,
}

impl Model {
    fn new(case: &Case) -> Self {
        let mut world = World::new();
        let tick = world.change_tick().get();
        let (rows, since, cleared) = (BTreeMap::new(), [None; COMPONENTS], u64::from(tick) - 1);
        let clock = u64::from(tick);
        // All components have numbers from the beginning.
        world.spawn((Health(0), Marked, Aside(0), Tag, Other(0), Needy)).despawn();
        let consumers = Vec::new();
        let mut model = Self { world, rows, clock, tick, since, consumers, hand: None, cleared, steps: 0 };
        model.skip(case.start);
        for &(count, bundle) in &case.entities {
            model.spawn(count, bundle, 0);
        }
        for &(kind, period) in &case.consumers {
            model.create(kind, period);
        }
        model
    }

    /// The tick of what is done now.
    fn now(&mut self) -> u64 {
        let tick = self.world.change_tick().get();
        self.clock += u64::from(tick.wrapping_sub(self.tick));
        self.tick = tick;
        self.clock
    }

    fn skip(&mut self, runs: u32) {
        self.now();
        self.world.skip_change_ticks(runs);
        self.clock += u64::from(runs);
        self.tick = self.tick.wrapping_add(runs);
        assert_eq!(self.tick, self.world.change_tick().get());
    }

    /// Different living entities.
    fn chosen(&self, who: &Who) -> Vec<Entity> {
        let all: Vec<Entity> = self.rows.keys().copied().collect();
        let mut taken = BTreeSet::new();
        let some = who.iter().filter(|_| !all.is_empty()).map(|&number| all[number as usize % all.len()]);
        some.filter(|&entity| taken.insert(entity)).collect()
    }

    fn row(&mut self, entity: Entity) -> &mut Row {
        self.rows.get_mut(&entity).expect("it is alive")
    }

    fn change(&mut self, entity: Entity, component: usize, now: u64) {
        self.row(entity)[component].as_mut().expect("it has the component").changed = now;
    }

    fn create(&mut self, kind: u8, period: u8) {
        let kind = &KINDS[kind as usize % KINDS.len()];
        let period = [1, 2, 3, 7, 25][period as usize % 5];
        self.consumers.push(Consumer::new(kind, period));
    }

    fn look(&mut self) {
        if self.hand.is_none() {
            let (changed, added) = (self.world.query_filtered(), self.world.query_filtered());
            self.hand = Some(Hand { changed, added });
            self.poll();
        }
        let (now, last) = (self.now(), self.cleared);
        let Hand { changed, added } = self.hand.as_mut().expect("it has just been made");
        let changed: Vec<Entity> = changed.iter(&self.world).collect();
        let added: Vec<Entity> = added.iter(&self.world).collect();
        let exact = |component: usize| now - last <= KNOWN && self.since[component].is_some_and(|since| since <= last);
        self.compare("by hand", &changed, exact(HEALTH), Some(last), |row, last| {
            row[HEALTH].is_some_and(|stamp| last.is_none_or(|last| stamp.changed > last))
        });
        self.compare("by hand", &added, exact(ASIDE), Some(last), |row, last| {
            row[ASIDE].is_some_and(|stamp| last.is_none_or(|last| stamp.added > last))
        });
        self.cleared = now;
        self.world.clear_trackers();
    }

    /// Compares what somebody has seen with what he has to see.
    fn compare(
        &self,
        name: &str,
        seen: &[Entity],
        exact: bool,
        last: Option<u64>,
        expects: fn(&Row, Option<u64>) -> bool,
    ) {
        let all: BTreeSet<Entity> = seen.iter().copied().collect();
        assert_eq!(all.len(), seen.len(), "{name}: something was seen twice");
        for (entity, row) in &self.rows {
            let (sees, has_to) = (all.contains(entity), expects(row, last));
            let may = has_to || !exact && expects(row, None);
            assert!(sees || !has_to, "{name}, which ran at {last:?}, misses {entity} with {row:?}");
            assert!(!sees || may, "{name}, which ran at {last:?}, sees {entity} with {row:?}");
        }
        assert!(all.iter().all(|entity| self.rows.contains_key(entity)), "{name} sees a ghost");
    }

    fn run_consumer(&mut self, at: usize) {
        let now = self.now();
        let mut consumer = self.consumers.swap_remove(at);
        let seen = consumer.run(&mut self.world);
        let exact = consumer.last.is_none_or(|last| now - last <= KNOWN);
        self.compare(consumer.kind.name, &seen, exact, consumer.last, consumer.kind.expects);
        consumer.last = Some(now);
        let mut tick = now;
        if consumer.kind.exclusive {
            tick = self.now() - 1;
            consumer.last = Some(tick);
        }
        if consumer.kind.writes {
            seen.iter().step_by(2).for_each(|&entity| self.change(entity, consumer.kind.written(), tick));
        }
        self.consumers.push(consumer);
        let last = self.consumers.len() - 1;
        self.consumers.swap(at, last);
    }

    /// Finds out since when ticks are known.
    fn poll(&mut self) {
        let now = self.now();
        let ids = [
            self.world.component_id::<Health>(),
            self.world.component_id::<Marked>(),
            self.world.component_id::<Aside>(),
            self.world.component_id::<Tag>(),
        ];
        for (component, id) in ids.into_iter().enumerate() {
            let info = self.world.components().info(id.expect("registered")).expect("registered");
            self.since[component] = info.is_tracked().then(|| self.since[component].unwrap_or(now));
        }
    }

    fn inspect(&mut self, who: &Who, demand: bool) {
        let now = self.now();
        for entity in self.chosen(who) {
            for component in [HEALTH, MARKED, ASIDE, TAG] {
                let (Some(stamp), since) = (self.rows[&entity][component], self.since[component]) else { continue };
                if since.is_none() && !demand {
                    continue;
                }
                let view = self.world.entity(entity);
                let ticks = match component {
                    HEALTH => view.get_change_ticks::<Health>(),
                    MARKED => view.get_change_ticks::<Marked>(),
                    ASIDE => view.get_change_ticks::<Aside>(),
                    _ => view.get_change_ticks::<Tag>(),
                };
                assert_eq!(ticks.is_some(), since.is_some());
                let Some((ticks, since)) = ticks.zip(since) else { continue };
                for (tick, stamp) in [(ticks.added, stamp.added), (ticks.changed, stamp.changed)] {
                    let age = u64::from(
                        (now as u32).wrapping_sub(tick.get()).wrapping_add(self.tick.wrapping_sub(now as u32)),
                    );
                    if now - stamp <= KNOWN {
                        let right = if stamp >= since { age == now - stamp } else { age <= now - stamp };
                        assert!(right, "{entity}: component {component} has {tick:?} and not {stamp}");
                    }
                }
            }
        }
    }

    fn operate(&mut self, operation: &Operation) {
        match operation {
            &Operation::Spawn { count, bundle, how } => self.spawn(count, bundle, how),
            Operation::Despawn(who) => self.despawn(who),
            Operation::Write { who, how } => self.write(who, *how),
            &Operation::WriteEach { nth, how } => self.write_each(nth, how),
            &Operation::Sweep(how) => self.sweep(how),
            Operation::Insert { who, bundle, how } => self.insert(who, *bundle, *how),
            Operation::Remove { who, bundle, how } => self.remove(who, *bundle, *how),
            &Operation::InsertAll { bundle, how } => self.insert_all(bundle, how),
            &Operation::RemoveAll { bundle } => self.remove_all(bundle),
            Operation::Renew { who, how } => self.renew(who, *how),
            Operation::Retain(who) => self.retain(who),
            Operation::Clone(who) => self.clone(who),
            Operation::Travel(who) => self.travel(who),
            &Operation::Create { kind, period } => self.create(kind, period),
            &Operation::Drop(which) => {
                if !self.consumers.is_empty() {
                    self.consumers.swap_remove(which as usize % self.consumers.len());
                }
            }
            Operation::Look => self.look(),
            Operation::Forget => self.hand = None,
            Operation::Shrink => self.world.shrink_to_fit(),
            &Operation::Skip(runs) => self.skip(runs),
            Operation::Inspect { who, demand } => self.inspect(who, *demand),
        }
    }

    fn step(&mut self, operation: &Operation) {
        self.operate(operation);
        self.poll();
        self.steps += 1;
        for at in 0..self.consumers.len() {
            if self.steps.is_multiple_of(self.consumers[at].period) {
                self.run_consumer(at);
                self.poll();
            }
        }
        self.world.check_invariants();
    }
}

fn play(case: &Case) {
    let mut model = Model::new(case);
    case.steps.iter().for_each(|step| model.step(step));
    for at in 0..model.consumers.len() {
        model.run_consumer(at);
    }
    model.poll();
    model.inspect(&(0..400).collect(), false);
}

fn config(cases: u32) -> Config {
    // A failing input is printed; it becomes a named test instead of a file of seeds.
    Config { cases, failure_persistence: None, max_shrink_iters: 5_000, ..Config::default() }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn each_consumer_sees_each_change_once(case in cases(1..60)) {
        play(&case);
    }
}
