//! The hunt of this library: hunts are pairs of a relation.

use strata_ecs::event::RemovedRelations;
use strata_ecs::prelude::*;
use strata_ecs::relation::PairSource;

use super::hunt::{FIRST_TICKS, PREDATORS, PREY, Random, Tally, check, is_near, moved, towards};
use crate::support::{Sample, repeated};

#[derive(Component, Clone, Copy)]
struct Place([f32; 2]);
#[derive(Component, Clone, Copy)]
struct Velocity([f32; 2]);
#[derive(Component)]
struct Predator;
#[derive(Component)]
struct Prey {
    hunters: u32,
}
#[derive(Relation)]
#[relation(exclusive)]
struct Hunting {
    since: u32,
}
#[derive(Resource)]
struct State {
    random: Random,
    now: u32,
    tally: Tally,
}

#[system]
fn travel(at: &mut Place, velocity: &Velocity) {
    at.0 = moved(at.0, velocity.0);
}

fn pick(
    idle: Query<'_, '_, Entity, (With<Predator>, Without<PairSource<Hunting>>)>,
    prey: Query<'_, '_, Entity, With<Prey>>,
    mut state: ResMut<'_, State>,
    mut herd: Local<'_, Vec<Entity>>,
    mut commands: Commands<'_, '_>,
) {
    herd.clear();
    for predator in &idle {
        if herd.is_empty() {
            herd.extend(&prey);
        }
        let target = herd[state.random.below(PREY)];
        commands.entity(predator).relate(Hunting { since: state.now }, target);
    }
}

#[system(pairs = Hunting)]
fn pursue(velocity: &mut Velocity, at: &Place, #[target] prey: &Place) {
    velocity.0 = towards(at.0, prey.0);
}

fn fear(mut all: Query<'_, '_, (&mut Prey, Option<PairsTo<&Hunting>>)>) {
    all.iter_mut().for_each(|(mut prey, hunts)| prey.hunters = hunts.map_or(0, |hunts| hunts.len() as u32));
}

#[system(pairs = Hunting)]
fn catch(at: &Place, #[target] prey: Entity, #[target] prey_at: &Place, mut commands: Commands<'_, '_>) {
    if is_near(at.0, prey_at.0) {
        commands.entity(prey).try_despawn();
    }
}

fn breed(prey: Query<'_, '_, (), With<Prey>>, mut state: ResMut<'_, State>, mut commands: Commands<'_, '_>) {
    for _ in prey.count()..PREY {
        state.tally.caught += 1;
        commands.spawn((Prey { hunters: 0 }, Place(state.random.field()), Velocity([0.0; 2])));
    }
}

fn conclude(mut ended: RemovedRelations<'_, '_, Hunting>, mut state: ResMut<'_, State>) {
    let now = state.now;
    state.tally.ended += ended.read().filter(|hunt| hunt.relation.since <= now).count() as u64;
    state.now += 1;
}

pub(super) fn in_world() -> Sample {
    let mut world = World::new();
    let mut random = Random::new();
    let predators: Vec<_> = (0..PREDATORS).map(|_| (Predator, Place(random.den()), Velocity([0.0; 2]))).collect();
    world.spawn_batch(predators);
    let prey: Vec<_> = (0..PREY).map(|_| (Prey { hunters: 0 }, Place(random.field()), Velocity([0.0; 2]))).collect();
    world.spawn_batch(prey);
    world.insert_resource(State { random, now: 1, tally: Tally::default() });
    let mut schedule = Schedule::default();
    schedule.add_systems((travel, pick, pursue, fear, catch, breed, conclude).chain());
    (0..=FIRST_TICKS).for_each(|_| schedule.run(&mut world));
    check(world.resource::<State>().tally);
    repeated(move || schedule.run(&mut world))
}
