//! The map: land, tracks, airports, and the aircraft in the air in the busiest minute.

mod legend;
mod outlines;
mod panel;
mod projection;
mod scene;
mod style;
mod text;

use std::error::Error;

use strata_ecs::prelude::*;
use tiny_skia::{Pixmap, PixmapPaint, Transform};

use crate::timetable::Timetable;
use outlines::Outlines;
use panel::Panel;
use scene::Scene;
use text::Pen;

/// Pixels.
const WIDTH: u32 = 2400;
const HEIGHT: u32 = 1500;

/// Draws the flights that `world` has seen. Returns a file in PNG format.
pub(crate) fn draw(world: &mut World, timetable: &Timetable) -> Result<Vec<u8>, Box<dyn Error>> {
    let scene = Scene::new(world);
    let outlines = Outlines::load()?;
    let pen = Pen::new()?;
    let mut canvas = Pixmap::new(WIDTH, HEIGHT).ok_or("the picture has no size")?;
    for panel in Panel::all() {
        let picture = panel.draw(&scene, &outlines, &pen).ok_or("a part of the picture has no size")?;
        let (x, y) = panel.corner();
        canvas.draw_pixmap(x, y, picture.as_ref(), &PixmapPaint::default(), Transform::identity(), None);
    }
    legend::draw(&mut canvas, &pen, &scene, world, timetable);
    Ok(canvas.encode_png()?)
}
