//! Builds the world and runs it until the last flight has landed.

use strata_ecs::prelude::*;

use crate::components::{Airport, BusiestMinute, Clock, Delay, Departures, Place, Route, Scheduled, Totals, Traffic};
use crate::data::AirportRecord;
use crate::progress::Progress;
use crate::systems::{fly, land, take_off, tick, watch};
use crate::text::grouped;
use crate::time::date_at;
use crate::timetable::Timetable;

/// A world with all airports, and all flights scheduled.
pub(crate) fn build(airports: &[AirportRecord], timetable: &Timetable) -> World {
    let mut world = World::new();
    let airports: Vec<Entity> = world
        .spawn_batch(airports.iter().map(|record| {
            let (code, name, city) = (record.code.clone(), record.name.clone(), record.city.clone());
            (Airport { code, name, city }, Place(record.place()), Traffic::default())
        }))
        .collect();

    let flights: Vec<Entity> = world
        .spawn_batch(timetable.flights.iter().map(|flight| {
            let (origin, destination) = (airports[flight.origin], airports[flight.destination]);
            (Route { origin, destination, distance: flight.distance }, Scheduled)
        }))
        .collect();
    let mut departures = Departures::default();
    for (flight, &entity) in timetable.flights.iter().zip(&flights) {
        departures.0.push_back((flight.departure, entity));
        if let Some(minutes) = flight.delay {
            world.entity_mut(entity).insert(Delay(minutes));
        }
    }

    world.insert_resource(departures);
    world.insert_resource(Clock(-1));
    world.init_resource::<Totals>();
    world.init_resource::<BusiestMinute>();
    world
}

/// Returns the schedule of one simulated minute.
pub(crate) fn schedule() -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems((tick, take_off, watch, fly, land).chain());
    schedule
}

/// Runs minute after minute until every flight has landed. Returns how many minutes that took.
pub(crate) fn run(world: &mut World, schedule: &mut Schedule, timetable: &Timetable, progress: &mut Progress) -> u64 {
    let flights = timetable.flights.len() as u64;
    let mut minutes = 0;
    while world.resource::<Totals>().landed < flights {
        schedule.run(world);
        minutes += 1;
        progress.tell(|| {
            let (landed, now) = (world.resource::<Totals>().landed, world.resource::<Clock>().0);
            let now = date_at(timetable.start, now).format("%F %R");
            format!("{now} UTC: {} of {} flights have landed", grouped(landed), grouped(flights))
        });
    }
    minutes
}
