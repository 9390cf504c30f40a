//! Colours and sizes, which panels and legend share.

use tiny_skia::{Color, Paint, PathBuilder, Pixmap, Rect, Stroke, Transform};

pub(super) const OCEAN: Rgb = [9, 12, 22];
pub(super) const LAND: Rgb = [24, 30, 46];
pub(super) const BORDER: Rgb = [58, 70, 98];
pub(super) const TEXT: Rgb = [226, 232, 244];
pub(super) const FAINT_TEXT: Rgb = [142, 154, 180];
pub(super) const AIRCRAFT: Rgb = [255, 255, 255];

/// Red, green, blue.
pub(super) type Rgb = [u8; 3];

/// From seldom to often: a ramp that gets lighter all the way, so that it reads without colours, too.
const RAMP: [Rgb; 6] =
    [[28, 66, 120], [36, 112, 168], [58, 168, 178], [150, 208, 130], [250, 196, 84], [255, 236, 190]];

/// The colour at `share` (0 to 1) of the ramp.
pub(super) fn ramp(share: f32) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (RAMP.len() - 1) as f32;
    let low = (at as usize).min(RAMP.len() - 2);
    let mix = |i: usize| {
        f32::from(RAMP[low][i]) + (at - low as f32) * (f32::from(RAMP[low + 1][i]) - f32::from(RAMP[low][i]))
    };
    [mix(0) as u8, mix(1) as u8, mix(2) as u8]
}

/// Where a number of flights is on the ramp if the largest number is `most`; the square root keeps small numbers apart.
pub(super) fn share(flights: u64, most: u64) -> f32 {
    (flights as f64 / most.max(1) as f64).sqrt() as f32
}

/// Radius in pixels of the disc of an airport with `flights`: its area stands for the flights.
pub(super) fn radius(flights: u64, most: u64) -> f32 {
    2.0 + 17.0 * share(flights, most)
}

/// Draws a thin frame.
pub(super) fn frame(on: &mut Pixmap, rect: Rect) {
    on.stroke_path(&PathBuilder::from_rect(rect), &paint(BORDER, 1.0), &Stroke::default(), Transform::identity(), None);
}

pub(super) fn colour([red, green, blue]: Rgb, alpha: f32) -> Color {
    let mut colour = Color::from_rgba8(red, green, blue, 255);
    colour.set_alpha(alpha);
    colour
}

pub(super) fn paint(rgb: Rgb, alpha: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(rgb, alpha));
    paint
}
