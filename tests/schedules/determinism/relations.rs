//! Systems that link entities, and go along links.

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleConfigs;

use super::parts::{A, B, Likes, Owns, T, mix};
use super::probe::Probe;

/// A world with more entities is not given copies.
const MOST: usize = 250;

pub(crate) fn system(which: u8, probe: Probe) -> ScheduleConfigs {
    match which % 10 {
        0 => relate(probe),
        1 => link(probe),
        2 => write_pairs::<()>(probe),
        3 => write_pairs::<Changed<Pairs<Likes>>>(probe),
        4 => read_pairs::<Added<PairsTo<Likes>>>(probe),
        5 => read_pairs::<Without<T>>(probe),
        6 => read_children(probe),
        7 => copy(probe),
        8 => grow.into_configs(),
        _ => place.into_configs(),
    }
}

/// Makes and removes pairs.
fn relate(probe: Probe) -> ScheduleConfigs {
    let system =
        move |all: Query<'_, '_, (Entity, &A)>, others: Query<'_, '_, Entity>, mut commands: Commands<'_, '_>| {
            let mut digest = probe.begin();
            let others: Vec<Entity> = others.iter().collect();
            for (entity, a) in &all {
                digest.entity(entity);
                let number = digest.see(a.0);
                let other = others[number as usize % others.len()];
                match number >> 8 & 15 {
                    0..4 => commands.relate(entity, Likes(number), other),
                    4 => commands.relate(entity, Owns(number), other),
                    5 => commands.unrelate::<Likes>(entity, other),
                    _ => {}
                }
            }
        };
    system.into_configs()
}

/// Gives entities parents, and takes them away.
fn link(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, (Entity, Has<ChildOf>)>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        let others: Vec<Entity> = all.iter().map(|(entity, _)| entity).collect();
        for (entity, is_child) in &all {
            digest.see(u64::from(is_child));
            let number = digest.entity(entity);
            let other = others[number as usize % others.len()];
            match number >> 8 & 15 {
                0..4 => _ = commands.entity(entity).insert(ChildOf(other)),
                4 if is_child => _ = commands.entity(entity).remove::<ChildOf>(),
                5 => _ = commands.entity(entity).with_child(A(number)),
                _ => {}
            }
        }
    };
    system.into_configs()
}

/// Writes values of pairs.
fn write_pairs<Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |mut all: Query<'_, '_, (Entity, Pairs<&mut Likes>), Filter>| {
        let mut digest = probe.begin();
        for (entity, pairs) in &mut all {
            digest.entity(entity);
            for (target, mut likes) in pairs {
                digest.entity(target);
                digest.ticks(&likes);
                let number = digest.see(likes.0);
                if number.is_multiple_of(3) {
                    likes.0 = number;
                }
            }
        }
    };
    system.into_configs()
}

/// Looks at pairs from the side of their targets.
fn read_pairs<Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, (Entity, PairsTo<Ref<'_, Likes>>), Filter>| {
        let mut digest = probe.begin();
        for (entity, pairs) in &all {
            digest.entity(entity);
            for (source, likes) in pairs {
                digest.entity(source);
                digest.ticks(&likes);
                digest.see(likes.0);
            }
        }
    };
    system.into_configs()
}

/// Looks at children.
fn read_children(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, (Entity, &Children)>| {
        let mut digest = probe.begin();
        for (entity, children) in &all {
            digest.entity(entity);
            children.iter().for_each(|child| _ = digest.entity(child));
        }
    };
    system.into_configs()
}

/// Copies an entity with all below it.
fn copy(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, Entity>,
                       with: Query<'_, '_, Entity, With<Children>>,
                       mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        let number = digest.see(all.count() as u64);
        let sources: Vec<Entity> = with.iter().collect();
        if let Some(source) = sources.get(number as usize % (sources.len() + 1)).filter(|_| all.count() < MOST) {
            let mut source = commands.entity(*source);
            let copy = source.clone_and_spawn_with_opt_out(|builder| _ = builder.linked_cloning(true)).id();
            digest.entity(copy);
        }
    };
    system.into_configs()
}

#[system(pairs = Likes, par)]
fn grow(a: &mut A, likes: &mut Likes, #[target] target: &B) {
    likes.0 = mix(likes.0, target.0);
    a.0 = mix(a.0, likes.0);
}

#[system(down = ChildOf, par)]
fn place(a: &A, b: &mut B, #[parent] parent: Option<&B>) {
    b.0 = mix(a.0, parent.map_or(7, |parent| parent.0));
}
