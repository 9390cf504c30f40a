//! A chain over columns of four, four, eight and twelve bytes.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::by_hand::BLOCK;
use super::systems::{How, schedule};
use super::{Vec3, start, sum};
use crate::support::contest::{Outcome, Workload};

/// The number of runs since an entity was spawned.
#[derive(Clone, Copy, Component)]
struct Age(u32);

/// Follows the age.
#[derive(Clone, Copy, Component)]
struct Heat(f32);

/// Adds up the heat.
#[derive(Clone, Copy, Component)]
struct Energy(f64);

/// Follows the energy.
#[derive(Clone, Copy, Component)]
struct Place(Vec3);

impl Age {
    #[inline(always)]
    fn grow(&mut self) {
        self.0 = self.0.wrapping_add(1);
    }
}

impl Heat {
    /// Towards a number between 0 and 255.
    #[inline(always)]
    fn follow(&mut self, age: Age) {
        self.0 += ((age.0 & 255) as f32 - self.0) * 0.125;
    }
}

impl Energy {
    #[inline(always)]
    fn gather(&mut self, heat: Heat) {
        self.0 = self.0 * 0.5 + f64::from(heat.0);
    }
}

impl Place {
    #[inline(always)]
    fn lift(&mut self, energy: Energy) {
        let step = energy.0 as f32;
        self.0.advance(Vec3 { x: step, y: -step, z: 1.0 }, 1.0 / 1024.0);
        self.0.confine();
    }
}

fn first(row: usize) -> (Age, Heat, Energy, Place) {
    (Age(row as u32), Heat((row % 61) as f32), Energy((row % 53) as f64), Place(start(row)[0]))
}

#[system]
fn grow(age: &mut Age) {
    age.grow();
}

#[system]
fn follow(heat: &mut Heat, age: &Age) {
    heat.follow(*age);
}

#[system]
fn gather(energy: &mut Energy, heat: &Heat) {
    energy.gather(*heat);
}

#[system]
fn lift(place: &mut Place, energy: &Energy) {
    place.lift(*energy);
}

/// A world of one table, and the four systems.
pub(super) struct Systems {
    world: World,
    schedule: Schedule,
}

impl Systems {
    pub(super) fn new(rows: usize, how: How) -> Self {
        let mut world = World::new();
        world.spawn_batch((0..rows).map(first));
        Self { world, schedule: schedule((grow, follow, gather, lift).chain(), how) }
    }
}

impl Workload for Systems {
    fn run(&mut self) {
        let Self { world, schedule } = black_box(self);
        schedule.run(world);
    }

    fn outcome(&mut self) -> Outcome {
        let mut query = self.world.query::<(&Heat, &Energy, &Place)>();
        let mut outcome = [0; 3];
        for (heats, energies, places) in query.contiguous_iter(&self.world) {
            add(&mut outcome, heats, energies, places);
        }
        outcome
    }
}

fn add(outcome: &mut Outcome, heats: &[Heat], energies: &[Energy], places: &[Place]) {
    outcome[0] += heats.iter().map(|heat| u64::from(heat.0.to_bits())).sum::<u64>();
    outcome[1] = energies.iter().fold(outcome[1], |sum, energy| sum.wrapping_add(energy.0.to_bits()));
    outcome[2] += sum(places.iter().map(|place| &place.0));
}

/// Four vectors.
pub(super) struct ByHand {
    ages: Vec<Age>,
    heats: Vec<Heat>,
    energies: Vec<Energy>,
    places: Vec<Place>,
    /// Rows that each of the four loops visits before the next loop runs: [`BLOCK`], or all.
    block: usize,
}

impl ByHand {
    /// Four loops over all rows.
    pub(super) fn in_turn(rows: usize) -> Self {
        Self::new(rows, rows)
    }

    /// Four loops over one block, then over the next block.
    pub(super) fn by_blocks(rows: usize) -> Self {
        Self::new(rows, BLOCK)
    }

    fn new(rows: usize, block: usize) -> Self {
        Self {
            ages: (0..rows).map(|row| first(row).0).collect(),
            heats: (0..rows).map(|row| first(row).1).collect(),
            energies: (0..rows).map(|row| first(row).2).collect(),
            places: (0..rows).map(|row| first(row).3).collect(),
            block,
        }
    }
}

impl Workload for ByHand {
    fn run(&mut self) {
        let Self { ages, heats, energies, places, block } = black_box(self);
        let columns = ages.chunks_mut(*block).zip(heats.chunks_mut(*block));
        let columns = columns.zip(energies.chunks_mut(*block)).zip(places.chunks_mut(*block));
        for (((ages, heats), energies), places) in columns {
            grow_all(ages);
            follow_all(heats, ages);
            gather_all(energies, heats);
            lift_all(places, energies);
        }
    }

    fn outcome(&mut self) -> Outcome {
        let mut outcome = [0; 3];
        add(&mut outcome, &self.heats, &self.energies, &self.places);
        outcome
    }
}

#[inline(never)]
fn grow_all(ages: &mut [Age]) {
    ages.iter_mut().for_each(Age::grow);
}

#[inline(never)]
fn follow_all(heats: &mut [Heat], ages: &[Age]) {
    heats.iter_mut().zip(ages).for_each(|(heat, age)| heat.follow(*age));
}

#[inline(never)]
fn gather_all(energies: &mut [Energy], heats: &[Heat]) {
    energies.iter_mut().zip(heats).for_each(|(energy, heat)| energy.gather(*heat));
}

#[inline(never)]
fn lift_all(places: &mut [Place], energies: &[Energy]) {
    places.iter_mut().zip(energies).for_each(|(place, energy)| place.lift(*energy));
}
