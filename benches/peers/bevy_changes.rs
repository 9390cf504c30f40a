//! Change detection, done by `bevy_ecs`.

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{ScheduleConfigs, SingleThreadedExecutor};
use bevy_ecs::system::ScheduleSystem;

use crate::support::changes::by_hand::{self, Filter, Scan};
use crate::support::changes::loops::{self, ByHand, ByHandRead, UNWATCHED, WATCHED};
use crate::support::changes::{
    Cursor, HUNDRED_THOUSAND, MILLION, Outcome, THOUSANDS, WRITES, Workload, apart, checked, in_a_row,
};
use crate::support::data::{self, Vec3, shuffle};
use crate::support::{Contestant, Sample, placed};

#[derive(Clone, Copy, Component)]
struct Transform(#[expect(dead_code, reason = "only there to take room")] data::Transform);

#[derive(Clone, Copy, Component)]
struct Rotation(#[expect(dead_code, reason = "only there to take room")] data::Rotation);

#[derive(Clone, Copy, Component)]
struct Place<const COPY: usize>(loops::Position<COPY>);

#[derive(Clone, Copy, Component)]
struct Speed<const COPY: usize>(loops::Velocity<COPY>);

#[derive(Clone, Copy, Component)]
struct Position(Vec3);

#[derive(Clone, Copy, Component)]
struct Velocity(Vec3);

#[derive(Clone, Copy, Component)]
struct Lifetime(i32);

#[derive(Clone, Copy, Component)]
struct Health(i32);

#[derive(Clone, Copy, Component)]
struct Mana(i32);

#[derive(Clone, Copy, Component)]
struct Value(u32);

#[derive(Resource, Default)]
struct Tally(crate::support::changes::Tally);

/// A reader's last sum.
#[derive(Resource, Default)]
struct Sum(u64);

/// What systems write by id.
#[derive(Resource)]
struct Targets {
    ids: Vec<Entity>,
    cursors: [Cursor; 3],
}

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
        "changes: all dirty 10k" => one("bevy_ecs: for_each, Changed", all_dirty),
        "changes: particles 10k" => one("bevy_ecs: systems", particles),
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
    schedule.add_systems(systems);
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

fn sum_values(changed: Query<&Value, Changed<Value>>, mut sum: ResMut<Sum>) {
    sum.0 = u64::from(changed.iter().fold(0_u32, |sum, value| sum.wrapping_add(value.0)));
}

fn sum_values_in_for(changed: Query<&Value, Changed<Value>>, mut sum: ResMut<Sum>) {
    let mut total = 0_u32;
    for value in &changed {
        total = total.wrapping_add(value.0);
    }
    sum.0 = u64::from(total);
}

/// Values that are written, unmeasured, and a reader that adds up what changed.
struct Filtered {
    world: World,
    /// The entities in the order in which 1 % after 1 % is written; empty if each tick writes all.
    order: Vec<Entity>,
    cursor: Cursor,
    reader: Schedule,
}

impl Filtered {
    fn new(rows: usize, reader: Schedule) -> Self {
        let mut world = World::new();
        let order = world.spawn_batch((0..rows as u32).map(Value)).collect();
        world.init_resource::<Sum>();
        Self { world, order, cursor: Cursor(0), reader }
    }
}

impl Workload for Filtered {
    fn before(&mut self) {
        if self.order.is_empty() {
            let mut values = self.world.query::<&mut Value>();
            values.iter_mut(&mut self.world).for_each(|mut value| value.0 = value.0.wrapping_add(1));
            return;
        }
        for &id in self.cursor.next(&self.order, MILLION / 100) {
            let mut value = self.world.get_mut::<Value>(id).unwrap();
            value.0 = value.0.wrapping_add(1);
        }
    }

    fn run(&mut self) {
        self.reader.run(&mut self.world);
    }

    fn outcome(&mut self) -> Outcome {
        [self.world.resource::<Sum>().0, 0, 0]
    }
}

fn few(reader: Schedule) -> Sample {
    let mut filtered = Filtered::new(MILLION, reader);
    shuffle(&mut filtered.order);
    apart(checked(filtered, Filter::<Scan>::few()))
}

fn all(reader: Schedule) -> Sample {
    let mut filtered = Filtered::new(THOUSANDS, reader);
    filtered.order = Vec::new();
    apart(checked(filtered, Filter::<Scan>::all()))
}

// Ticks with writes by id

fn sum_positions(changed: Query<&Position, Changed<Position>>, mut tally: ResMut<Tally>) {
    tally.0.position += changed.iter().map(|position| f64::from(position.0.x)).sum::<f64>();
}

fn sum_healths(changed: Query<&Health, Changed<Health>>, mut tally: ResMut<Tally>) {
    tally.0.health += changed.iter().map(|health| i64::from(health.0)).sum::<i64>();
}

fn sum_manas(changed: Query<&Mana, Changed<Mana>>, mut tally: ResMut<Tally>) {
    tally.0.mana += changed.iter().map(|mana| i64::from(mana.0)).sum::<i64>();
}

fn write_all_three(
    mut targets: ResMut<Targets>,
    mut positions: Query<&mut Position>,
    mut healths: Query<&mut Health>,
    mut manas: Query<&mut Mana>,
) {
    let Targets { ids, cursors: [first, second, third] } = &mut *targets;
    for &id in first.next(ids, WRITES) {
        positions.get_mut(id).unwrap().0.x += 1.0;
    }
    for &id in second.next(ids, WRITES) {
        healths.get_mut(id).unwrap().0 -= 1;
    }
    for &id in third.next(ids, WRITES) {
        manas.get_mut(id).unwrap().0 += 1;
    }
}

fn write_healths(mut targets: ResMut<Targets>, mut healths: Query<&mut Health>) {
    let Targets { ids, cursors: [cursor, ..] } = &mut *targets;
    for &id in cursor.next(ids, WRITES) {
        healths.get_mut(id).unwrap().0 -= 1;
    }
}

/// A tick that consists of systems.
struct Systems {
    world: World,
    schedule: Schedule,
}

impl Workload for Systems {
    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn outcome(&mut self) -> Outcome {
        self.world.resource::<Tally>().0.outcome()
    }
}

/// A tick that begins with writes through the world.
struct Realistic {
    ids: Vec<Entity>,
    cursors: [Cursor; 3],
    systems: Systems,
}

impl Workload for Realistic {
    fn run(&mut self) {
        let (world, [first, second, third]) = (&mut self.systems.world, &mut self.cursors);
        for &id in first.next(&self.ids, WRITES) {
            world.get_mut::<Position>(id).unwrap().0.x += 1.0;
        }
        for &id in second.next(&self.ids, WRITES) {
            world.get_mut::<Health>(id).unwrap().0 -= 1;
        }
        for &id in third.next(&self.ids, WRITES) {
            world.get_mut::<Mana>(id).unwrap().0 += 1;
        }
        self.systems.run();
    }

    fn outcome(&mut self) -> Outcome {
        self.systems.outcome()
    }
}

/// As [`Realistic`], with one component.
struct Sparse {
    ids: Vec<Entity>,
    cursor: Cursor,
    systems: Systems,
}

impl Workload for Sparse {
    fn run(&mut self) {
        for &id in self.cursor.next(&self.ids, WRITES) {
            self.systems.world.get_mut::<Health>(id).unwrap().0 -= 1;
        }
        self.systems.run();
    }

    fn outcome(&mut self) -> Outcome {
        self.systems.outcome()
    }
}

fn heroes(rows: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let hero =
        |number: usize| (Position(Vec3::splat(number as f32)), Velocity(Vec3::splat(1.0)), Health(1_000_000), Mana(0));
    let ids = world.spawn_batch((0..rows).map(hero)).collect();
    world.init_resource::<Tally>();
    (world, ids)
}

fn by_world(rows: usize) -> Sample {
    let (world, ids) = heroes(rows);
    let systems = Systems { world, schedule: schedule((sum_positions, sum_healths, sum_manas).chain()) };
    let realistic = Realistic { ids, cursors: by_hand::Realistic::CURSORS, systems };
    in_a_row(checked(realistic, by_hand::Realistic::new(rows)))
}

fn by_query(rows: usize) -> Sample {
    let (mut world, ids) = heroes(rows);
    world.insert_resource(Targets { ids, cursors: by_hand::Realistic::CURSORS });
    let schedule = schedule((write_all_three, sum_positions, sum_healths, sum_manas).chain());
    in_a_row(checked(Systems { world, schedule }, by_hand::Realistic::new(rows)))
}

fn healthy() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..THOUSANDS).map(|_| Health(1000))).collect();
    world.init_resource::<Tally>();
    (world, ids)
}

fn sparse_by_world() -> Sample {
    let (world, ids) = healthy();
    let systems = Systems { world, schedule: schedule(sum_healths) };
    in_a_row(checked(Sparse { ids, cursor: Cursor(0), systems }, by_hand::Sparse::new()))
}

fn sparse_by_query() -> Sample {
    let (mut world, ids) = healthy();
    world.insert_resource(Targets { ids, cursors: [Cursor(0); 3] });
    let schedule = schedule((write_healths, sum_healths).chain());
    in_a_row(checked(Systems { world, schedule }, by_hand::Sparse::new()))
}

// Ticks that write all

fn damage(mut healths: Query<&mut Health>) {
    healths.iter_mut().for_each(|mut health| health.0 -= 1);
}

fn all_dirty() -> Sample {
    let (world, _) = healthy();
    let schedule = schedule((damage, sum_healths).chain());
    in_a_row(checked(Systems { world, schedule }, by_hand::AllDirty::new()))
}

// Removals

/// How many have died, and what the others may live.
#[derive(Resource, Default)]
struct Census {
    dead: u64,
    lifetime: i64,
}

fn advance(mut rows: Query<(&mut Position, &Velocity)>) {
    rows.iter_mut().for_each(|(mut position, velocity)| position.0.add(velocity.0));
}

fn bury(rows: Query<(Entity, &Health)>, mut commands: Commands) {
    rows.iter().for_each(|(id, health)| {
        if health.0 <= 0 {
            commands.entity(id).despawn();
        }
    });
}

fn count(mut removed: RemovedComponents<Health>, lifetimes: Query<&Lifetime>, mut census: ResMut<Census>) {
    census.dead += removed.read().count() as u64;
    census.lifetime += lifetimes.iter().map(|lifetime| i64::from(lifetime.0)).sum::<i64>();
}

fn particle(health: i32) -> (Position, Velocity, Lifetime, Health) {
    (Position(Vec3::splat(0.0)), Velocity(Vec3::splat(1.0)), Lifetime(1000), Health(health))
}

fn replace(rows: Query<&Health>, mut commands: Commands) {
    let missing = THOUSANDS - rows.iter().len();
    commands.spawn_batch((0..missing).map(|_| particle(100)));
}

struct Particles {
    world: World,
    schedule: Schedule,
}

impl Workload for Particles {
    fn run(&mut self) {
        self.schedule.run(&mut self.world);
        self.world.clear_trackers();
    }

    fn outcome(&mut self) -> Outcome {
        let mut positions = self.world.query::<&Position>();
        let travelled = positions.iter(&self.world).map(|position| position.0.x as u64).sum();
        let census = self.world.resource::<Census>();
        [census.dead, census.lifetime as u64, travelled]
    }
}

fn particles() -> Sample {
    let mut world = World::new();
    world.spawn_batch((0..THOUSANDS).map(|number| particle(by_hand::Particles::health(number))));
    world.init_resource::<Census>();
    let systems: ScheduleConfigs<ScheduleSystem> = (advance, damage, bury, count, replace).chain();
    in_a_row(checked(Particles { world, schedule: schedule(systems) }, by_hand::Particles::new()))
}

fn count_dead(mut removed: RemovedComponents<Health>, mut census: ResMut<Census>) {
    census.dead += removed.read().count() as u64;
}

struct Despawns {
    world: World,
    ids: Vec<Entity>,
    reader: Schedule,
}

impl Workload for Despawns {
    fn before(&mut self) {
        self.ids.clear();
        let bundles = (0..THOUSANDS).map(|_| (Position(Vec3::splat(0.0)), Health(1000)));
        self.ids.extend(self.world.spawn_batch(bundles));
    }

    fn run(&mut self) {
        for &id in &self.ids {
            self.world.despawn(id);
        }
        self.reader.run(&mut self.world);
        self.world.clear_trackers();
    }

    fn outcome(&mut self) -> Outcome {
        let left = self.world.query::<&Health>().iter(&self.world).len() as u64;
        [self.world.resource::<Census>().dead, left, 0]
    }
}

fn despawns() -> Sample {
    let mut world = World::new();
    world.init_resource::<Census>();
    apart(checked(Despawns { world, ids: Vec::new(), reader: schedule(count_dead) }, by_hand::Despawns::new()))
}
