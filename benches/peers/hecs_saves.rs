//! Worlds as bytes by columns, done by hecs with postcard.

use std::hint::black_box;

use hecs::serialize::column::{SerializeContext, serialize, try_serialize, try_serialize_id};
use hecs::{Archetype, World};
use serde::ser::{SerializeTuple, Serializer};
use serde::{Deserialize, Serialize};

use crate::support::{Contestant, Sample, repeated};

const ROWS: usize = 1_000_000;

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Field<const NUMBER: usize>([f32; 3]);

/// Four components, by their numbers.
struct Four;

impl SerializeContext for Four {
    fn component_count(&self, archetype: &Archetype) -> usize {
        archetype.component_types().count()
    }

    fn serialize_component_ids<S: SerializeTuple>(&mut self, of: &Archetype, mut out: S) -> Result<S::Ok, S::Error> {
        try_serialize_id::<Field<0>, _, _>(of, &0_u32, &mut out)?;
        try_serialize_id::<Field<1>, _, _>(of, &1_u32, &mut out)?;
        try_serialize_id::<Field<2>, _, _>(of, &2_u32, &mut out)?;
        try_serialize_id::<Field<3>, _, _>(of, &3_u32, &mut out)?;
        out.end()
    }

    fn serialize_components<S: SerializeTuple>(&mut self, of: &Archetype, mut out: S) -> Result<S::Ok, S::Error> {
        try_serialize::<Field<0>, _>(of, &mut out)?;
        try_serialize::<Field<1>, _>(of, &mut out)?;
        try_serialize::<Field<2>, _>(of, &mut out)?;
        try_serialize::<Field<3>, _>(of, &mut out)?;
        out.end()
    }
}

/// A world, to be serialised.
struct Saved(World);

impl Serialize for Saved {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, &mut Four, serializer)
    }
}

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "save 1M x 4 by serde" => vec![Contestant::new("hecs: serialize::column, postcard", None, saved)],
        _ => Vec::new(),
    }
}

fn saved() -> Sample {
    let mut world = World::new();
    let part = |at: usize| [at as f32, 1.0, 0.5];
    let rows = (0..ROWS).map(|at| (Field::<0>(part(at)), Field::<1>(part(at)), Field::<2>(part(at)), Field::<3>(part(at))));
    world.spawn_batch(rows).for_each(drop);
    let (world, mut bytes) = (Saved(world), Vec::new());
    repeated(move || {
        bytes.clear();
        let written = postcard::to_extend(black_box(&world), std::mem::take(&mut bytes));
        bytes = written.unwrap_or_else(|error| unreachable!("{error}"));
    })
}
