//! The planned flights: either the recorded flights, or a given number of flights drawn from the route counts.

use std::collections::{BTreeMap, HashMap};

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::data::{AirportRecord, FlightRecord, RouteRecord};
use crate::geo;
use crate::time::{DAY, Minute, date_at, minutes_between, zone};

/// All that is to be flown, in order of departure.
#[derive(Debug, PartialEq)]
pub(crate) struct Timetable {
    /// Midnight before the first departure, in universal time.
    pub(crate) start: NaiveDateTime,
    /// The first and the last day of the timetable, by the clocks of the airports.
    pub(crate) days: [NaiveDate; 2],
    pub(crate) flights: Vec<Flight>,
    pub(crate) dropped: Dropped,
}

/// A flight from one airport to another, both given by their index in the list of airports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Flight {
    pub(crate) departure: Minute,
    pub(crate) origin: usize,
    pub(crate) destination: usize,
    /// Statute miles.
    pub(crate) distance: u32,
    /// Minutes late on arrival; drawn flights have no record of it.
    pub(crate) delay: Option<i32>,
}

/// Flights that cannot be flown, since the list of airports lacks one of theirs.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Dropped {
    pub(crate) flights: u64,
    /// How many flights each missing airport stopped; a flight may miss both of its airports.
    pub(crate) by_code: BTreeMap<String, u64>,
}

/// The recorded flights.
pub(crate) fn recorded(records: &[FlightRecord], airports: &[AirportRecord]) -> Timetable {
    let directory = Directory::new(airports);
    let mut dropped = Dropped::default();
    let mut flights = Vec::with_capacity(records.len());
    for record in records {
        match directory.find(&record.origin, &record.destination) {
            Ok([origin, destination]) => flights.push(Flight {
                departure: universal(record.departure, &airports[origin]),
                origin,
                destination,
                distance: record.distance,
                delay: Some(record.delay),
            }),
            Err(codes) => dropped.add(&codes),
        }
    }
    let dates = || records.iter().map(|record| record.departure.date());
    let days = [dates().min(), dates().max()].map(Option::unwrap_or_default);
    Timetable::new(days, flights, dropped)
}

/// How many flights to draw, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub(crate) flights: u32,
    /// The days from the start of 2008, the year of the route counts, over which the flights are spread.
    pub(crate) days: u32,
    pub(crate) seed: u64,
}

/// Flights drawn from `routes`, each route as likely as it was frequent.
///
/// A drawn flight leaves at the local time of day at which one of `records`, drawn as well, has left.
pub(crate) fn drawn(
    draw: Draw,
    routes: &[RouteRecord],
    records: &[FlightRecord],
    airports: &[AirportRecord],
) -> Timetable {
    let directory = Directory::new(airports);
    let mut dropped = Dropped::default();
    let mut flights = Vec::with_capacity(draw.flights as usize);
    let mut total = 0;
    // Each route with the count of all routes up to it: a number below the total then falls on a route by bisection.
    let mut urn = Vec::with_capacity(routes.len());
    for route in routes {
        total += u64::from(route.count);
        let ends = directory.find(&route.origin, &route.destination);
        urn.push((total, ends.map(|ends| (ends, distance(ends, airports)))));
    }
    let new_year = NaiveDate::from_ymd_opt(2008, 1, 1).unwrap_or_default();
    let mut random = Pcg64::seed_from_u64(draw.seed);
    for _ in 0..draw.flights {
        let ticket = below(&mut random, total);
        let day = new_year + TimeDelta::days(below(&mut random, draw.days.into()) as i64);
        let time = records[below(&mut random, records.len() as u64) as usize].departure.time();
        match &urn[urn.partition_point(|(sum, _)| *sum <= ticket)].1 {
            &Ok(([origin, destination], distance)) => flights.push(Flight {
                departure: universal(day.and_time(time), &airports[origin]),
                origin,
                destination,
                distance,
                delay: None,
            }),
            Err(codes) => dropped.add(codes),
        }
    }
    let last = new_year + TimeDelta::days(i64::from(draw.days) - 1);
    Timetable::new([new_year, last], flights, dropped)
}

impl Timetable {
    /// `flights` with departures in minutes since 1970.
    fn new(days: [NaiveDate; 2], mut flights: Vec<Flight>, dropped: Dropped) -> Self {
        flights.sort_by_key(|flight| flight.departure);
        let first = flights.first().map_or(0, |flight| flight.departure);
        let midnight = first - first.rem_euclid(DAY);
        for flight in &mut flights {
            flight.departure -= midnight;
        }
        Timetable { start: date_at(NaiveDateTime::default(), midnight), days, flights, dropped }
    }
}

impl Dropped {
    fn add(&mut self, codes: &[&str]) {
        self.flights += 1;
        for &code in codes {
            *self.by_code.entry(code.into()).or_default() += 1;
        }
    }
}

/// Finds airports by their code.
struct Directory<'a>(HashMap<&'a str, usize>);

impl<'a> Directory<'a> {
    fn new(airports: &'a [AirportRecord]) -> Self {
        Directory(airports.iter().map(|airport| airport.code.as_str()).zip(0..).collect())
    }

    /// Both airports, or the codes that no airport has.
    fn find<'b>(&self, origin: &'b str, destination: &'b str) -> Result<[usize; 2], Vec<&'b str>> {
        match (self.0.get(origin), self.0.get(destination)) {
            (Some(&from), Some(&to)) => Ok([from, to]),
            (None, Some(_)) => Err(vec![origin]),
            (None, None) if origin != destination => Err(vec![origin, destination]),
            _ => Err(vec![destination]),
        }
    }
}

/// The local time of an airport, in minutes of universal time since 1970.
fn universal(local: NaiveDateTime, airport: &AirportRecord) -> Minute {
    minutes_between(NaiveDateTime::default(), local) - zone(airport.latitude, airport.longitude)
}

/// Great-circle distance in whole statute miles.
fn distance([from, to]: [usize; 2], airports: &[AirportRecord]) -> u32 {
    geo::distance(airports[from].place(), airports[to].place()).round() as u32
}

/// A number below `bound` (which is above 0), by multiplication (Lemire 2019, doi:10.1145/3230636) and without its
/// rejection step: for bounds of a few millions no number is more likely than another by more than 1 in 10^12.
///
/// Written out since a seed must draw the same flights for ever, which generators promise and distributions do not.
fn below(random: &mut Pcg64, bound: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn airport(code: &str, latitude: f64, longitude: f64) -> AirportRecord {
        AirportRecord { code: code.into(), name: code.into(), city: code.into(), latitude, longitude }
    }

    fn airports() -> Vec<AirportRecord> {
        vec![airport("ATL", 33.64, -84.43), airport("LAX", 33.94, -118.41), airport("DEN", 39.86, -104.67)]
    }

    fn record(departure: &str, origin: &str, destination: &str) -> FlightRecord {
        FlightRecord {
            departure: departure.parse().unwrap(),
            delay: 3,
            distance: 1_000,
            origin: origin.into(),
            destination: destination.into(),
        }
    }

    fn route(origin: &str, destination: &str, count: u32) -> RouteRecord {
        RouteRecord { origin: origin.into(), destination: destination.into(), count }
    }

    #[test]
    fn departures_are_ordered_in_universal_time() {
        // Three o'clock in Atlanta is earlier than two o'clock in Los Angeles.
        let records = [record("2001-01-01T02:00:00", "LAX", "ATL"), record("2001-01-01T03:00:00", "ATL", "LAX")];
        let timetable = recorded(&records, &airports());
        assert_eq!(timetable.start.to_string(), "2001-01-01 00:00:00");
        let departures: Vec<_> = timetable.flights.iter().map(|flight| (flight.origin, flight.departure)).collect();
        assert_eq!(departures, [(0, 8 * 60), (1, 10 * 60)]);
    }

    #[test]
    fn flights_to_unknown_airports_are_counted_by_code() {
        let records = [
            record("2001-01-01T02:00:00", "ATL", "XXX"),
            record("2001-01-01T02:00:00", "YYY", "XXX"),
            record("2001-01-01T02:00:00", "ZZZ", "ZZZ"),
            record("2001-01-01T02:00:00", "ATL", "LAX"),
        ];
        let timetable = recorded(&records, &airports());
        assert_eq!(timetable.flights.len(), 1);
        assert_eq!(timetable.dropped.flights, 3);
        let by_code: Vec<_> = timetable.dropped.by_code.iter().map(|(code, n)| (code.as_str(), *n)).collect();
        assert_eq!(by_code, [("XXX", 2), ("YYY", 1), ("ZZZ", 1)]);
    }

    #[test]
    fn a_timetable_without_known_airports_is_empty() {
        let timetable = recorded(&[record("2001-01-01T02:00:00", "XXX", "YYY")], &airports());
        assert!(timetable.flights.is_empty());
    }

    fn draw(flights: u32, days: u32, seed: u64) -> Timetable {
        let routes = [route("ATL", "LAX", 3), route("LAX", "DEN", 1), route("DEN", "XXX", 4)];
        let records = [record("2001-03-01T06:30:00", "ATL", "LAX"), record("2001-03-05T18:00:00", "ATL", "LAX")];
        drawn(Draw { flights, days, seed }, &routes, &records, &airports())
    }

    #[test]
    fn a_seed_draws_the_same_flights_and_another_seed_others() {
        assert_eq!(draw(100, 7, 1), draw(100, 7, 1));
        assert_ne!(draw(100, 7, 1), draw(100, 7, 2));
    }

    #[test]
    fn the_sequence_of_a_seed_is_fixed_for_ever() {
        let mut random = Pcg64::seed_from_u64(2008);
        let numbers: Vec<_> = (0..5).map(|_| below(&mut random, 1_000)).collect();
        assert_eq!(numbers, [90, 810, 584, 294, 147]);
    }

    #[test]
    fn routes_are_drawn_as_often_as_they_were_flown() {
        let timetable = draw(80_000, 1, 1);
        let from_atlanta = timetable.flights.iter().filter(|flight| flight.origin == 0).count();
        let from_los_angeles = timetable.flights.len() - from_atlanta;
        // Six standard deviations: the seed is fixed, and another generator would pass as well.
        assert!(from_atlanta.abs_diff(30_000) < 900, "{from_atlanta}");
        assert!(from_los_angeles.abs_diff(10_000) < 600, "{from_los_angeles}");
        assert_eq!(timetable.dropped.flights as usize, 80_000 - timetable.flights.len());
    }

    #[test]
    fn drawn_flights_leave_at_recorded_local_times_of_the_first_days_of_2008() {
        let timetable = draw(1_000, 2, 1);
        assert_eq!(timetable.start.to_string(), "2008-01-01 00:00:00");
        for flight in &timetable.flights {
            let local = flight.departure - if flight.origin == 0 { 5 * 60 } else { 8 * 60 };
            assert!((0..2).contains(&(local / DAY)));
            assert!([6 * 60 + 30, 18 * 60].contains(&(local % DAY)));
        }
    }

    #[test]
    fn drawn_flights_measure_the_great_circle() {
        assert!(draw(100, 1, 1).flights.iter().all(|flight| flight.distance == [1_942, 861][flight.origin]));
    }
}
