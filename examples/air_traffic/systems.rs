//! The systems of one simulated minute, in order.

use strata_ecs::prelude::*;

use crate::components::{
    Airborne, BusiestMinute, Clock, Delay, Departures, Heading, Landed, Place, Position, Remaining, Route, Scheduled,
    Step, Totals, Traffic,
};
use crate::geo;

/// A flight is late from here on, by the rule of the agency that keeps the records.
const LATE: i32 = 15;

/// The next minute; or, with nothing in the air, the minute of the next departure, for nothing happens before.
#[system]
pub(crate) fn tick(mut clock: ResMut<Clock>, departures: Res<Departures>, flying: Query<&Remaining>) {
    clock.0 += 1;
    if let (true, Some((next, _))) = (flying.is_empty(), departures.0.front()) {
        clock.0 = clock.0.max(*next);
    }
}

/// Flights that are due leave their airport.
#[system]
pub(crate) fn take_off(
    clock: Res<Clock>,
    mut departures: ResMut<Departures>,
    routes: Query<&Route, With<Scheduled>>,
    places: Query<&Place>,
    mut traffic: Query<&mut Traffic>,
    mut commands: Commands,
) -> Result {
    while let Some((_, flight)) = departures.0.pop_front_if(|(minute, _)| *minute <= clock.0) {
        let route = routes.get(flight)?;
        let airborne = Airborne::bound(places.get(route.origin)?, places.get(route.destination)?, route.distance);
        commands.entity(flight).remove::<Scheduled>().insert(airborne);
        traffic.get_mut(route.origin)?.departures += 1;
    }
    Ok(())
}

/// Keeps the busiest minute so far.
#[system]
pub(crate) fn watch(clock: Res<Clock>, flying: Query<(&Position, &Heading)>, mut busiest: ResMut<BusiestMinute>) {
    if flying.count() > busiest.flights.len() {
        busiest.minute = clock.0;
        busiest.flights.clear();
        busiest.flights.extend(flying.iter().map(|(position, heading)| (*position, *heading)));
    }
}

/// Every flight in the air gets on by a minute.
///
/// It references components, so it runs for each entity that has them: this is the inner loop of the program.
#[system]
pub(crate) fn fly(position: &mut Position, heading: &mut Heading, step: &Step, remaining: &mut Remaining) {
    // A rotation in the plane of the great circle, which position and heading span.
    let (here, ahead) = (position.0, heading.0);
    position.0 = here * step.cos + ahead * step.sin;
    heading.0 = ahead * step.cos - here * step.sin;
    remaining.0 -= 1;
}

/// Flights that have arrived land.
#[system]
pub(crate) fn land(
    flight: Entity,
    remaining: &Remaining,
    route: &Route,
    delay: Option<&Delay>,
    mut traffic: Query<&mut Traffic>,
    mut totals: ResMut<Totals>,
    mut commands: Commands,
) -> Result {
    if remaining.0 > 0 {
        return Ok(());
    }
    commands.entity(flight).remove::<Airborne>().insert(Landed);
    traffic.get_mut(route.destination)?.arrivals += 1;
    totals.landed += 1;
    totals.distance += u64::from(route.distance);
    totals.timed += u64::from(delay.is_some());
    totals.late += u64::from(delay.is_some_and(|delay| delay.0 >= LATE));
    Ok(())
}

impl Airborne {
    /// A flight at `from` that sets out for `to`, `distance` statute miles away.
    fn bound(from: &Place, to: &Place, distance: u32) -> Self {
        let minutes = minutes(distance);
        let (sin, cos) = (geo::angle(from.0, to.0) / f64::from(minutes)).sin_cos();
        Airborne {
            position: Position(from.0),
            heading: Heading(geo::heading(from.0, to.0)),
            step: Step { sin, cos },
            remaining: Remaining(minutes),
        }
    }
}

/// How long a flight takes from gate to gate.
///
/// The records tell the departure and the distance only. Airliners cruise at about 490 miles an hour, and taxiing,
/// climb and descent cost a flight of any length about 40 minutes more.
fn minutes(distance: u32) -> u32 {
    40 + (f64::from(distance) / 490.0 * 60.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system is still a function.
    fn fly_on(flight: &mut Airborne) {
        fly(&mut flight.position, &mut flight.heading, &flight.step, &mut flight.remaining);
    }

    #[test]
    fn a_flight_arrives_in_its_last_minute() {
        let from = Place(geo::place(33.64, -84.43));
        let to = Place(geo::place(33.94, -118.41));
        let mut flight = Airborne::bound(&from, &to, 1_946);
        let mut minutes_flown = 0;
        while flight.remaining.0 > 0 {
            fly_on(&mut flight);
            minutes_flown += 1;
        }
        assert_eq!(minutes_flown, 278);
        assert!(flight.position.0.distance(to.0) < 1e-12);
    }

    #[test]
    fn a_flight_to_where_it_is_stays_there() {
        let place = Place(geo::place(33.64, -84.43));
        let mut flight = Airborne::bound(&place, &place, 0);
        fly_on(&mut flight);
        assert!(flight.position.0.distance(place.0) < 1e-12);
    }
}
