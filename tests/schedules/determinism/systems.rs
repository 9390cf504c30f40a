//! Systems of random descriptions. The actions of each system depend on the values that it sees, and on their order.

use strata_ecs::prelude::*;
use strata_ecs::query::BatchingStrategy;
use strata_ecs::schedule::ScheduleConfigs;

use super::commands;
use super::others;
use super::parts::{A, B, C, D, E, F, S, T, Value, mix};
use super::plan::Leaf;
use super::probe::Probe;
use super::relations;

/// Calls a generic function with one of the components.
macro_rules! with_one {
    ($number:expr, $function:ident, $arguments:tt) => {
        match $number % 6 {
            0 => with_filter!($number / 6, $function, $arguments, A),
            1 => with_filter!($number / 6, $function, $arguments, B),
            2 => with_filter!($number / 6, $function, $arguments, C),
            3 => with_filter!($number / 6, $function, $arguments, D),
            4 => with_filter!($number / 6, $function, $arguments, E),
            _ => with_filter!($number / 6, $function, $arguments, F),
        }
    };
}

/// Calls a generic function with components, and one of the filters.
macro_rules! with_filter {
    ($number:expr, $function:ident, ($($argument:expr),*), $($T:ty),*) => {
        match $number % 10 {
            0 => $function::<$($T,)* ()>($($argument),*),
            1 => $function::<$($T,)* With<T>>($($argument),*),
            2 => $function::<$($T,)* Without<T>>($($argument),*),
            3 => $function::<$($T,)* With<S>>($($argument),*),
            4 => $function::<$($T,)* Without<S>>($($argument),*),
            5 => $function::<$($T,)* Changed<A>>($($argument),*),
            6 => $function::<$($T,)* Added<B>>($($argument),*),
            7 => $function::<$($T,)* (With<C>, Without<D>)>($($argument),*),
            8 => $function::<$($T,)* Or<(With<C>, Changed<E>)>>($($argument),*),
            _ => $function::<$($T,)* Without<C>>($($argument),*),
        }
    };
}

/// Calls a generic function with two of the components.
macro_rules! with_two {
    ($number:expr, $function:ident, $arguments:tt) => {
        match $number % 6 {
            0 => with_filter!($number / 6, $function, $arguments, A, B),
            1 => with_filter!($number / 6, $function, $arguments, B, A),
            2 => with_filter!($number / 6, $function, $arguments, C, A),
            3 => with_filter!($number / 6, $function, $arguments, D, E),
            4 => with_filter!($number / 6, $function, $arguments, E, B),
            _ => with_filter!($number / 6, $function, $arguments, A, F),
        }
    };
}

/// A system of the schedule.
pub(crate) fn system(leaf: &Leaf, probe: Probe) -> ScheduleConfigs {
    let (x, y, _) = leaf.types;
    // Systems that write values in many ways, that read them, that make structural changes, and all others.
    match leaf.shape % 28 {
        0..=2 => with_one!(x, write, (probe)),
        3..=4 => with_two!(x, write_by, (probe)),
        5 => with_two!(x, write_options, (probe)),
        6 => with_one!(x, read, (probe)),
        7..=9 => match y % 6 {
            0 => observe::<A, Changed<A>>(probe),
            1 => observe::<B, Changed<B>>(probe),
            2 => observe::<A, Added<A>>(probe),
            3 => observe::<E, Changed<E>>(probe),
            4 => observe::<D, (Changed<D>, Without<T>)>(probe),
            _ => observe::<C, Or<(Changed<A>, Added<C>)>>(probe),
        },
        10 => with_two!(x, exchange, (probe)),
        11 => match y % 4 {
            0 => write_slices::<()>(probe),
            1 => write_slices::<With<T>>(probe),
            2 => write_slices::<Changed<B>>(probe),
            _ => write_in_parallel::<B>(probe),
        },
        12..=15 => commands::system(x, probe),
        16..=19 => relations::system(x, probe),
        _ => others::system(x, y, probe),
    }
}

/// Writes some of the values that it sees.
fn write<X: Value, Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |mut all: Query<'_, '_, (Entity, &mut X), Filter>| {
        let mut digest = probe.begin();
        for (entity, mut x) in &mut all {
            digest.entity(entity);
            digest.ticks(&x);
            let number = digest.see(x.get());
            if !number.is_multiple_of(3) {
                x.set(number);
            }
        }
    };
    system.into_configs()
}

/// Writes one component by another.
fn write_by<X: Value, Y: Value, Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |mut all: Query<'_, '_, (&mut X, Ref<'_, Y>), Filter>| {
        let mut digest = probe.begin();
        for (mut x, y) in &mut all {
            digest.ticks(&y);
            let number = digest.see(y.get());
            if !number.is_multiple_of(4) {
                let before = x.get();
                x.set(mix(before, y.get()));
            }
        }
        probe.dawdle();
    };
    system.into_configs()
}

/// Writes what may be missing.
fn write_options<X: Value, Y: Value, Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |mut all: Query<'_, '_, (Entity, &X, Option<&mut Y>, Has<T>, Has<S>), Filter>| {
        let mut digest = probe.begin();
        for (entity, x, y, table, sparse) in &mut all {
            digest.entity(entity);
            digest.see(u64::from(table) * 2 + u64::from(sparse));
            let number = digest.see(x.get());
            if let Some(mut y) = y {
                digest.see(y.get());
                if number.is_multiple_of(2) {
                    y.set(number);
                }
            }
        }
    };
    system.into_configs()
}

/// Only looks.
fn read<X: Value, Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, (Entity, Ref<'_, X>), Filter>| {
        let mut digest = probe.begin();
        for (entity, x) in &all {
            digest.entity(entity);
            digest.ticks(&x);
            digest.see(x.get());
        }
    };
    system.into_configs()
}

/// Looks at what has changed since it did so last.
fn observe<X: Value, Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |all: Query<'_, '_, (Entity, &X), Filter>| {
        let mut digest = probe.begin();
        for (entity, x) in &all {
            digest.entity(entity);
            digest.see(x.get());
        }
    };
    system.into_configs()
}

/// Has two queries that are in each other's way.
fn exchange<X: Value, Y: Value, Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    type Both<'w, 's, X, Y, Filter> =
        ParamSet<'w, 's, (Query<'w, 's, &'static mut X, Filter>, Query<'w, 's, (&'static X, &'static mut Y)>)>;
    let system = move |mut both: Both<'_, '_, X, Y, Filter>| {
        let mut digest = probe.begin();
        for mut x in &mut both.p0() {
            let number = digest.see(x.get());
            x.set(number);
        }
        for (x, mut y) in &mut both.p1() {
            let number = digest.see(x.get());
            if number.is_multiple_of(5) {
                y.set(number);
            }
        }
    };
    system.into_configs()
}

/// Writes whole columns.
fn write_slices<Filter: QueryFilter + 'static>(probe: Probe) -> ScheduleConfigs {
    let system = move |mut all: Query<'_, '_, (Entity, &mut A), Filter>| {
        let mut digest = probe.begin();
        for (entities, values) in all.contiguous_iter_mut() {
            for (entity, a) in entities.iter().zip(values) {
                digest.entity(*entity);
                a.0 = digest.see(a.0);
            }
        }
    };
    system.into_configs()
}

/// Writes some values, on several threads.
fn write_in_parallel<X: Value>(probe: Probe) -> ScheduleConfigs {
    let system = move |mut all: Query<'_, '_, (Entity, &mut X)>| {
        let mut digest = probe.begin();
        let number = digest.see(all.count() as u64);
        all.par_iter_mut().batching_strategy(BatchingStrategy::fixed(7)).for_each(|(entity, mut x)| {
            let number = mix(number, entity.to_bits());
            if !number.is_multiple_of(3) {
                let before = x.get();
                x.set(mix(number, before));
            }
        });
    };
    system.into_configs()
}
