//! Systems with resources, messages, removals, errors, and those that are made of others or written with `#[system]`.

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleConfigs;

use super::parts::{A, B, C, Cry, D, E, Extra, F, Kept, Link, Note, One, S, T, Two, mix};
use super::probe::Probe;

pub(crate) fn system(which: u8, detail: u8, probe: Probe) -> ScheduleConfigs {
    match which % 14 {
        0 => share(probe),
        1 => write_notes(probe),
        2 => read_notes(probe),
        3 => mutate_notes(probe),
        4 => row_system(detail),
        5 | 6 => look_at_everything(probe),
        7 => fail(probe),
        8 => need_extra(probe),
        9 => removed(probe),
        10 => removed_values(probe),
        11 => pipe(probe),
        12 => follow_links(probe),
        _ => either(probe),
    }
}

/// From one resource to another.
fn share(probe: Probe) -> ScheduleConfigs {
    if probe.seed.is_multiple_of(2) {
        let system = move |one: Res<'_, One>, mut two: ResMut<'_, Two>| {
            let mut digest = probe.begin();
            digest.ticks(&one);
            digest.ticks(&two);
            let number = digest.see(mix(one.0, two.0));
            if number.is_multiple_of(2) {
                two.0 = number;
            }
        };
        return system.into_configs();
    }
    let system = move |mut one: ResMut<'_, One>, two: Res<'_, Two>, of_b: Query<'_, '_, &B>| {
        let mut digest = probe.begin();
        digest.ticks(&two);
        let number = digest.see(mix(one.0, two.0));
        if number.is_multiple_of(2) {
            one.0 = of_b.iter().fold(number, |number, b| mix(number, b.0));
        }
    };
    system.into_configs()
}

fn write_notes(probe: Probe) -> ScheduleConfigs {
    type Writers<'w> = (MessageWriter<'w, Note>, MessageWriter<'w, Cry>);
    let system = move |changed: Query<'_, '_, (Entity, &A), Changed<A>>, (mut notes, mut cries): Writers<'_>| {
        let mut digest = probe.begin();
        for (entity, a) in &changed {
            let number = digest.see(a.0);
            let id = notes.write(Note(number));
            digest.see(id.id);
            if number.is_multiple_of(3) {
                cries.write(Cry(entity));
            }
        }
    };
    system.into_configs()
}

fn read_notes(probe: Probe) -> ScheduleConfigs {
    type Readers<'w, 's> = (MessageReader<'w, 's, Note>, MessageReader<'w, 's, Cry>);
    let system = move |(mut notes, mut cries): Readers<'_, '_>, mut of_b: Query<'_, '_, &mut B>| {
        let mut digest = probe.begin();
        notes.read().for_each(|note| _ = digest.see(note.0));
        digest.see(notes.take_missed());
        for Cry(entity) in cries.read() {
            digest.entity(*entity);
            if let Ok(mut b) = of_b.get_mut(*entity) {
                b.0 = digest.see(b.0);
            }
        }
    };
    system.into_configs()
}

fn mutate_notes(probe: Probe) -> ScheduleConfigs {
    let system = move |mut notes: MessageMutator<'_, '_, Note>| {
        let mut digest = probe.begin();
        for note in notes.read() {
            note.0 = digest.see(note.0);
        }
    };
    system.into_configs()
}

#[system]
fn step(a: &mut A, b: &B) {
    a.0 = mix(a.0, b.0);
}

#[system(without(S))]
fn step_some(c: &mut C, entity: Entity, t: Has<T>) {
    c.0 = mix(c.0, mix(entity.to_bits(), u64::from(t)));
}

#[system(changed(A))]
fn follow(a: &A, mut b: Mut<B>) {
    if !a.0.is_multiple_of(3) {
        b.0 = mix(b.0, a.0);
    }
}

#[system(with(T), any(D, E))]
fn grow(d: Option<&mut D>, e: Option<&E>, a: Ref<A>) {
    if let Some(d) = d {
        d.0 = mix(d.0, mix(a.0, mix(e.map_or(0, |e| e.0), u64::from(a.is_changed()))));
    }
}

#[system(added(F))]
fn greet(entity: Entity, f: &mut F, mut commands: Commands) {
    f.0 = mix(f.0, entity.to_bits());
    let new = commands.spawn(C(f.0)).id();
    commands.entity(entity).insert(Link(new)).remove::<F>();
}

fn row_system(which: u8) -> ScheduleConfigs {
    match which % 6 {
        0 => step.into_configs(),
        1 => step_some.into_configs(),
        2 => follow.into_configs(),
        3 => grow.into_configs(),
        4 => greet.into_configs(),
        _ => (step, follow).chain(),
    }
}

/// Reads the whole world.
fn look_at_everything(probe: Probe) -> ScheduleConfigs {
    let system = move |world: &World| {
        let mut digest = probe.begin();
        for entity in world.iter_entities() {
            digest.entity(entity.id());
            digest.see(entity.components().count() as u64);
            if let Some(a) = entity.get_ref::<A>() {
                digest.ticks(&a);
                digest.see(a.0);
            }
            digest.see(entity.get::<E>().map_or(0, |e| e.0));
        }
        digest.see(world.resource::<One>().0);
    };
    system.into_configs()
}

/// Systems that are ordered after it do not run if it fails.
fn fail(probe: Probe) -> ScheduleConfigs {
    let system = move |mut of_a: Query<'_, '_, &mut A>| -> Result {
        let mut digest = probe.begin();
        for mut a in &mut of_a {
            if digest.see(a.0).is_multiple_of(64) {
                return Err(format!("system {} stops at {}", probe.system, a.0).into());
            }
            a.0 = a.0.wrapping_add(1);
        }
        Ok(())
    };
    system.into_configs()
}

/// Fails if the resource is not there.
fn need_extra(probe: Probe) -> ScheduleConfigs {
    let system = move |extra: Res<'_, Extra>, of_c: Query<'_, '_, &C>| -> Result {
        let mut digest = probe.begin();
        let number = of_c.iter().fold(digest.see(extra.0), |_, c| digest.see(c.0));
        if number.is_multiple_of(8) { Err(format!("system {} stops at {number}", probe.system).into()) } else { Ok(()) }
    };
    system.into_configs()
}

fn removed(probe: Probe) -> ScheduleConfigs {
    type Removed<'w, 's> = (RemovedComponents<'w, 's, A>, RemovedComponents<'w, 's, S>);
    let system = move |(mut of_a, mut of_s): Removed<'_, '_>, mut two: ResMut<'_, Two>| {
        let mut digest = probe.begin();
        of_a.read().for_each(|entity| _ = digest.entity(entity));
        of_s.read().take(3).for_each(|entity| _ = digest.entity(entity));
        two.0 = digest.now();
    };
    system.into_configs()
}

fn removed_values(probe: Probe) -> ScheduleConfigs {
    let system = move |mut kept: RemovedValues<'_, '_, Kept>, mut commands: Commands<'_, '_>| {
        let mut digest = probe.begin();
        for (entity, kept) in kept.read() {
            digest.entity(entity);
            if digest.see(kept.0).is_multiple_of(4) {
                commands.spawn(C(kept.0));
            }
        }
    };
    system.into_configs()
}

/// Two systems as one, of which both record commands.
fn pipe(probe: Probe) -> ScheduleConfigs {
    let next = probe.clone();
    let first = move |of_a: Query<'_, '_, (Entity, &A)>, mut commands: Commands<'_, '_>| -> u64 {
        let mut digest = probe.begin();
        let number = of_a.iter().fold(0, |_, (entity, a)| {
            digest.entity(entity);
            digest.see(a.0)
        });
        if number % 4 == 1 {
            commands.spawn(A(number));
        }
        number
    };
    let second = move |In(number): In<u64>, mut of_c: Query<'_, '_, &mut C>, mut commands: Commands<'_, '_>| {
        let mut digest = next.begin();
        for mut c in &mut of_c {
            c.0 = digest.see(mix(c.0, number));
        }
        if number % 4 == 2 {
            let new = commands.spawn(B(number)).id();
            digest.entity(new);
        }
    };
    first.pipe(second).into_configs()
}

/// Reads other entities by their ids.
fn follow_links(probe: Probe) -> ScheduleConfigs {
    let system = move |mut links: Query<'_, '_, (&Link, &mut B)>, of_a: Lookup<'_, '_, &A>| {
        let mut digest = probe.begin();
        for (link, mut b) in &mut links {
            digest.entity(link.0);
            if let Ok(a) = of_a.get(link.0) {
                b.0 = digest.see(a.0);
            }
        }
    };
    system.into_configs()
}

fn either(probe: Probe) -> ScheduleConfigs {
    let system = move |mut all: Query<'_, '_, AnyOf<(&mut D, &E)>, Without<A>>| {
        let mut digest = probe.begin();
        for (d, e) in &mut all {
            let number = digest.see(e.map_or(1, |e| e.0));
            if let Some(mut d) = d {
                d.0 = mix(d.0, number);
            }
        }
    };
    system.into_configs()
}
