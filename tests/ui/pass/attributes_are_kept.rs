#![allow(dead_code)]
#![deny(warnings, missing_docs)]
//! Attributes and docs.
use strata_ecs::event::Event;
use strata_ecs::prelude::*;

/// A component.
#[derive(Component, Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct A(
    /// The value.
    pub u8,
);

/// Old.
#[deprecated(note = "use A")]
#[derive(Component)]
pub struct Old;

/// Dead.
#[expect(non_camel_case_types, reason = "the attribute stays")]
#[derive(Component)]
struct dead(u8);

/// A bundle.
#[derive(Bundle)]
pub struct B {
    /// Its part.
    pub a: A,
}

/// A query.
#[derive(QueryData)]
#[query_data(mutable, derive(Debug))]
pub struct Q {
    /// Its term.
    pub a: &'static mut A,
}

/// A query for one thing or another.
#[derive(QueryData)]
#[query_data(mutable, derive(Debug))]
pub enum E {
    /// The first.
    A {
        /// Its term.
        a: &'static mut A,
    },
    /// The second.
    Old(
        /// Its term.
        Has<A>,
    ),
    /// The third.
    Other,
}

/// A message.
#[derive(Message, Event)]
pub struct M;

/// A label.
#[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Label {
    /// The only one.
    One,
}

/// An old label.
#[deprecated(note = "use Label")]
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
pub struct OldLabel;

/// A filter.
#[derive(QueryFilter, Debug)]
pub struct F {
    /// Its part.
    pub a: With<A>,
}

/// A system.
///
/// With two paragraphs.
#[inline(never)]
#[must_use]
#[system]
pub fn first(a: &mut A) {
    a.0 += 1;
}

/// A system whose attributes stand behind the macro.
#[system]
#[inline]
#[rustfmt::skip]
pub fn second( a: &mut A ) { a.0 += 1; }

/// A system that should not be used.
#[system]
#[deprecated(since = "1.0.0", note = "use first")]
pub fn third(a: &mut A) {
    a.0 += 1;
}

#[system]
#[allow(dead_code)]
fn unused(a: &mut A) {
    a.0 += 1;
}

#[allow(deprecated)]
fn main() {
    let mut world = World::new();
    world.spawn((B { a: A(0) }, Old));
    let mut schedule = Schedule::default();
    schedule.add_systems((first, second, third));
    schedule.run(&mut world);
    assert_eq!(world.query::<Q>().single(&world).unwrap().a.0, 3);
}
