//! Places on a sphere, and the great circles between them.
//!
//! A place is a unit vector from the centre of the earth. Moving along a great circle is then a rotation in a plane,
//! which needs no trigonometry once the sine and cosine of the step are known.

use glam::DVec3;

/// Mean radius of the earth in statute miles, the unit of the flight records.
const EARTH_RADIUS: f64 = 3958.76;

/// The unit vector of a place given in degrees.
pub(crate) fn place(latitude: f64, longitude: f64) -> DVec3 {
    let (latitude, longitude) = (latitude.to_radians(), longitude.to_radians());
    DVec3::new(latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin())
}

/// Latitude and longitude of a place, in radians.
pub(crate) fn coordinates(place: DVec3) -> (f64, f64) {
    (place.z.clamp(-1.0, 1.0).asin(), place.y.atan2(place.x))
}

/// The angle between two places as seen from the centre of the earth, in radians.
pub(crate) fn angle(from: DVec3, to: DVec3) -> f64 {
    // Unlike the arc cosine this is exact for neighbours and for antipodes.
    from.cross(to).length().atan2(from.dot(to))
}

/// Distance between two places along the great circle, in statute miles.
pub(crate) fn distance(from: DVec3, to: DVec3) -> f64 {
    EARTH_RADIUS * angle(from, to)
}

/// The direction in which the great circle leaves `from` for `to`, a unit vector at a right angle to `from`.
///
/// Where every direction is as good (the same place, or its antipode) it is one of them.
pub(crate) fn heading(from: DVec3, to: DVec3) -> DVec3 {
    (to - from * from.dot(to)).try_normalize().unwrap_or_else(|| from.any_orthonormal_vector())
}

/// Points of the great circle from `from` to `to`, both ends included, at most `step` radians apart.
pub(crate) fn track(from: DVec3, to: DVec3, step: f64) -> impl Iterator<Item = DVec3> {
    let (angle, heading) = (angle(from, to), heading(from, to));
    let steps = (angle / step).ceil().max(1.0) as u32;
    (0..=steps).map(move |i| {
        let (sin, cos) = (angle * f64::from(i) / f64::from(steps)).sin_cos();
        from * cos + heading * sin
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATLANTA: (f64, f64) = (33.640444, -84.426944);
    const LOS_ANGELES: (f64, f64) = (33.942536, -118.408074);

    fn at(place_in_degrees: (f64, f64)) -> DVec3 {
        place(place_in_degrees.0, place_in_degrees.1)
    }

    #[test]
    fn distance_agrees_with_the_published_one() {
        let miles = distance(at(ATLANTA), at(LOS_ANGELES));
        assert!((miles - 1946.0).abs() < 6.0, "{miles}");
    }

    #[test]
    fn a_quarter_of_the_equator_is_a_right_angle() {
        let quarter = angle(place(0.0, 0.0), place(0.0, 90.0));
        assert!((quarter - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    }

    #[test]
    fn coordinates_undo_place() {
        let (latitude, longitude) = coordinates(at(ATLANTA));
        assert!((latitude.to_degrees() - ATLANTA.0).abs() < 1e-9);
        assert!((longitude.to_degrees() - ATLANTA.1).abs() < 1e-9);
    }

    #[test]
    fn a_track_starts_and_ends_at_its_places_and_bulges_north_between_them() {
        let points: Vec<_> = track(at(ATLANTA), at(LOS_ANGELES), 0.01).collect();
        assert!(points[0].distance(at(ATLANTA)) < 1e-12);
        assert!(points[points.len() - 1].distance(at(LOS_ANGELES)) < 1e-12);
        let middle = coordinates(points[points.len() / 2]).0.to_degrees();
        assert!(middle > 34.5, "{middle}");
    }

    #[test]
    fn a_heading_exists_even_where_all_directions_are_the_same() {
        let pole = place(90.0, 0.0);
        for other in [pole, -pole] {
            let heading = heading(pole, other);
            assert!(heading.is_normalized() && heading.dot(pole).abs() < 1e-12);
        }
    }
}
