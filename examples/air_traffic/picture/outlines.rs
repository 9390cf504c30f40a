//! The outlines of the states, from the map file in TopoJSON form.

use glam::DVec3;
use serde::Deserialize;

use crate::geo;

/// Lines and areas of the map.
pub(super) struct Outlines {
    /// Coasts and borders, each once.
    pub(super) lines: Vec<Vec<DVec3>>,
    /// The country's land, as rings.
    pub(super) land: Vec<Vec<DVec3>>,
}

impl Outlines {
    /// The map that comes with the example.
    pub(super) fn load() -> Result<Self, serde_json::Error> {
        let map: TopoJson = serde_json::from_str(include_str!("../map/states-10m.json"))?;
        let lines: Vec<Vec<DVec3>> = map.arcs.iter().map(|arc| map.transform.decode(arc)).collect();
        let polygons = map.objects.nation.geometries.iter().flat_map(|nation| &nation.arcs);
        let land = polygons.flatten().map(|ring| join(ring, &lines)).collect();
        Ok(Outlines { lines, land })
    }
}

/// A ring from its arcs. The number of an arc that is to be walked backwards is its complement.
fn join(ring: &[i32], lines: &[Vec<DVec3>]) -> Vec<DVec3> {
    let mut points = Vec::new();
    for &number in ring {
        match usize::try_from(number) {
            Ok(forwards) => points.extend(&lines[forwards]),
            Err(_) => points.extend(lines[!number as usize].iter().rev()),
        }
    }
    points
}

/// The parts of a TopoJSON file that are needed: github.com/topojson/topojson-specification.
#[derive(Deserialize)]
struct TopoJson {
    transform: Transform,
    arcs: Vec<Vec<[f64; 2]>>,
    objects: Objects,
}

#[derive(Deserialize)]
struct Transform {
    scale: [f64; 2],
    translate: [f64; 2],
}

#[derive(Deserialize)]
struct Objects {
    nation: Collection,
}

#[derive(Deserialize)]
struct Collection {
    geometries: Vec<MultiPolygon>,
}

#[derive(Deserialize)]
struct MultiPolygon {
    arcs: Vec<Vec<Vec<i32>>>,
}

impl Transform {
    /// Points are whole numbers, each relative to the one before.
    fn decode(&self, arc: &[[f64; 2]]) -> Vec<DVec3> {
        let mut at = [0.0; 2];
        let points = arc.iter().map(|step| {
            at = [at[0] + step[0], at[1] + step[1]];
            let degrees = |axis: usize| at[axis] * self.scale[axis] + self.translate[axis];
            geo::place(degrees(1), degrees(0))
        });
        points.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_map_has_closed_rings() {
        let outlines = Outlines::load().unwrap();
        assert!(outlines.land.len() > 100, "islands, too");
        for ring in &outlines.land {
            assert!(ring[0].distance(ring[ring.len() - 1]) < 1e-12);
        }
    }
}
