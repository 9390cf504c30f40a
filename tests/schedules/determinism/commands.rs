//! Systems that change the shape of the world.

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleConfigs;

use super::parts::{A, B, C, D, E, Extra, F, Kept, Link, S, T, mix};
use super::probe::Probe;

/// A world does not grow beyond this, so that a case stays small.
const MOST: usize = 250;

pub(crate) fn system(which: u8, probe: Probe) -> ScheduleConfigs {
    match which % 8 {
        0 => spawn(probe),
        1 => spawn_named(probe),
        2 => change(probe),
        3 => change_after_looking(probe),
        4 => change_many(probe),
        5 => nest(probe),
        6 => resources(probe),
        _ => exclusive(probe),
    }
}

/// Spawns without asking for ids.
fn spawn(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, Entity>, of_a: Query<'_, '_, &A>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        let mut number = digest.see(all.count() as u64);
        of_a.iter().for_each(|a| number = digest.see(a.0));
        if all.count() < MOST {
            for nth in 0..number % 7 {
                match (number >> nth) % 4 {
                    0 => _ = commands.spawn((A(number), B(nth))),
                    1 => _ = commands.spawn((A(nth), T)),
                    2 => _ = commands.spawn((C(number), E(nth), Kept(nth))),
                    _ => _ = commands.spawn_empty(),
                }
            }
        }
    };
    system.into_configs()
}

/// Spawns and stores the ids, in other new entities and in old ones.
fn spawn_named(probe: Probe) -> ScheduleConfigs {
    let system = move |mut links: Query<'_, '_, (Entity, &mut Link)>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        let mut last = None;
        let mut number = digest.see(0);
        for (entity, mut link) in &mut links {
            digest.entity(entity);
            number = digest.entity(link.0);
            if number.is_multiple_of(4) {
                let new = commands.spawn((B(number), S)).id();
                link.0 = new;
                digest.entity(new);
                last = Some(new);
            }
        }
        if links.count() < MOST {
            for nth in 0..number % 40 {
                probe.dawdle_seldom(nth);
                let mut new = commands.spawn(D(nth));
                if let Some(last) = last {
                    new.insert(Link(last));
                }
                last = Some(new.id());
                digest.entity(new.id());
            }
        }
    };
    system.into_configs()
}

/// Inserts, removes and despawns by what it reads.
fn change(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, (Entity, &A, Has<T>)>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        for (entity, a, has) in &all {
            digest.entity(entity);
            let number = digest.see(mix(a.0, u64::from(has)));
            let mut entity = commands.entity(entity);
            match number % 16 {
                0 => _ = entity.insert((T, C(number))),
                1 => _ = entity.remove::<T>(),
                2 => _ = entity.insert(E(number)).insert(S).remove::<B>(),
                3 => _ = entity.remove::<(A, S, Kept)>(),
                4 => entity.despawn(),
                5 => _ = entity.insert_if_new(D(number)).insert(F(number)),
                6 => _ = entity.insert((A(number), Kept(number))),
                _ => {}
            }
        }
    };
    system.into_configs()
}

/// Changes what has changed, and asks in which state ids are.
fn change_after_looking(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, (Entity, &Link), Changed<Link>>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        for (entity, link) in &all {
            digest.entity(entity);
            let number = digest.entity(link.0);
            match commands.get_entity(link.0) {
                Ok(mut other) if number.is_multiple_of(3) => other.despawn(),
                Ok(mut other) => _ = other.insert((A(number), T)),
                Err(_) => _ = commands.entity(entity).insert(B(number)).try_remove::<Link>(),
            }
        }
    };
    system.into_configs()
}

/// Changes all that match, and lists.
fn change_many(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, Entity, With<B>>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        let mut some = Vec::new();
        for entity in &all {
            if digest.entity(entity).is_multiple_of(5) {
                some.push(entity);
            }
        }
        let number = digest.now();
        match number % 5 {
            0 => commands.all::<With<C>>().insert(T),
            1 => commands.many(some).remove::<B>(),
            2 => commands.all::<(With<E>, Without<S>)>().insert_with(move |entity| A(mix(number, entity.to_bits()))),
            3 => commands.all::<(With<F>, With<T>)>().despawn(),
            _ => commands.spawn_batch((0..number % 5).map(|nth| (A(nth), D(nth)))),
        }
    };
    system.into_configs()
}

/// Commands that record and make more commands.
fn nest(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, &B>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        let number = all.iter().fold(digest.now(), |_, b| digest.see(b.0));
        let new = (number.is_multiple_of(2)).then(|| commands.spawn_empty().id());
        commands.queue(move |world: &mut World| {
            let len = world.len() as u64;
            let mut commands = world.commands();
            if let Some(new) = new {
                commands.entity(new).insert((B(len), Link(new)));
                commands.queue(move |world: &mut World| {
                    let reserved = world.reserve_entity();
                    if let Ok(mut new) = world.get_entity_mut(new) {
                        new.insert((Link(reserved), Kept(len)));
                    }
                });
            }
        });
    };
    system.into_configs()
}

/// Has a resource come and go.
fn resources(probe: Probe) -> ScheduleConfigs {
    let system = move |extra: Option<Res<'_, Extra>>, mut runs: Local<'_, u64>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        *runs += 1;
        match extra {
            Some(extra) => {
                digest.ticks(&extra);
                let number = digest.see(extra.0);
                if mix(number, *runs).is_multiple_of(3) {
                    commands.remove_resource::<Extra>();
                }
            }
            None => commands.insert_resource(Extra(digest.see(*runs))),
        }
    };
    system.into_configs()
}

/// Has the world for itself.
fn exclusive(probe: Probe) -> ScheduleConfigs {
    let system = move |world: &mut World| {
        let mut digest = probe.begin();
        let all: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
        for entity in all {
            match digest.entity(entity) % 12 {
                // It has ended with another one.
                _ if !world.contains(entity) => {}
                0 => _ = world.despawn(entity),
                1 => _ = world.entity_mut(entity).insert((T, E(digest.now()))),
                2 => _ = world.entity_mut(entity).remove::<(B, Kept)>(),
                3 if world.len() < MOST => _ = world.spawn((A(digest.now()), Link(entity))),
                4 => {
                    if let Some(mut a) = world.get_mut::<A>(entity) {
                        a.0 = digest.see(a.0);
                    }
                }
                _ => {}
            }
        }
        // They are entities from the next stage on.
        digest.entity(world.reserve_entity());
    };
    system.into_configs()
}
