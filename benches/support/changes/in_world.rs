//! The workloads in a [`World`].

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

use super::super::limits::{bare, honest};
use super::super::{Bench, Contestant, Sample, placed};
use super::by_hand;
use super::limits::{BareDespawns, HonestDespawns};
use super::loops::{self, ByHandRead, WATCHED, movement};
use super::{HUNDRED_THOUSAND, Outcome, THOUSANDS, Workload, apart, checked};
use alike::{
    Health, Position, Sum, Tally, Value, Velocity, all, all_dirty, by_query, by_world, despawns, dirty, few, particles,
    sparse_by_query, sparse_by_world, sum_values,
};

#[path = "alike.rs"]
mod alike;

mod ecs {
    pub(super) use strata_ecs::prelude::*;
    pub(super) use strata_ecs::schedule::ScheduleSystem;
}

/// The workloads, with the world among the contestants.
pub(super) fn joined(mut benches: Vec<Bench>) -> Vec<Bench> {
    for bench in &mut benches {
        bench.contestants.extend(contestants(bench.name));
    }
    benches
}

fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        WATCHED => watched(),
        "changes: 1 % of 1M, the filter alone" => vec![
            Contestant::new("Changed", Some(0.15), || few(schedule(sum_values))),
            Contestant::new("#[system(changed)]", Some(0.15), || few(rows_changed())),
        ],
        "changes: all of 10k, the filter alone" => vec![
            Contestant::new("Changed", Some(1.5), || all(schedule(sum_values))),
            Contestant::new("#[system(changed)]", Some(1.5), || all(rows_changed())),
        ],
        "changes: realistic tick 10k" => by_id(|| by_world(THOUSANDS), || by_query(THOUSANDS)),
        "changes: realistic tick 100k" => by_id(|| by_world(HUNDRED_THOUSAND), || by_query(HUNDRED_THOUSAND)),
        "changes: sparse delta 10k" => by_id(sparse_by_world, sparse_by_query),
        "changes: all dirty 10k" => vec![
            Contestant::new("row system, Changed", Some(1.2), || all_dirty(damage)),
            Contestant::new("for_each, Changed", Some(1.2), || all_dirty(damage_for_each)),
            Contestant::new("row system, #[system(changed)]", Some(1.2), || dirty(damage, health_changed)),
            Contestant::new("for_each, #[system(changed)]", Some(1.2), || dirty(damage_for_each, health_changed)),
        ],
        "changes: particles 10k" => one("systems", Some(1.2), || particles(advance, damage)),
        "changes: despawn 10k and drain" => vec![
            Contestant::new("world.despawn, RemovedComponents", Some(2.0), despawns),
            bare(|| apart(checked(BareDespawns::default(), by_hand::Despawns::new()))),
            honest(|| apart(checked(HonestDespawns::default(), by_hand::Despawns::new()))),
        ],
        _ => Vec::new(),
    }
}

fn one(name: &'static str, at_most: Option<f64>, prepare: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new(name, at_most, prepare)]
}

fn by_id(world: fn() -> Sample, query: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new("world.get_mut", None, world), Contestant::new("query.get_mut", None, query)]
}

fn schedule<Marker>(systems: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems.chain());
    schedule
}

// simple_iter, watched

type ChangedPositions<'w, 's, const COPY: usize> =
    Query<'w, 's, &'static loops::Position<COPY>, Changed<loops::Position<COPY>>>;

fn watch<const COPY: usize>(changed: ChangedPositions<'_, '_, COPY>, mut sum: ResMut<'_, Sum>) {
    sum.0 += changed.iter().map(loops::Position::weight).sum::<u64>();
}

/// The writers are timed; the watchers run in between.
struct WatchedLoop {
    world: World,
    writer: Schedule,
    watcher: Schedule,
}

impl WatchedLoop {
    fn new<const COPY: usize, Marker>(writer: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Self {
        let mut world = loops::world::<COPY>();
        world.init_resource::<Sum>();
        Self { world, writer: schedule(writer), watcher: schedule(watch::<COPY>) }
    }
}

impl Workload for WatchedLoop {
    fn before(&mut self) {
        self.watcher.run(&mut self.world);
    }

    fn run(&mut self) {
        self.writer.run(&mut self.world);
    }

    fn outcome(&mut self) -> Outcome {
        [self.world.resource::<Sum>().0, 0, 0]
    }
}

fn movement_for_each<const COPY: usize>(mut rows: Query<'_, '_, (&mut loops::Position<COPY>, &loops::Velocity<COPY>)>) {
    rows.iter_mut().for_each(|(mut position, velocity)| position.advance(*velocity));
}

fn watched() -> Vec<Contestant> {
    fn rows<const COPY: usize>() -> Sample {
        apart(checked(WatchedLoop::new::<COPY, _>(movement::<COPY>), ByHandRead::<COPY>::new()))
    }
    fn for_each<const COPY: usize>() -> Sample {
        apart(checked(WatchedLoop::new::<COPY, _>(movement_for_each::<COPY>), ByHandRead::<COPY>::new()))
    }
    vec![
        Contestant::new("row system", Some(1.25), || placed([rows::<0>(), rows::<1>(), rows::<2>(), rows::<3>()])),
        Contestant::new("for_each", None, || {
            placed([for_each::<0>(), for_each::<1>(), for_each::<2>(), for_each::<3>()])
        }),
    ]
}

// Row systems over what changed

#[system(changed(Value))]
fn add_value(value: &Value, mut sum: ResMut<'_, Sum>) {
    sum.0 += u64::from(value.0);
}

fn begin_sum(mut sum: ResMut<'_, Sum>) {
    sum.0 = 0;
}

/// The other contestants add 32-bit integers that wrap around.
fn end_sum(mut sum: ResMut<'_, Sum>) {
    sum.0 &= u64::from(u32::MAX);
}

fn rows_changed() -> Schedule {
    schedule((begin_sum, add_value, end_sum))
}

#[system(changed(Health))]
fn health_changed(health: &Health, mut tally: ResMut<'_, Tally>) {
    tally.0.health += i64::from(health.0);
}

// Ticks that write all

#[system]
fn damage(health: &mut Health) {
    health.0 -= 1;
}

fn damage_for_each(mut healths: Query<'_, '_, &mut Health>) {
    healths.iter_mut().for_each(|mut health| health.0 -= 1);
}

#[system]
fn advance(position: &mut Position, velocity: &Velocity) {
    position.0.add(velocity.0);
}

fn len(rows: &Query<'_, '_, &Health>) -> usize {
    rows.count()
}
