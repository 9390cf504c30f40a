//! Title and legend.

use strata_ecs::prelude::*;
use tiny_skia::{FillRule, PathBuilder, Pixmap, Rect, Transform};

use super::panel::{ARROW, arrow, one_in};
use super::scene::Scene;
use super::style::{self, FAINT_TEXT, TEXT, paint, radius, ramp, share};
use super::text::Pen;
use super::{HEIGHT, WIDTH};
use crate::components::{BusiestMinute, Totals};
use crate::text::grouped;
use crate::time::date_at;
use crate::timetable::Timetable;

const BOX_WIDTH: f32 = 540.0;
const BOX_HEIGHT: f32 = 222.0;
const BOX_LEFT: f32 = WIDTH as f32 - 40.0 - BOX_WIDTH;
const BOX_TOP: f32 = HEIGHT as f32 - 40.0 - BOX_HEIGHT;

/// Where the signs stand, and the texts that explain them.
const LEFT: f32 = BOX_LEFT + 24.0;
/// The height of letters.
const SIZE: f32 = 21.0;

pub(super) fn draw(on: &mut Pixmap, pen: &Pen, scene: &Scene, world: &World, timetable: &Timetable) {
    pen.write(on, "Air traffic over the United States", 58.0, TEXT, (42.0, 84.0));
    pen.write(on, &subtitle(world.resource::<Totals>(), timetable), 28.0, FAINT_TEXT, (45.0, 128.0));
    // With nothing flown there are no signs to explain.
    let (Some(airport), Some(track)) = (scene.airports.first(), scene.tracks.last()) else {
        return;
    };
    if let Some(rect) = Rect::from_xywh(BOX_LEFT + 0.5, BOX_TOP + 0.5, BOX_WIDTH - 1.0, BOX_HEIGHT - 1.0) {
        on.fill_rect(rect, &paint(style::OCEAN, 0.95), Transform::identity(), None);
        style::frame(on, rect);
    }
    explain_airports(on, pen, airport.flights, BOX_TOP + 48.0);
    explain_tracks(on, pen, track.flights, BOX_TOP + 104.0);
    explain_aircraft(on, pen, world.resource::<BusiestMinute>(), timetable, BOX_TOP + 158.0);
}

fn subtitle(totals: &Totals, timetable: &Timetable) -> String {
    let (flights, miles) = (grouped(totals.landed), grouped(totals.distance));
    let [first, last] = timetable.days.map(|day| day.format("%-d %B %Y").to_string());
    let days = if first == last { first } else { format!("{first} to {last}") };
    format!("{flights} flights, {days}, {miles} miles")
}

/// Discs for round numbers of flights.
fn explain_airports(on: &mut Pixmap, pen: &Pen, most: u64, y: f32) {
    let mut x = LEFT;
    for flights in [most / 100, most / 10, most].map(round_down) {
        let radius = radius(flights, most);
        x += radius;
        if let Some(disc) = PathBuilder::from_circle(x, y - 7.0, radius) {
            let fill = paint(ramp(share(flights, most)), 1.0);
            on.fill_path(&disc, &fill, FillRule::Winding, Transform::identity(), None);
        }
        let name = grouped(flights);
        pen.write(on, &name, SIZE, TEXT, (x + radius + 8.0, y));
        x += radius + pen.width(&name, SIZE) + 24.0;
    }
    pen.write(on, "flights of an airport", SIZE, FAINT_TEXT, (x - 8.0, y));
}

/// The colours from a single flight to the most of any route.
fn explain_tracks(on: &mut Pixmap, pen: &Pen, most: u64, y: f32) {
    const LENGTH: u16 = 160;
    pen.write(on, "1", SIZE, TEXT, (LEFT, y));
    for i in 0..LENGTH {
        let share = f32::from(i) / f32::from(LENGTH);
        let height = 1.0 + 9.0 * share;
        if let Some(bar) = Rect::from_xywh(LEFT + 20.0 + f32::from(i), y - 7.0 - height / 2.0, 1.0, height) {
            on.fill_rect(bar, &paint(ramp(share), 1.0), Transform::identity(), None);
        }
    }
    let name = grouped(most);
    let x = LEFT + 28.0 + f32::from(LENGTH);
    pen.write(on, &name, SIZE, TEXT, (x, y));
    pen.write(on, "flights of a route", SIZE, FAINT_TEXT, (x + pen.width(&name, SIZE) + 14.0, y));
}

fn explain_aircraft(on: &mut Pixmap, pen: &Pen, busiest: &BusiestMinute, timetable: &Timetable, y: f32) {
    if let Some(arrow) = arrow((LEFT + 6.0, y - 7.0), (ARROW, 0.0)) {
        on.fill_path(&arrow, &paint(style::AIRCRAFT, 1.0), FillRule::Winding, Transform::identity(), None);
    }
    let flights = grouped(busiest.flights.len() as u64);
    pen.write(on, &flights, SIZE, TEXT, (LEFT + 28.0, y));
    let x = LEFT + 28.0 + pen.width(&flights, SIZE) + 8.0;
    let drawn = match one_in(busiest.flights.len()) {
        1 => "in the air in the busiest minute,".into(),
        one_in => format!("in the air, one in {one_in} of them drawn,"),
    };
    pen.write(on, &drawn, SIZE, FAINT_TEXT, (x, y));
    let minute = date_at(timetable.start, busiest.minute).format("on %-d %B %Y, %R UTC");
    pen.write(on, &minute.to_string(), SIZE, FAINT_TEXT, (LEFT + 28.0, y + 32.0));
}

/// The next number down with one digit that is not 0, and at least 1.
fn round_down(number: u64) -> u64 {
    let magnitude = 10_u64.pow(number.max(1).ilog10());
    (number / magnitude * magnitude).max(1)
}
