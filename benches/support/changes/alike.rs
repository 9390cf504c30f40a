//! The workloads whose source is shared by this library and `bevy_ecs`, compiled for both.
//!
//! The parent module provides the library's names in `ecs`, a `schedule` that runs systems one after the other, and `len`, the number of
//! rows of a query.

use super::ecs::*;
use super::{len, schedule};
use crate::support::Sample;
use crate::support::changes::by_hand::{self, Filter, Scan};
use crate::support::changes::{self, Cursor, MILLION, Outcome, THOUSANDS, WRITES, Workload, apart, checked, in_a_row};
use crate::support::data::{Vec3, shuffle};

#[derive(Clone, Copy, Component)]
pub(super) struct Position(pub(super) Vec3);

#[derive(Clone, Copy, Component)]
pub(super) struct Velocity(pub(super) Vec3);

#[derive(Clone, Copy, Component)]
pub(super) struct Lifetime(pub(super) i32);

#[derive(Clone, Copy, Component)]
pub(super) struct Health(pub(super) i32);

#[derive(Clone, Copy, Component)]
struct Mana(i32);

#[derive(Clone, Copy, Component)]
pub(super) struct Value(pub(super) u32);

#[derive(Resource, Default)]
pub(super) struct Tally(pub(super) changes::Tally);

/// A reader's last sum.
#[derive(Resource, Default)]
pub(super) struct Sum(pub(super) u64);

/// The entities that systems write by id.
#[derive(Resource)]
struct Targets {
    ids: Vec<Entity>,
    cursors: [Cursor; 3],
}

// The filter alone

pub(super) fn sum_values(changed: Query<'_, '_, &Value, Changed<Value>>, mut sum: ResMut<'_, Sum>) {
    sum.0 = u64::from(changed.iter().fold(0_u32, |sum, value| sum.wrapping_add(value.0)));
}

/// Values that are written (not timed), and a reader that sums the changed ones.
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

pub(super) fn few(reader: Schedule) -> Sample {
    let mut filtered = Filtered::new(MILLION, reader);
    shuffle(&mut filtered.order);
    apart(checked(filtered, Filter::<Scan>::few()))
}

pub(super) fn all(reader: Schedule) -> Sample {
    let mut filtered = Filtered::new(THOUSANDS, reader);
    filtered.order = Vec::new();
    apart(checked(filtered, Filter::<Scan>::all()))
}

// Ticks with writes by id

fn sum_positions(changed: Query<'_, '_, &Position, Changed<Position>>, mut tally: ResMut<'_, Tally>) {
    tally.0.position += changed.iter().map(|position| f64::from(position.0.x)).sum::<f64>();
}

fn sum_healths(changed: Query<'_, '_, &Health, Changed<Health>>, mut tally: ResMut<'_, Tally>) {
    tally.0.health += changed.iter().map(|health| i64::from(health.0)).sum::<i64>();
}

fn sum_manas(changed: Query<'_, '_, &Mana, Changed<Mana>>, mut tally: ResMut<'_, Tally>) {
    tally.0.mana += changed.iter().map(|mana| i64::from(mana.0)).sum::<i64>();
}

fn write_all_three(
    mut targets: ResMut<'_, Targets>,
    mut positions: Query<'_, '_, &mut Position>,
    mut healths: Query<'_, '_, &mut Health>,
    mut manas: Query<'_, '_, &mut Mana>,
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

fn write_healths(mut targets: ResMut<'_, Targets>, mut healths: Query<'_, '_, &mut Health>) {
    let Targets { ids, cursors: [cursor, ..] } = &mut *targets;
    for &id in cursor.next(ids, WRITES) {
        healths.get_mut(id).unwrap().0 -= 1;
    }
}

/// A tick that consists of systems only.
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

pub(super) fn by_world(rows: usize) -> Sample {
    let (world, ids) = heroes(rows);
    let systems = Systems { world, schedule: schedule((sum_positions, sum_healths, sum_manas)) };
    let realistic = Realistic { ids, cursors: by_hand::Realistic::CURSORS, systems };
    in_a_row(checked(realistic, by_hand::Realistic::new(rows)))
}

pub(super) fn by_query(rows: usize) -> Sample {
    let (mut world, ids) = heroes(rows);
    world.insert_resource(Targets { ids, cursors: by_hand::Realistic::CURSORS });
    let schedule = schedule((write_all_three, sum_positions, sum_healths, sum_manas));
    in_a_row(checked(Systems { world, schedule }, by_hand::Realistic::new(rows)))
}

fn healthy() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..THOUSANDS).map(|_| Health(1000))).collect();
    world.init_resource::<Tally>();
    (world, ids)
}

pub(super) fn sparse_by_world() -> Sample {
    let (world, ids) = healthy();
    let systems = Systems { world, schedule: schedule(sum_healths) };
    in_a_row(checked(Sparse { ids, cursor: Cursor(0), systems }, by_hand::Sparse::new()))
}

pub(super) fn sparse_by_query() -> Sample {
    let (mut world, ids) = healthy();
    world.insert_resource(Targets { ids, cursors: [Cursor(0); 3] });
    in_a_row(checked(Systems { world, schedule: schedule((write_healths, sum_healths)) }, by_hand::Sparse::new()))
}

// Ticks that write all

pub(super) fn all_dirty<Marker>(writer: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Sample {
    dirty(writer, sum_healths)
}

/// As [`all_dirty`], with another reader.
pub(super) fn dirty<A, B>(
    writer: impl IntoScheduleConfigs<ScheduleSystem, A>,
    reader: impl IntoScheduleConfigs<ScheduleSystem, B>,
) -> Sample {
    let (world, _) = healthy();
    in_a_row(checked(Systems { world, schedule: schedule((writer, reader)) }, by_hand::AllDirty::new()))
}

// Removals

/// The number of dead, and the remaining lifetime of the others.
#[derive(Resource, Default)]
struct Census {
    dead: u64,
    lifetime: i64,
}

fn bury(rows: Query<'_, '_, (Entity, &Health)>, mut commands: Commands<'_, '_>) {
    rows.iter().for_each(|(id, health)| {
        if health.0 <= 0 {
            commands.entity(id).despawn();
        }
    });
}

fn count(
    mut removed: RemovedComponents<'_, '_, Health>,
    lifetimes: Query<'_, '_, &Lifetime>,
    mut census: ResMut<'_, Census>,
) {
    census.dead += removed.read().count() as u64;
    census.lifetime += lifetimes.iter().map(|lifetime| i64::from(lifetime.0)).sum::<i64>();
}

fn particle(health: i32) -> (Position, Velocity, Lifetime, Health) {
    (Position(Vec3::splat(0.0)), Velocity(Vec3::splat(1.0)), Lifetime(1000), Health(health))
}

fn replace(rows: Query<'_, '_, &Health>, mut commands: Commands<'_, '_>) {
    let missing = THOUSANDS - len(&rows);
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

/// For systems that move the particles, and that harm them.
pub(super) fn particles<A, B>(
    advance: impl IntoScheduleConfigs<ScheduleSystem, A>,
    damage: impl IntoScheduleConfigs<ScheduleSystem, B>,
) -> Sample {
    let mut world = World::new();
    world.spawn_batch((0..THOUSANDS).map(|number| particle(by_hand::Particles::health(number))));
    world.init_resource::<Census>();
    let schedule = schedule((advance, damage, bury, count, replace));
    in_a_row(checked(Particles { world, schedule }, by_hand::Particles::new()))
}

fn count_dead(mut removed: RemovedComponents<'_, '_, Health>, mut census: ResMut<'_, Census>) {
    census.dead += removed.read().count() as u64;
}

struct Despawns {
    world: World,
    ids: Vec<Entity>,
    reader: Schedule,
}

impl Despawns {
    fn new() -> Self {
        let mut world = World::new();
        world.init_resource::<Census>();
        // The reader is created before the first death, so it sees all deaths.
        let mut reader = schedule(count_dead);
        reader.run(&mut world);
        Self { world, ids: Vec::new(), reader }
    }
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
        let mut healths = self.world.query::<&Health>();
        let left = healths.iter(&self.world).count() as u64;
        [self.world.resource::<Census>().dead, left, 0]
    }
}

pub(super) fn despawns() -> Sample {
    apart(checked(Despawns::new(), by_hand::Despawns::new()))
}
