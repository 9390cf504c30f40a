//! From places on the sphere to points of the picture.

use glam::DVec3;

use crate::geo;

/// Albers' conic projection, which keeps areas: the usual one for maps of the United States.
///
/// The formulas are those of Snyder, Map Projections: A Working Manual (USGS 1987), page 100, for a sphere.
pub(super) struct Albers {
    /// The cone's constant n.
    cone: f64,
    c: f64,
    rho_of_centre: f64,
    longitude_of_centre: f64,
    /// Pixels a radian.
    scale: f64,
    /// Where the centre is in the picture.
    centre: (f64, f64),
}

impl Albers {
    /// Latitudes and longitudes are in degrees; the map is true to scale along the two `parallels`.
    pub(super) fn new(parallels: [f64; 2], middle: (f64, f64), scale: f64, centre: (f64, f64)) -> Self {
        let [south, north] = parallels.map(f64::to_radians);
        let cone = (south.sin() + north.sin()) / 2.0;
        let c = south.cos().powi(2) + 2.0 * cone * south.sin();
        let longitude_of_centre = middle.1.to_radians();
        let mut projection = Albers { cone, c, rho_of_centre: 0.0, longitude_of_centre, scale, centre };
        projection.rho_of_centre = projection.rho(middle.0.to_radians());
        projection
    }

    /// The point of the picture for a place, in pixels from the top left corner.
    pub(super) fn project(&self, place: DVec3) -> (f32, f32) {
        let (latitude, longitude) = geo::coordinates(place);
        let (turn, half) = (std::f64::consts::TAU, std::f64::consts::PI);
        let east = (longitude - self.longitude_of_centre + half).rem_euclid(turn) - half;
        let (sin, cos) = (self.cone * east).sin_cos();
        let rho = self.rho(latitude);
        let x = self.centre.0 + self.scale * rho * sin;
        let y = self.centre.1 - self.scale * (self.rho_of_centre - rho * cos);
        (x as f32, y as f32)
    }

    /// Distance from the tip of the cone.
    fn rho(&self, latitude: f64) -> f64 {
        (self.c - 2.0 * self.cone * latitude.sin()).max(0.0).sqrt() / self.cone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_worked_example_of_the_manual() {
        // The numerical example for the sphere of radius 1, in the manual's appendix.
        let projection = Albers::new([29.5, 45.5], (23.0, -96.0), 1.0, (0.0, 0.0));
        let (x, y) = projection.project(geo::place(35.0, -75.0));
        assert!((x - 0.295_272).abs() < 1e-6 && (y + 0.241_677_4).abs() < 1e-6, "{x} {y}");
    }

    #[test]
    fn longitudes_wrap_around() {
        let projection = Albers::new([55.0, 65.0], (60.0, -154.0), 100.0, (0.0, 0.0));
        let (west, east) = (projection.project(geo::place(52.0, 179.9)), projection.project(geo::place(52.0, -179.9)));
        assert!((west.0 - east.0).abs() < 1.0 && west.0 < east.0);
    }
}
