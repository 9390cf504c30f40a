//! Text as filled outlines, in a font that comes as a crate: the machine need not have any.

use tiny_skia::{FillRule, LineJoin, Path, PathBuilder, Pixmap, Stroke, Transform};
use ttf_parser::{Face, FaceParsingError, OutlineBuilder};

use super::style::{OCEAN, Rgb, paint};

/// A font that writes on a picture.
pub(super) struct Pen(Face<'static>);

impl Pen {
    pub(super) fn new() -> Result<Self, FaceParsingError> {
        Face::parse(epaint_default_fonts::UBUNTU_LIGHT, 0).map(Pen)
    }

    /// Width of `text` in pixels, in letters of `size` pixels.
    pub(super) fn width(&self, text: &str, size: f32) -> f32 {
        let advance = |c| self.0.glyph_index(c).and_then(|glyph| self.0.glyph_hor_advance(glyph));
        text.chars().filter_map(advance).map(f32::from).sum::<f32>() * self.scale(size)
    }

    /// Writes `text` from `at` on, the left end of its baseline, with a dark rim that sets it off from what is below.
    pub(super) fn write(&self, on: &mut Pixmap, text: &str, size: f32, rgb: Rgb, at: (f32, f32)) {
        if let Some(path) = self.outline(text, self.scale(size), at) {
            let rim = Stroke { width: size / 4.0, line_join: LineJoin::Round, ..Stroke::default() };
            on.stroke_path(&path, &paint(OCEAN, 0.7), &rim, Transform::identity(), None);
            on.fill_path(&path, &paint(rgb, 1.0), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// The outline of `text`, or `None` if there is nothing to see of it.
    fn outline(&self, text: &str, scale: f32, (mut x, y): (f32, f32)) -> Option<Path> {
        let mut outline = Outline { path: PathBuilder::new(), origin: (0.0, y), scale };
        for glyph in text.chars().filter_map(|c| self.0.glyph_index(c)) {
            outline.origin.0 = x;
            // Only the outline matters; the box that comes back is empty for a space.
            let _ = self.0.outline_glyph(glyph, &mut outline);
            x += f32::from(self.0.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        }
        outline.path.finish()
    }

    fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.0.units_per_em())
    }
}

/// Collects the outline of a glyph, from font units with y up to pixels with y down.
struct Outline {
    path: PathBuilder,
    origin: (f32, f32),
    scale: f32,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.origin.0 + x * self.scale, self.origin.1 - y * self.scale)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
