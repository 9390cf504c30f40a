//! Conditions of random descriptions.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{Schedulable, ScheduleConfigs};
use strata_ecs::system::BoxedSystem;

use super::parts::{A, B, Cry, E, Extra, Note, One, S};

/// Holds in every `N`th run, from the first.
fn each<const N: u64>(mut runs: Local<'_, u64>) -> bool {
    *runs += 1;
    *runs % N == 1
}

fn is_even(one: Res<'_, One>) -> bool {
    one.0.is_multiple_of(2)
}

fn anything_changed(changed: Query<'_, '_, (), Changed<A>>) -> bool {
    !changed.is_empty()
}

fn anything_added(added: Query<'_, '_, (), (Added<E>, Without<S>)>) -> bool {
    !added.is_empty()
}

fn many(world: &World) -> bool {
    world.len() % 3 != 1
}

fn told(mut notes: MessageReader<'_, '_, Note>) -> bool {
    notes.read().count() > 0
}

fn cried(cries: MessageReader<'_, '_, Cry>) -> bool {
    !cries.is_empty()
}

/// Fails if the resource is not there.
fn extra(extra: Res<'_, Extra>) -> bool {
    !extra.0.is_multiple_of(3)
}

fn removed(mut removed: RemovedComponents<'_, '_, B>) -> bool {
    removed.read().count() == 0
}

fn resource_changed(one: Res<'_, One>) -> bool {
    one.is_changed()
}

pub(crate) fn condition(which: u8) -> BoxedSystem<(), bool> {
    match which % 14 {
        0 => each::<2>.into_condition(),
        1 => each::<3>.into_condition(),
        2 => is_even.into_condition(),
        3 => anything_changed.into_condition(),
        4 => anything_added.into_condition(),
        5 => many.into_condition(),
        6 => told.into_condition(),
        7 => cried.into_condition(),
        8 if which > 128 => extra.into_condition(),
        8 | 9 => removed.into_condition(),
        10 => resource_changed.into_condition(),
        11 => each::<2>.and(anything_changed),
        12 => is_even.or(each::<2>),
        _ => not(told),
    }
}

/// With a condition, or without one.
pub(crate) fn only_if<T: Schedulable>(configs: ScheduleConfigs<T>, which: Option<u8>) -> ScheduleConfigs<T> {
    match which {
        // For each system.
        Some(which) if which.is_multiple_of(5) => configs.distributive_run_if(each::<2>),
        Some(which) => configs.run_if(condition(which)),
        None => configs,
    }
}
