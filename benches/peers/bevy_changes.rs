//! Change detection, done by `bevy_ecs`.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_ecs::system::ScheduleSystem;

use crate::support::changes::loops::{self, ByHand, ByHandRead, UNWATCHED, WATCHED};
use crate::support::changes::{HUNDRED_THOUSAND, Outcome, THOUSANDS, Workload, apart, checked, in_a_row};
use crate::support::data;
use crate::support::{Contestant, Sample, placed};
use alike::{
    Health, Position, Sum, Value, Velocity, all, all_dirty, by_query, by_world, despawns, few, particles,
    sparse_by_query, sparse_by_world, sum_values,
};

#[path = "../support/changes/alike.rs"]
mod alike;

mod ecs {
    pub(super) use bevy_ecs::prelude::*;
    pub(super) use bevy_ecs::system::ScheduleSystem;
}

#[derive(Clone, Copy, Component)]
struct Transform(#[expect(dead_code, reason = "only there to take room")] data::Transform);

#[derive(Clone, Copy, Component)]
struct Rotation(#[expect(dead_code, reason = "only there to take room")] data::Rotation);

#[derive(Clone, Copy, Component)]
struct Place<const COPY: usize>(loops::Position<COPY>);

#[derive(Clone, Copy, Component)]
struct Speed<const COPY: usize>(loops::Velocity<COPY>);

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        UNWATCHED => unwatched(),
        WATCHED => watched(),
        "changes: 1 % of 1M, the filter alone" => {
            filter(|| few(schedule(sum_values)), || few(schedule(sum_values_in_for)))
        }
        "changes: all of 10k, the filter alone" => {
            filter(|| all(schedule(sum_values)), || all(schedule(sum_values_in_for)))
        }
        "changes: realistic tick 10k" => realistic(|| by_world(THOUSANDS), || by_query(THOUSANDS)),
        "changes: realistic tick 100k" => realistic(|| by_world(HUNDRED_THOUSAND), || by_query(HUNDRED_THOUSAND)),
        "changes: sparse delta 10k" => vec![
            Contestant::new("bevy_ecs: world.get_mut", None, sparse_by_world),
            Contestant::new("bevy_ecs: query.get_mut", None, sparse_by_query),
        ],
        "changes: all dirty 10k" => one("bevy_ecs: for_each, Changed", || all_dirty(damage)),
        "changes: particles 10k" => one("bevy_ecs: systems", || particles(advance, damage)),
        "changes: despawn 10k and drain" => one("bevy_ecs: world.despawn, RemovedComponents", despawns),
        _ => Vec::new(),
    }
}

fn one(name: &'static str, prepare: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new(name, None, prepare)]
}

fn filter(fold: fn() -> Sample, plain_for: fn() -> Sample) -> Vec<Contestant> {
    vec![
        Contestant::new("bevy_ecs: Changed, fold", None, fold),
        Contestant::new("bevy_ecs: Changed, plain for", None, plain_for),
    ]
}

fn realistic(world: fn() -> Sample, query: fn() -> Sample) -> Vec<Contestant> {
    vec![
        Contestant::new("bevy_ecs: world.get_mut", None, world),
        Contestant::new("bevy_ecs: query.get_mut", None, query),
    ]
}

fn schedule<Marker>(systems: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems(systems.chain());
    schedule
}

// simple_iter

fn movement<const COPY: usize>(mut rows: Query<(&mut Place<COPY>, &Speed<COPY>)>) {
    rows.iter_mut().for_each(|(mut position, velocity)| position.0.advance(velocity.0));
}

fn watch<const COPY: usize>(changed: Query<&Place<COPY>, Changed<Place<COPY>>>, mut sum: ResMut<Sum>) {
    sum.0 += changed.iter().map(|position| position.0.weight()).sum::<u64>();
}

struct Loop<const COPY: usize> {
    world: World,
    movement: Schedule,
}

impl<const COPY: usize> Loop<COPY> {
    fn new() -> Self {
        let mut world = World::new();
        let (transform, position, rotation, velocity) = loops::body::<COPY>();
        let body = (Transform(transform), Place(position), Rotation(rotation), Speed(velocity));
        world.spawn_batch((0..THOUSANDS).map(|_| body));
        world.init_resource::<Sum>();
        Self { world, movement: schedule(movement::<COPY>) }
    }
}

impl<const COPY: usize> Workload for Loop<COPY> {
    fn run(&mut self) {
        self.movement.run(&mut self.world);
    }

    fn outcome(&mut self) -> Outcome {
        let mut positions = self.world.query::<&Place<COPY>>();
        [positions.iter(&self.world).map(|position| position.0.weight()).sum(), 0, 0]
    }
}

struct WatchedLoop<const COPY: usize> {
    bodies: Loop<COPY>,
    watch: Schedule,
}

impl<const COPY: usize> Workload for WatchedLoop<COPY> {
    fn before(&mut self) {
        self.watch.run(&mut self.bodies.world);
    }

    fn run(&mut self) {
        self.bodies.run();
    }

    fn outcome(&mut self) -> Outcome {
        [self.bodies.world.resource::<Sum>().0, 0, 0]
    }
}

fn unwatched() -> Vec<Contestant> {
    fn copy<const COPY: usize>() -> Sample {
        in_a_row(checked(Loop::<COPY>::new(), ByHand::<COPY>::new()))
    }
    vec![Contestant::new("bevy_ecs: for_each", None, || placed([copy::<0>(), copy::<1>(), copy::<2>(), copy::<3>()]))]
}

fn watched() -> Vec<Contestant> {
    fn copy<const COPY: usize>() -> Sample {
        let watched = WatchedLoop { bodies: Loop::<COPY>::new(), watch: schedule(watch::<COPY>) };
        apart(checked(watched, ByHandRead::<COPY>::new()))
    }
    vec![Contestant::new("bevy_ecs: for_each", None, || placed([copy::<0>(), copy::<1>(), copy::<2>(), copy::<3>()]))]
}

// The filter alone

fn sum_values_in_for(changed: Query<&Value, Changed<Value>>, mut sum: ResMut<Sum>) {
    let mut total = 0_u32;
    for value in &changed {
        total = total.wrapping_add(value.0);
    }
    sum.0 = u64::from(total);
}

// Ticks that write all

fn damage(mut healths: Query<&mut Health>) {
    healths.iter_mut().for_each(|mut health| health.0 -= 1);
}

fn advance(mut rows: Query<(&mut Position, &Velocity)>) {
    rows.iter_mut().for_each(|(mut position, velocity)| position.0.add(velocity.0));
}

fn len(rows: &Query<&Health>) -> usize {
    rows.iter().len()
}
