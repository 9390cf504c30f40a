//! Sums over all rows, in which the order counts.

use strata_ecs::prelude::*;

use crate::rows::*;
use crate::ways::Way;

/// The values of the sums.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Totals {
    single: f32,
    double: f64,
    integer: i32,
    long: u64,
}

impl Totals {
    /// Whether two sums are equal, bit for bit.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.single.to_bits() == other.single.to_bits()
            && self.double.to_bits() == other.double.to_bits()
            && (self.integer, self.long) == (other.integer, other.long)
    }
}

/// One more row.
#[inline(always)]
fn add(totals: &mut Totals, finite: &Finite, i: &I, maybe: Option<&Maybe>) {
    totals.single += finite.0 * 1.1;
    totals.double += f64::from(finite.0) / 3.0;
    totals.integer = totals.integer.wrapping_mul(31).wrapping_add(i.0);
    totals.long += maybe.map_or(1, |maybe| u64::from(maybe.0.to_bits()));
}

#[inline(never)]
fn called(totals: &mut Totals, finite: &Finite, i: &I, maybe: Option<&Maybe>) {
    add(totals, finite, i, maybe);
}

fn one_by_one(rows: Query<(&Finite, &I, Option<&Maybe>)>, mut totals: ResMut<Totals>) {
    for (finite, i, maybe) in &rows {
        called(&mut totals, finite, i, maybe);
    }
}

#[system]
fn wide(finite: &Finite, i: &I, maybe: Option<&Maybe>, mut totals: ResMut<Totals>) {
    add(&mut totals, finite, i, maybe);
}

#[system(simd = off)]
fn narrow(finite: &Finite, i: &I, maybe: Option<&Maybe>, mut totals: ResMut<Totals>) {
    add(&mut totals, finite, i, maybe);
}

/// Each sum in a system of its own, which is easier to reorder.
fn alone(world: &mut World) {
    #[system]
    fn single(finite: &Finite, mut totals: ResMut<Totals>) {
        totals.single += finite.0 * 1.1;
    }
    #[system]
    fn double(finite: &Finite, mut totals: ResMut<Totals>) {
        totals.double += f64::from(finite.0) / 3.0;
    }
    #[system]
    fn integer(i: &I, mut totals: ResMut<Totals>) {
        totals.integer = totals.integer.wrapping_mul(31).wrapping_add(i.0);
    }
    #[system]
    fn long(maybe: Option<&Maybe>, mut totals: ResMut<Totals>) {
        totals.long += maybe.map_or(1, |maybe| u64::from(maybe.0.to_bits()));
    }
    world.run_system_once(single).unwrap();
    world.run_system_once(double).unwrap();
    world.run_system_once(integer).unwrap();
    world.run_system_once(long).unwrap();
}

fn fold(rows: Query<(&Finite, &I, Option<&Maybe>)>, mut totals: ResMut<Totals>) {
    *totals = rows.iter().fold(*totals, |mut totals, (finite, i, maybe)| {
        add(&mut totals, finite, i, maybe);
        totals
    });
}

fn fold_of_mut(mut rows: Query<(&mut Finite, &I, Option<&Maybe>)>, mut totals: ResMut<Totals>) {
    *totals = rows.iter_mut().fold(*totals, |mut totals, (finite, i, maybe)| {
        add(&mut totals, &finite, i, maybe);
        totals
    });
}

fn sum(rows: Query<(&Finite, &I, Option<&Maybe>)>, mut totals: ResMut<Totals>) {
    // The sum of nothing is -0.0.
    totals.single += rows.iter().map(|(finite, ..)| finite.0 * 1.1).sum::<f32>();
    totals.double += rows.iter().map(|(finite, ..)| f64::from(finite.0) / 3.0).sum::<f64>();
    totals.integer = rows.iter().fold(0, |sum: i32, (_, i, _)| sum.wrapping_mul(31).wrapping_add(i.0));
    totals.long = rows.iter().map(|(.., maybe)| maybe.map_or(1, |maybe| u64::from(maybe.0.to_bits()))).sum();
}

/// All ways to sum up; the first is what the others have to give.
pub const SUMS: &[Way] = &[
    Way { name: "one_by_one", run: |world| world.run_system_once(one_by_one).unwrap() },
    Way { name: "system", run: |world| world.run_system_once(wide).unwrap() },
    Way { name: "system, simd = off", run: |world| world.run_system_once(narrow).unwrap() },
    Way { name: "systems for one sum", run: alone },
    Way { name: "fold", run: |world| world.run_system_once(fold).unwrap() },
    Way { name: "fold of iter_mut", run: |world| world.run_system_once(fold_of_mut).unwrap() },
    Way { name: "sum", run: |world| world.run_system_once(sum).unwrap() },
];
