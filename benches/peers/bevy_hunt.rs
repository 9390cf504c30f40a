//! The hunt of `bevy_ecs`, with a reverse index by hand: which predators are after a prey is in a map that the systems keep up to date. Which
//! prey a predator is after is a value in its component, so that to pick one moves no entity.

use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;

use crate::support::links::hunt::{FIRST_TICKS, PREDATORS, PREY, Random, Tally, check, is_near, moved, towards};
use crate::support::{Sample, repeated};

#[derive(Component, Clone, Copy)]
struct Place([f32; 2]);
#[derive(Component, Clone, Copy)]
struct Velocity([f32; 2]);
#[derive(Component)]
struct Hunting(Option<(Entity, u32)>);
#[derive(Component)]
struct Prey {
    hunters: u32,
}
#[derive(Resource)]
struct State {
    random: Random,
    now: u32,
    tally: Tally,
}
#[derive(Resource, Default)]
struct Hunters(EntityHashMap<Vec<Entity>>);
#[derive(Resource, Default)]
struct Ended(Vec<(Entity, u32)>);

fn travel(mut all: Query<'_, '_, (&mut Place, &Velocity)>) {
    all.iter_mut().for_each(|(mut at, velocity)| at.0 = moved(at.0, velocity.0));
}

fn pick(
    mut predators: Query<'_, '_, (Entity, &mut Hunting)>,
    prey: Query<'_, '_, Entity, With<Prey>>,
    mut state: ResMut<'_, State>,
    mut hunters: ResMut<'_, Hunters>,
    mut herd: Local<'_, Vec<Entity>>,
) {
    herd.clear();
    predators.iter_mut().for_each(|(predator, mut hunting)| {
        if hunting.0.is_none() {
            if herd.is_empty() {
                herd.extend(&prey);
            }
            let target = herd[state.random.below(PREY)];
            hunting.0 = Some((target, state.now));
            hunters.0.entry(target).or_default().push(predator);
        }
    });
}

fn pursue(mut predators: Query<'_, '_, (&mut Velocity, &Place, &Hunting)>, prey: Query<'_, '_, &Place, With<Prey>>) {
    predators.iter_mut().for_each(|(mut velocity, at, hunting)| {
        if let Some((target, _)) = hunting.0
            && let Ok(goal) = prey.get(target)
        {
            velocity.0 = towards(at.0, goal.0);
        }
    });
}

fn fear(mut prey: Query<'_, '_, (Entity, &mut Prey)>, hunters: Res<'_, Hunters>) {
    prey.iter_mut().for_each(|(entity, mut prey)| {
        prey.hunters = hunters.0.get(&entity).map_or(0, |hunters| hunters.len() as u32);
    });
}

fn catch(
    predators: Query<'_, '_, (&Place, &Hunting)>,
    prey: Query<'_, '_, &Place, With<Prey>>,
    mut commands: Commands<'_, '_>,
) {
    predators.iter().for_each(|(at, hunting)| {
        if let Some((target, _)) = hunting.0
            && let Ok(goal) = prey.get(target)
            && is_near(at.0, goal.0)
        {
            commands.entity(target).try_despawn();
        }
    });
}

fn forget(
    mut removed: RemovedComponents<'_, '_, Prey>,
    mut predators: Query<'_, '_, &mut Hunting>,
    mut hunters: ResMut<'_, Hunters>,
    mut ended: ResMut<'_, Ended>,
) {
    for prey in removed.read() {
        for predator in hunters.0.remove(&prey).into_iter().flatten() {
            if let Ok(mut hunting) = predators.get_mut(predator)
                && let Some((_, since)) = hunting.0.take()
            {
                ended.0.push((predator, since));
            }
        }
    }
}

fn breed(prey: Query<'_, '_, (), With<Prey>>, mut state: ResMut<'_, State>, mut commands: Commands<'_, '_>) {
    for _ in prey.iter().len()..PREY {
        state.tally.caught += 1;
        commands.spawn((Prey { hunters: 0 }, Place(state.random.field()), Velocity([0.0; 2])));
    }
}

fn conclude(mut ended: ResMut<'_, Ended>, mut state: ResMut<'_, State>) {
    let now = state.now;
    state.tally.ended += ended.0.drain(..).filter(|&(_, since)| since <= now).count() as u64;
    state.now += 1;
}

pub(crate) fn sample() -> Sample {
    let mut world = World::new();
    let mut random = Random::new();
    let predators: Vec<_> = (0..PREDATORS).map(|_| (Hunting(None), Place(random.den()), Velocity([0.0; 2]))).collect();
    world.spawn_batch(predators);
    let prey: Vec<_> = (0..PREY).map(|_| (Prey { hunters: 0 }, Place(random.field()), Velocity([0.0; 2]))).collect();
    world.spawn_batch(prey);
    world.init_resource::<Hunters>();
    world.init_resource::<Ended>();
    world.insert_resource(State { random, now: 1, tally: Tally::default() });
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems((travel, pick, pursue, fear, catch, forget, breed, conclude).chain());
    (0..=FIRST_TICKS).for_each(|_| schedule.run(&mut world));
    check(world.resource::<State>().tally);
    repeated(move || schedule.run(&mut world))
}
