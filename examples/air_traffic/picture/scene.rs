//! The visible data, copied from the world.

use std::collections::BTreeMap;

use glam::DVec3;
use strata_ecs::prelude::*;

use crate::components::{Airport, BusiestMinute, Landed, Place, Route, Traffic};

/// Everything that the picture shows.
pub(super) struct Scene {
    /// The airports that had flights, the busiest one first.
    pub(super) airports: Vec<Dot>,
    /// The routes that were flown, the most frequent one last.
    pub(super) tracks: Vec<Track>,
    /// Position and heading of the flights in the air in the busiest minute.
    pub(super) aircraft: Vec<(DVec3, DVec3)>,
}

/// An airport.
pub(super) struct Dot {
    pub(super) code: String,
    pub(super) place: DVec3,
    pub(super) flights: u64,
}

/// A route, whatever the direction.
pub(super) struct Track {
    pub(super) ends: [DVec3; 2],
    pub(super) flights: u64,
}

impl Scene {
    pub(super) fn new(world: &mut World) -> Self {
        let mut query = world.query::<(&Airport, &Place, &Traffic)>();
        let seen = query.iter(world).filter(|(.., traffic)| traffic.total() > 0);
        let mut airports: Vec<Dot> = seen
            .map(|(airport, place, traffic)| Dot {
                code: airport.code.clone(),
                place: place.0,
                flights: traffic.total(),
            })
            .collect();
        airports.sort_by(|a, b| b.flights.cmp(&a.flights).then_with(|| a.code.cmp(&b.code)));

        let mut flights_by_ends = BTreeMap::<[Entity; 2], u64>::new();
        for route in world.query_filtered::<&Route, With<Landed>>().iter(world) {
            let ends = [route.origin.min(route.destination), route.origin.max(route.destination)];
            *flights_by_ends.entry(ends).or_default() += 1;
        }
        let mut tracks: Vec<Track> = flights_by_ends
            .into_iter()
            .filter_map(|([one, other], flights)| {
                Some(Track { ends: [world.get::<Place>(one)?.0, world.get::<Place>(other)?.0], flights })
            })
            .collect();
        tracks.sort_by_key(|track| track.flights);

        let busiest = &world.resource::<BusiestMinute>().flights;
        let aircraft = busiest.iter().map(|(position, heading)| (position.0, heading.0)).collect();
        Scene { airports, tracks, aircraft }
    }
}
