//! Random changes, and consumers at different rhythms: each sees exactly what it should, once.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_ecs::prelude::*;

use crate::consumers::{ASIDE, COMPONENTS, Consumer, HEALTH, KINDS, MARKED, NEEDY, OTHER, Row, Stamp, TAG};
use crate::operations::{Case, Operation, Who, cases};
use crate::parts::{Aside, Health, Marked, Needy, Other, Tag};

/// How many runs are told apart for certain.
const KNOWN: u64 = 5 << 29;

/// The bundles that are inserted and removed.
macro_rules! with_bundle {
    ($number:expr, $B:ident => $body:expr) => {
        match $number % 10 {
            0 => {
                type $B = Health;
                $body
            }
            1 => {
                type $B = (Health, Other);
                $body
            }
            2 => {
                type $B = Aside;
                $body
            }
            3 => {
                type $B = (Tag, Health);
                $body
            }
            4 => {
                type $B = Marked;
                $body
            }
            5 => {
                type $B = Other;
                $body
            }
            6 => {
                type $B = (Aside, Marked, Tag);
                $body
            }
            7 => {
                type $B = Needy;
                $body
            }
            8 => {
                type $B = (Needy, Health);
                $body
            }
            _ => {
                type $B = (Other, Marked);
                $body
            }
        }
    };
}

fn contents(bundle: u8) -> &'static [usize] {
    match bundle % 10 {
        0 => &[HEALTH],
        1 => &[HEALTH, OTHER],
        2 => &[ASIDE],
        3 => &[TAG, HEALTH],
        4 => &[MARKED],
        5 => &[OTHER],
        6 => &[ASIDE, MARKED, TAG],
        7 => &[NEEDY],
        8 => &[NEEDY, HEALTH],
        _ => &[OTHER, MARKED],
    }
}

/// Adds a bundle to an entity of the model.
fn insert(row: &mut Row, bundle: u8, now: u64, only_new: bool) {
    let new = Stamp { added: now, changed: now };
    for &component in contents(bundle) {
        match &mut row[component] {
            Some(_) if only_new => {}
            Some(stamp) => stamp.changed = now,
            place => *place = Some(new),
        }
    }
    if contents(bundle).contains(&NEEDY) {
        for component in [HEALTH, ASIDE] {
            row[component].get_or_insert(new);
        }
    }
}

#[system]
fn sweep(health: &mut Health) {
    health.0 = health.0.wrapping_add(1);
}

#[system(without(Tag))]
fn sweep_some(health: &mut Health, _: &Other) {
    health.0 = health.0.wrapping_add(1);
}

#[system]
fn sweep_aside(aside: &mut Aside) {
    aside.0 = aside.0.wrapping_add(1);
}

#[system]
fn thirds(mut health: Mut<Health>) {
    if health.0.is_multiple_of(3) {
        health.0 += 1;
    }
}

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

    fn spawn(&mut self, count: usize, bundle: u8, how: u8) {
        let now = self.now();
        let world = &mut self.world;
        let new: Vec<Entity> = with_bundle!(bundle, B => match how % 5 {
            0 => world.spawn_batch((0..count).map(|_| B::default())).collect(),
            1 => (0..count).map(|_| world.spawn(B::default()).id()).collect(),
            2 => (0..count).map(|_| {
                world.spawn_dynamic(EntityBuilder::new().add_bundle(B::default())).id()
            }).collect(),
            3 => {
                let mut commands = world.commands();
                let new = (0..count).map(|_| commands.spawn(B::default()).id()).collect();
                world.flush();
                new
            }
            _ => {
                let mut commands = world.commands();
                let new = (0..count).map(|_| commands.spawn_empty().insert(B::default()).id()).collect();
                world.flush();
                new
            }
        });
        assert_eq!(new.len(), count);
        for entity in new {
            let mut row = Row::default();
            insert(&mut row, bundle, now, false);
            assert!(self.rows.insert(entity, row).is_none());
        }
    }

    fn despawn(&mut self, who: &Who) {
        let who = self.chosen(who);
        if who.len().is_multiple_of(2) {
            self.world.many(&who).despawn();
        }
        for entity in who {
            self.rows.remove(&entity);
            self.world.despawn(entity);
        }
    }

    fn write(&mut self, who: &Who, how: u8) {
        let now = self.now();
        for entity in self.chosen(who) {
            let row = self.rows[&entity];
            let component = [HEALTH, HEALTH, ASIDE, TAG, MARKED][how as usize % 5];
            if row[component].is_none() {
                continue;
            }
            match how % 5 {
                0 => self.world.get_mut::<Health>(entity).expect("present").0 += 1,
                1 => *self.world.query::<&mut Health>().get_mut(&mut self.world, entity).expect("present") = Health(9),
                2 => self.world.entity_mut(entity).get_mut::<Aside>().expect("present").0 += 1,
                3 => self.world.get_mut::<Tag>(entity).expect("present").set_changed(),
                _ => *self.world.get_mut::<Marked>(entity).expect("present") = Marked,
            }
            self.change(entity, component, now);
        }
    }

    fn write_each(&mut self, nth: usize, how: u8) {
        let now = self.now();
        let mut written = Vec::new();
        if how.is_multiple_of(2) {
            let mut query = self.world.query::<(Entity, &mut Health)>();
            for (entity, mut health) in query.iter_mut(&mut self.world).step_by(nth) {
                health.0 += 1;
                written.push((entity, HEALTH));
            }
        } else {
            let mut query = self.world.query::<(Entity, Mut<Aside>)>();
            for (entity, mut aside) in query.iter_mut(&mut self.world).step_by(nth) {
                aside.0 += 1;
                written.push((entity, ASIDE));
            }
        }
        written.into_iter().for_each(|(entity, component)| self.change(entity, component, now));
    }

    fn sweep(&mut self, how: u8) {
        let now = self.now();
        let world = &mut self.world;
        let thirds_of =
            |entity: Entity, world: &World| world.get::<Health>(entity).is_some_and(|health| health.0 % 3 == 0);
        let third: BTreeSet<Entity> = self.rows.keys().copied().filter(|&entity| thirds_of(entity, world)).collect();
        let mut schedule = Schedule::new();
        let (component, changes): (usize, fn(&Row, bool) -> bool) = match how % 5 {
            0 => {
                schedule.add_systems(sweep);
                (HEALTH, |_, _| true)
            }
            1 => {
                schedule.add_systems(sweep_some);
                (HEALTH, |row, _| row[TAG].is_none() && row[OTHER].is_some())
            }
            2 => {
                schedule.add_systems(sweep_aside);
                (ASIDE, |_, _| true)
            }
            3 => {
                schedule.add_systems(thirds);
                (HEALTH, |_, third| third)
            }
            _ => {
                let mut query = world.query_filtered::<&mut Health, Without<Tag>>();
                for slice in query.contiguous_iter_mut(world) {
                    slice[0].0 += 1;
                }
                (HEALTH, |row, _| row[TAG].is_none())
            }
        };
        schedule.run(world);
        for (entity, row) in &mut self.rows {
            if row[component].is_some() && changes(row, third.contains(entity)) {
                row[component].as_mut().expect("asked").changed = now;
            }
        }
    }

    fn insert(&mut self, who: &Who, bundle: u8, how: u8) {
        let now = self.now();
        let who = self.chosen(who);
        let world = &mut self.world;
        with_bundle!(bundle, B => match how % 7 {
            0 => who.iter().for_each(|&entity| { world.entity_mut(entity).insert(B::default()); }),
            1 => who.iter().for_each(|&entity| { world.entity_mut(entity).insert_if_new(B::default()); }),
            2 => assert_eq!(world.insert_batch(who.iter().map(|&entity| (entity, B::default()))), who.len()),
            3 => assert_eq!(world.many(&who).insert(B::default()), who.len()),
            4 => {
                who.iter().for_each(|&entity| { world.commands().entity(entity).insert(B::default()); });
                world.flush();
            }
            5 => {
                who.iter().for_each(|&entity| { world.commands().entity(entity).insert_if_new(B::default()); });
                world.flush();
            }
            _ => who.iter().for_each(|&entity| {
                world.entity_mut(entity).insert_dynamic(EntityBuilder::new().add_bundle(B::default()));
            }),
        });
        who.iter().for_each(|&entity| insert(self.row(entity), bundle, now, matches!(how % 7, 1 | 5)));
    }

    fn remove(&mut self, who: &Who, bundle: u8, how: u8) {
        let who = self.chosen(who);
        let world = &mut self.world;
        with_bundle!(bundle, B => match how % 4 {
            0 => who.iter().for_each(|&entity| { world.entity_mut(entity).remove::<B>(); }),
            1 => assert_eq!(world.many(&who).remove::<B>(), who.len()),
            2 => {
                who.iter().for_each(|&entity| { world.commands().entity(entity).remove::<B>(); });
                world.flush();
            }
            _ => {
                // A detour that leaves other components alone.
                who.iter().for_each(|&entity| {
                    world.commands().entity(entity).insert(B::default()).remove::<B>();
                });
                world.flush();
                if contents(bundle).contains(&NEEDY) {
                    let now = self.now();
                    who.iter().for_each(|&entity| {
                        let mut row = *self.row(entity);
                        insert(&mut row, 7, now, true);
                        *self.row(entity) = row;
                    });
                }
            }
        });
        for entity in who {
            contents(bundle).iter().for_each(|&component| self.row(entity)[component] = None);
        }
    }

    fn insert_all(&mut self, bundle: u8, how: u8) {
        let now = self.now();
        with_bundle!(bundle, B => match how % 2 {
            0 => self.world.all::<With<Health>>().insert(B::default()),
            _ => self.world.all::<With<Health>>().insert_with(|_| B::default()),
        });
        let rows = self.rows.values_mut().filter(|row| row[HEALTH].is_some());
        rows.for_each(|row| insert(row, bundle, now, false));
    }

    fn remove_all(&mut self, bundle: u8) {
        with_bundle!(bundle, B => self.world.all::<With<Health>>().remove::<B>());
        for row in self.rows.values_mut().filter(|row| row[HEALTH].is_some()) {
            contents(bundle).iter().for_each(|&component| row[component] = None);
        }
    }

    fn renew(&mut self, who: &Who, how: u8) {
        let now = self.now();
        let who = self.chosen(who);
        let world = &mut self.world;
        let removed: &[usize] = match how % 8 {
            0 => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<Health>().insert(Health(3));
                }
                &[HEALTH]
            }
            1 => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<Health>().insert(Health(3)).insert(Other(4));
                }
                &[HEALTH]
            }
            2 => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<(Aside, Tag)>().insert((Aside(1), Tag)).insert(Health(3));
                }
                &[ASIDE, TAG]
            }
            3 => {
                who.iter().for_each(|&entity| {
                    world.entity_mut(entity).replace::<Health, _>(Health(4));
                });
                &[HEALTH]
            }
            4 => {
                for &entity in &who {
                    if let Err(new) = world.entity_mut(entity).exchange::<Health, _>(Health(4)) {
                        world.entity_mut(entity).insert(new);
                    }
                }
                &[HEALTH]
            }
            5 => {
                for &entity in &who {
                    let old = world.entity_mut(entity).take::<Aside>().unwrap_or_default();
                    world.entity_mut(entity).insert((old, Tag, Health(3)));
                }
                &[ASIDE]
            }
            6 => {
                for &entity in &who {
                    world.entity_mut(entity).replace::<(Health, Aside), _>(Needy);
                }
                &[HEALTH, ASIDE]
            }
            _ => {
                for &entity in &who {
                    world.commands().entity(entity).remove::<(Health, Needy, Aside)>().insert(Needy);
                }
                &[HEALTH, ASIDE, NEEDY]
            }
        };
        let inserted: &[u8] = [&[0][..], &[1], &[2, 3], &[0], &[0], &[2, 3], &[7], &[7]][how as usize % 8];
        world.flush();
        for entity in who {
            let row = self.row(entity);
            removed.iter().for_each(|&component| row[component] = None);
            inserted.iter().for_each(|&bundle| insert(row, bundle, now, false));
        }
    }

    fn retain(&mut self, who: &Who) {
        for entity in self.chosen(who) {
            self.world.entity_mut(entity).retain::<(Health, Aside, Marked)>();
            let row = self.row(entity);
            [TAG, OTHER, NEEDY].into_iter().for_each(|component| row[component] = None);
        }
    }

    fn clone(&mut self, who: &Who) {
        let now = self.now();
        for entity in self.chosen(who) {
            let clone = self.world.clone_entity(entity).expect("all can be cloned");
            let row = self.rows[&entity].map(|stamp| stamp.map(|_| Stamp { added: now, changed: now }));
            self.rows.insert(clone, row);
        }
    }

    fn travel(&mut self, who: &Who) {
        let now = self.now();
        let who = self.chosen(who);
        let mut other = World::new();
        let there = self.world.many(&who).move_to(&mut other);
        let back = other.all::<()>().move_to(&mut self.world);
        for entity in who {
            let row = self.rows.remove(&entity).expect("it is alive");
            let row = row.map(|stamp| stamp.map(|_| Stamp { added: now, changed: now }));
            let new = there.get(entity).and_then(|there| back.get(there)).expect("it has moved");
            self.rows.insert(new, row);
        }
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
