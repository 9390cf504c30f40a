//! Minutes, and the time zones in which airports tell them.

use chrono::{NaiveDateTime, TimeDelta};

/// A point in time, in minutes of universal time since midnight before the first departure.
pub(crate) type Minute = i64;

/// The minutes of a day.
pub(crate) const DAY: Minute = 24 * 60;

/// Minutes that the clocks of a place in the United States are ahead of universal time, without daylight saving.
///
/// The records tell local time and no zone. All of them are of a winter, before daylight saving began, so that the zone
/// follows from the place: the limits below run between the airports on either side. They put all airports of the
/// records but a handful on the right side, those by an hour.
/// Elsewhere in the world it is the zone by the sun.
pub(crate) fn zone(latitude: f64, longitude: f64) -> Minute {
    let hours = match (latitude, longitude) {
        (..23.0, -161.0..-154.0) => -10,                                     // Hawaii
        (50.0.., -170.0..-130.0) => -9,                                      // Alaska
        (..20.0, -68.0..-64.0) => -4,                                        // Puerto Rico, Virgin Islands
        (24.0..50.0, -86.35..-66.0) => -5,                                   // Eastern
        (24.0..50.0, -102.6..-86.35) => -6,                                  // Central
        (24.0..50.0, -114.65..-102.6) | (42.0..50.0, -117.0..-114.65) => -7, // Mountain, with southern Idaho
        (24.0..50.0, -125.0..-114.65) => -8,                                 // Pacific
        _ => (longitude / 15.0).round() as Minute,
    };
    hours * 60
}

/// Minutes from `start` to `end`.
pub(crate) fn minutes_between(start: NaiveDateTime, end: NaiveDateTime) -> Minute {
    (end - start).num_minutes()
}

/// The date and time `minute` minutes after `start`.
pub(crate) fn date_at(start: NaiveDateTime, minute: Minute) -> NaiveDateTime {
    start + TimeDelta::minutes(minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_of_the_winter_of_2001() {
        for (name, latitude, longitude, hours) in [
            ("San Juan", 18.44, -66.00, -4),
            ("Atlanta", 33.64, -84.43, -5),
            ("Indianapolis", 39.72, -86.29, -5),
            ("Chicago", 41.98, -87.90, -6),
            ("Montgomery", 32.30, -86.39, -6),
            ("Denver", 39.86, -104.67, -7),
            ("Phoenix", 33.43, -112.01, -7),
            ("Boise", 43.56, -116.22, -7),
            ("Las Vegas", 36.08, -115.15, -8),
            ("Seattle", 47.45, -122.31, -8),
            ("Anchorage", 61.17, -150.00, -9),
            ("Honolulu", 21.32, -157.92, -10),
            ("Guam", 13.48, 144.80, 10),
        ] {
            assert_eq!(zone(latitude, longitude), hours * 60, "{name}");
        }
    }

    #[test]
    fn minutes_and_dates_undo_each_other() {
        let start = NaiveDateTime::default();
        let end = date_at(start, 1_441);
        assert_eq!(end.to_string(), "1970-01-02 00:01:00");
        assert_eq!(minutes_between(start, end), 1_441);
    }
}
