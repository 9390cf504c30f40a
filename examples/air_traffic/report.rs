//! The summary: a text in which nothing depends on the machine or on the time of day.

use std::fmt::{self, Write};

use strata_ecs::prelude::*;

use crate::components::{Airport, BusiestMinute, Totals, Traffic};
use crate::text::grouped;
use crate::time::date_at;
use crate::timetable::{Dropped, Timetable};

/// The summary of a finished simulation, with the `top` busiest airports.
pub(crate) fn summary(world: &mut World, timetable: &Timetable, top: usize) -> Result<String, fmt::Error> {
    let mut airports: Vec<(&Airport, Traffic)> = Vec::new();
    let mut query = world.query::<(&Airport, &Traffic)>();
    airports.extend(query.iter(world).map(|(airport, traffic)| (airport, *traffic)));
    let listed = airports.len();
    airports.retain(|(_, traffic)| traffic.total() > 0);
    airports.sort_by(|(a, x), (b, y)| y.total().cmp(&x.total()).then_with(|| a.code.cmp(&b.code)));

    let mut text = String::new();
    totals(&mut text, world, timetable)?;
    writeln!(text, "airports        {} of {} had flights", count(airports.len()), count(listed))?;
    dropped(&mut text, &timetable.dropped)?;
    if top > 0 && !airports.is_empty() {
        busiest_airports(&mut text, &airports, top)?;
    }
    Ok(text)
}

fn totals(text: &mut String, world: &World, timetable: &Timetable) -> fmt::Result {
    let totals = world.resource::<Totals>();
    let [first, last] = timetable.days.map(|day| day.to_string());
    let days = if first == last { first } else { format!("{first} to {last}") };
    writeln!(text, "flights         {} landed, of {days}", grouped(totals.landed))?;
    let mean = totals.distance.checked_div(totals.landed).unwrap_or(0);
    writeln!(text, "distance flown  {} miles, {} a flight", grouped(totals.distance), grouped(mean))?;
    let busiest = world.resource::<BusiestMinute>();
    if !busiest.flights.is_empty() {
        let minute = date_at(timetable.start, busiest.minute).format("%F %R");
        writeln!(text, "busiest minute  {minute} UTC, {} flights in the air", count(busiest.flights.len()))?;
    }
    if totals.timed > 0 {
        let share = 100.0 * totals.late as f64 / totals.timed as f64;
        writeln!(text, "late arrivals   {}, {share:.1} % (15 minutes or more)", grouped(totals.late))?;
    }
    Ok(())
}

fn dropped(text: &mut String, dropped: &Dropped) -> fmt::Result {
    write!(text, "dropped         {}", grouped(dropped.flights))?;
    if dropped.flights > 0 {
        write!(text, ", for airports that are not in airports.csv:")?;
        for (code, flights) in &dropped.by_code {
            write!(text, " {code} {}", grouped(*flights))?;
        }
    }
    writeln!(text)
}

fn busiest_airports(text: &mut String, airports: &[(&Airport, Traffic)], top: usize) -> fmt::Result {
    writeln!(text, "\n{:<48} {:>10} {:>10}", "busiest airports", "departures", "arrivals")?;
    for (airport, traffic) in airports.iter().take(top) {
        // The list is not consistent: some names hold the city, some do not.
        let name = if airport.name.contains(&airport.city) {
            airport.name.clone()
        } else {
            format!("{}, {}", airport.name, airport.city)
        };
        // The numbers are text already: padding a number would not know the commas.
        let [departures, arrivals] = [traffic.departures, traffic.arrivals].map(grouped);
        writeln!(text, "{:<4} {name:<43.43} {departures:>10} {arrivals:>10}", airport.code)?;
    }
    Ok(())
}

impl Traffic {
    /// Departures and arrivals.
    pub(crate) fn total(&self) -> u64 {
        self.departures + self.arrivals
    }
}

fn count(number: usize) -> String {
    grouped(number as u64)
}
