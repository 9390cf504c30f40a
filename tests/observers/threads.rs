//! Events that parallel systems trigger.

use std::sync::Arc;

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;
use strata_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};

use super::{Log, noted, world};

#[derive(Component)]
struct Wound(usize);
#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
    by: usize,
}
#[derive(Event)]
struct Round(usize);

/// Spawns entities, hits them, and despawns some of them, by commands, so that observers get all of these events.
fn fight(by: usize) -> impl FnMut(Local<Vec<Entity>>, Commands) + Send + Sync + 'static {
    move |mut spawned: Local<Vec<Entity>>, mut commands: Commands| {
        let round = spawned.len();
        let entity = commands.spawn(Wound(by)).id();
        commands.trigger(Round(by));
        for &other in spawned.iter().rev().step_by(by + 1).take(3) {
            commands.trigger(Hit { entity: other, by });
        }
        if round % 3 == by % 3 {
            commands.entity(spawned.first().copied().unwrap_or(entity)).try_despawn();
        }
        spawned.push(entity);
    }
}

/// All that observers have noted in some rounds.
fn told(threads: usize) -> Vec<String> {
    let mut world = world();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
    world.add_observer(|add: On<Add<Wound>>, wounds: Query<&Wound>, mut log: ResMut<Log>| {
        let by = wounds.get(add.entity).map(|wound| wound.0);
        log.note(format!("{} has {by:?}", add.entity));
    });
    world.add_observer(|round: On<Round>, mut log: ResMut<Log>| log.note(format!("round of {}", round.0)));
    world.add_observer(|hit: On<Hit>, mut log: ResMut<Log>, mut commands: Commands| {
        let next = commands.spawn(Wound(hit.by + 100)).id();
        log.note(format!("{} is hit by {}, and {next} comes", hit.entity, hit.by));
    });
    world.add_observer(|gone: On<Despawn<Wound>>, mut log: ResMut<Log>, mut commands: Commands| {
        log.note(format!("{} goes", gone.entity));
        commands.trigger(Round(1_000));
    });
    let mut schedule = Schedule::default();
    if threads == 1 {
        schedule.set_executor(SingleThreadedExecutor::new());
    } else {
        schedule.set_executor(MultiThreadedExecutor::eager());
    }
    for by in 0..8 {
        schedule.add_systems(fight(by));
    }
    (0..20).for_each(|_| schedule.run(&mut world));
    noted(&mut world)
}

#[test]
fn observers_are_told_the_same_in_the_same_order_whatever_the_number_of_threads() {
    let alone = told(1);
    assert!(alone.len() > 1_000 && alone.iter().any(|line| line.ends_with("goes")));
    for threads in [2, 4, 4, 8] {
        assert_eq!(told(threads), alone);
    }
}
