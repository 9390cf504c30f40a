//! The components of entities, and the resources.
//!
//! An airport is an entity for good. A flight is one entity from the timetable to the landing, and what it is at the
//! moment is a matter of its components: `Scheduled`, then those of `Airborne`, then `Landed`. So a system that moves
//! flights visits the few hundred that fly, not the million that will or did.

use std::collections::VecDeque;

use glam::DVec3;
use strata_ecs::prelude::*;

use crate::time::Minute;

/// An airport, by the names that people know it by.
#[derive(Component)]
pub(crate) struct Airport {
    pub(crate) code: String,
    pub(crate) name: String,
    pub(crate) city: String,
}

/// Where an airport is: a unit vector from the centre of the earth.
#[derive(Clone, Copy, Component)]
pub(crate) struct Place(pub(crate) DVec3);

/// The flights that an airport has seen.
#[derive(Clone, Copy, Component, Debug, Default, PartialEq)]
pub(crate) struct Traffic {
    pub(crate) departures: u64,
    pub(crate) arrivals: u64,
}

/// From where to where a flight goes.
#[derive(Clone, Copy, Component)]
pub(crate) struct Route {
    pub(crate) origin: Entity,
    pub(crate) destination: Entity,
    /// Statute miles.
    pub(crate) distance: u32,
}

/// Minutes that a flight arrives late, where that is on record.
#[derive(Clone, Copy, Component)]
pub(crate) struct Delay(pub(crate) i32);

/// A flight that has not left yet.
#[derive(Clone, Copy, Component)]
pub(crate) struct Scheduled;

/// A flight on its way. Taking off inserts all of this in one move to another table, landing removes it in one.
#[derive(Bundle)]
pub(crate) struct Airborne {
    pub(crate) position: Position,
    pub(crate) heading: Heading,
    pub(crate) step: Step,
    pub(crate) remaining: Remaining,
}

/// Where a flight is: a unit vector from the centre of the earth.
#[derive(Clone, Copy, Component)]
pub(crate) struct Position(pub(crate) DVec3);

/// Where a flight is going: a unit vector at a right angle to its position.
#[derive(Clone, Copy, Component)]
pub(crate) struct Heading(pub(crate) DVec3);

/// How far a flight gets in a minute: sine and cosine of the angle, so that moving takes no trigonometry.
#[derive(Clone, Copy, Component)]
pub(crate) struct Step {
    pub(crate) sin: f64,
    pub(crate) cos: f64,
}

/// Minutes to the landing.
#[derive(Clone, Copy, Component)]
pub(crate) struct Remaining(pub(crate) u32);

/// A flight that is over.
#[derive(Clone, Copy, Component)]
pub(crate) struct Landed;

/// The present minute.
#[derive(Resource)]
pub(crate) struct Clock(pub(crate) Minute);

/// The scheduled flights in order of departure.
///
/// Only the next one is ever asked for; that is the work of a queue, not of a query over all flights, every minute.
#[derive(Default, Resource)]
pub(crate) struct Departures(pub(crate) VecDeque<(Minute, Entity)>);

/// The sums over all landed flights.
#[derive(Debug, Default, PartialEq, Resource)]
pub(crate) struct Totals {
    pub(crate) landed: u64,
    /// Statute miles.
    pub(crate) distance: u64,
    /// Landed flights whose delay is on record, and those of them that were late.
    pub(crate) timed: u64,
    pub(crate) late: u64,
}

/// The minute with most flights in the air, the first one of several, and where the flights were.
#[derive(Default, Resource)]
pub(crate) struct BusiestMinute {
    pub(crate) minute: Minute,
    pub(crate) flights: Vec<(Position, Heading)>,
}
