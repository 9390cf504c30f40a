//! A part of the picture with a projection of its own: the lower 48 states, and insets for what is far from them.

use glam::DVec3;
use tiny_skia::{BlendMode, FillRule, LineCap, LineJoin, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

use super::outlines::Outlines;
use super::projection::Albers;
use super::scene::{Dot, Scene};
use super::style::{self, colour, paint, radius, ramp, share};
use super::text::Pen;
use super::{HEIGHT, WIDTH};
use crate::geo;

/// A part of the picture.
pub(super) struct Panel {
    projection: Albers,
    corner: (i32, i32),
    size: (u32, u32),
    title: Option<&'static str>,
    /// How many airports may be named.
    names: usize,
}

impl Panel {
    /// Returns all panels, from back to front.
    pub(super) fn all() -> [Panel; 4] {
        let main = Panel {
            projection: Albers::new([29.5, 45.5], (38.7, -96.2), 2_550.0, (1_185.0, 712.0)),
            corner: (0, 0),
            size: (WIDTH, HEIGHT),
            title: None,
            names: 40,
        };
        let inset = |title, corner, size: (u32, u32), parallels, middle, scale| {
            let centre = (f64::from(size.0) / 2.0, f64::from(size.1) / 2.0);
            let projection = Albers::new(parallels, middle, scale, centre);
            Panel { projection, corner, size, title: Some(title), names: 6 }
        };
        [
            main,
            inset("Alaska", (40, 1_080), (440, 380), [55.0, 65.0], (62.0, -154.5), 800.0),
            inset("Hawaii", (500, 1_200), (300, 260), [8.0, 18.0], (20.5, -157.4), 2_640.0),
            inset("Puerto Rico", (1_530, 1_310), (250, 150), [8.0, 18.0], (18.3, -66.0), 2_640.0),
        ]
    }

    /// Where the panel is in the picture.
    pub(super) fn corner(&self) -> (i32, i32) {
        self.corner
    }

    /// Draws the panel, or returns `None` if it has no size.
    pub(super) fn draw(&self, scene: &Scene, outlines: &Outlines, pen: &Pen) -> Option<Pixmap> {
        let mut picture = Pixmap::new(self.size.0, self.size.1)?;
        picture.fill(colour(style::OCEAN, 1.0));
        self.draw_land(&mut picture, outlines);
        self.draw_tracks(&mut picture, scene);
        self.draw_airports(&mut picture, scene);
        self.draw_aircraft(&mut picture, scene);
        self.draw_names(&mut picture, scene, pen);
        if let Some(title) = self.title {
            let (width, height) = (self.size.0 as f32, self.size.1 as f32);
            pen.write(&mut picture, title, 22.0, style::FAINT_TEXT, (14.0, 30.0));
            style::frame(&mut picture, Rect::from_xywh(0.5, 0.5, width - 1.0, height - 1.0)?);
        }
        Some(picture)
    }

    fn draw_land(&self, picture: &mut Pixmap, outlines: &Outlines) {
        let rings = outlines.land.iter().map(|ring| ring.iter().copied());
        if let Some(land) = self.path(rings) {
            picture.fill_path(&land, &paint(style::LAND, 1.0), FillRule::EvenOdd, Transform::identity(), None);
        }
        if let Some(lines) = self.path(outlines.lines.iter().map(|line| line.iter().copied())) {
            let stroke = Stroke { width: 1.2, line_join: LineJoin::Round, ..Stroke::default() };
            picture.stroke_path(&lines, &paint(style::BORDER, 1.0), &stroke, Transform::identity(), None);
        }
    }

    /// Tracks add up where they cross: light on light.
    fn draw_tracks(&self, picture: &mut Pixmap, scene: &Scene) {
        let most = scene.tracks.last().map_or(1, |track| track.flights);
        for track in &scene.tracks {
            let [from, to] = track.ends;
            let Some(line) = self.path([geo::track(from, to, 0.01)]) else {
                continue;
            };
            let share = share(track.flights, most);
            let mut paint = paint(ramp(share), 0.10 + 0.5 * share);
            paint.blend_mode = BlendMode::Screen;
            let stroke = Stroke { width: 1.0 + 2.5 * share, line_cap: LineCap::Round, ..Stroke::default() };
            picture.stroke_path(&line, &paint, &stroke, Transform::identity(), None);
        }
    }

    fn draw_airports(&self, picture: &mut Pixmap, scene: &Scene) {
        let most = scene.airports.first().map_or(1, |airport| airport.flights);
        // The small ones last, so that a large one does not hide them.
        for airport in &scene.airports {
            let (x, y) = self.projection.project(airport.place);
            let Some(disc) = PathBuilder::from_circle(x, y, radius(airport.flights, most)) else {
                continue;
            };
            let fill = paint(ramp(share(airport.flights, most)), 0.85);
            picture.fill_path(&disc, &fill, FillRule::Winding, Transform::identity(), None);
            let stroke = Stroke { width: 1.2, ..Stroke::default() };
            picture.stroke_path(&disc, &paint(style::OCEAN, 0.9), &stroke, Transform::identity(), None);
        }
    }

    /// Aircraft are arrow heads that point ahead, with a dark rim that sets them off from the tracks.
    fn draw_aircraft(&self, picture: &mut Pixmap, scene: &Scene) {
        let rim = Stroke { width: 2.0, line_join: LineJoin::Round, ..Stroke::default() };
        for &(position, heading) in scene.aircraft.iter().step_by(one_in(scene.aircraft.len())) {
            let (x, y) = self.projection.project(position);
            let (ahead_x, ahead_y) = self.projection.project((position + heading * 1e-4).normalize());
            let (dx, dy) = (ahead_x - x, ahead_y - y);
            let size = ARROW / dx.hypot(dy).max(f32::MIN_POSITIVE);
            if let Some(arrow) = arrow((x, y), (dx * size, dy * size)) {
                let fill = paint(style::AIRCRAFT, 1.0);
                picture.stroke_path(&arrow, &paint(style::OCEAN, 0.8), &rim, Transform::identity(), None);
                picture.fill_path(&arrow, &fill, FillRule::Winding, Transform::identity(), None);
            }
        }
    }

    /// Writes the names of the busiest airports next to their discs. A name is left out if it does not fit.
    fn draw_names(&self, picture: &mut Pixmap, scene: &Scene, pen: &Pen) {
        const SIZE: f32 = 21.0;
        let most = scene.airports.first().map_or(1, |airport| airport.flights);
        let bounds = Rect::from_xywh(0.0, 0.0, self.size.0 as f32, self.size.1 as f32);
        let inside = |rect: &Rect| bounds.is_some_and(|bounds| bounds.intersect(rect) == Some(*rect));
        let discs = scene.airports.iter().filter_map(|airport| self.disc(airport, most));
        let mut taken: Vec<Rect> = discs.filter(|disc| disc.width() > 12.0).collect();
        let here = scene.airports.iter().filter(|airport| self.disc(airport, most).is_some_and(|disc| inside(&disc)));
        for airport in here.take(self.names) {
            let (x, y) = self.projection.project(airport.place);
            let (width, gap) = (pen.width(&airport.code, SIZE), radius(airport.flights, most) + 4.0);
            let corners = [(gap, -8.0), (-gap - width, -8.0), (-width / 2.0, -gap - 15.0), (-width / 2.0, gap - 1.0)];
            let mut boxes = corners.iter().filter_map(|(dx, dy)| Rect::from_xywh(x + dx, y + dy, width, 16.0));
            let free = |name: &Rect| inside(name) && !taken.iter().any(|other| name.intersect(other).is_some());
            let Some(name) = boxes.find(free) else {
                continue;
            };
            pen.write(picture, &airport.code, SIZE, style::TEXT, (name.left(), name.bottom()));
            taken.extend(name.outset(4.0, 2.0));
        }
    }

    /// The square around the disc of an airport.
    fn disc(&self, airport: &Dot, most: u64) -> Option<Rect> {
        let (x, y) = self.projection.project(airport.place);
        let radius = radius(airport.flights, most);
        Rect::from_ltrb(x - radius, y - radius, x + radius, y + radius)
    }

    /// Returns lines through the given points, or `None` if there are no points.
    fn path<L: IntoIterator<Item = DVec3>>(&self, lines: impl IntoIterator<Item = L>) -> Option<Path> {
        let mut path = PathBuilder::new();
        for line in lines {
            let mut last: Option<f32> = None;
            for place in line {
                let (x, y) = self.projection.project(place);
                // A line that leaves the map on one side and comes back on the other is two.
                match last.replace(x) {
                    Some(before) if (x - before).abs() < self.size.0 as f32 => path.line_to(x, y),
                    _ => path.move_to(x, y),
                }
            }
        }
        path.finish()
    }
}

/// The length of the arrow head of an aircraft.
pub(super) const ARROW: f32 = 13.0;

/// One in how many aircraft is drawn, if there are `aircraft`: more than several hundred would cover the map.
pub(super) fn one_in(aircraft: usize) -> usize {
    aircraft.div_ceil(800).max(1)
}

/// An arrow head around `at` that points along `ahead` and is as long as that.
pub(super) fn arrow(at: (f32, f32), ahead: (f32, f32)) -> Option<Path> {
    let corner = |along: f32, across: f32| {
        (at.0 + ahead.0 * along - ahead.1 * across, at.1 + ahead.1 * along + ahead.0 * across)
    };
    let mut path = PathBuilder::new();
    let (x, y) = corner(0.6, 0.0);
    path.move_to(x, y);
    for (x, y) in [corner(-0.5, 0.42), corner(-0.25, 0.0), corner(-0.5, -0.42)] {
        path.line_to(x, y);
    }
    path.close();
    path.finish()
}
