//! Files of worlds in memory, compared with a copy of the same bytes: components, ids, and the locations of the ids.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{WorldFormat, components};

use super::snapshots::copied;
use super::{Bench, Contestant, Sample, keep_freed_memory, repeated};

const ROWS: usize = 1_000_000;

#[derive(Component, Clone, Copy, Serialize, Deserialize)]
#[component(plain)]
#[repr(C)]
struct Plain<const NUMBER: usize>([f32; 3]);
#[derive(Component, Clone, Copy, Serialize, Deserialize)]
struct Field<const NUMBER: usize>([f32; 3]);

pub(super) fn benches() -> Vec<Bench> {
    let bench = |name, contestant| Bench {
        file: "saves",
        name,
        rows: ROWS,
        contestants: vec![Contestant::new("copied by hand", None, || copied(4)), contestant],
    };
    vec![
        bench("save 1M x 4 plain", Contestant::new("format.save_into", Some(1.5), || saved(plain()))),
        bench("load 1M x 4 plain", Contestant::new("format.load", Some(2.5), || loaded(plain()))),
        bench("save 1M x 4 by serde", Contestant::new("format.save_into", None, || saved(by_serde()))),
        bench("load 1M x 4 by serde", Contestant::new("format.load", None, || loaded(by_serde()))),
        Bench {
            file: "saves",
            name: "delta of 1 % of 1M x 4 plain",
            rows: ROWS,
            contestants: vec![
                Contestant::new("format.save_into", None, || saved(journaled(plain()))),
                Contestant::new("format.delta_since", Some(0.03), || delta(journaled(plain()))),
            ],
        },
    ]
}

/// The values of a component.
fn values<C>(make: fn([f32; 3]) -> C) -> Vec<C> {
    (0..ROWS).map(|at| make([at as f32, 1.0, 0.5])).collect()
}

macro_rules! world_of {
    ($Component:ident) => {{
        let mut world = World::new();
        let columns =
            (values($Component::<0>), values($Component::<1>), values($Component::<2>), values($Component::<3>));
        match world.spawn_columns(columns) {
            Ok(ids) => ids.for_each(drop),
            Err(error) => unreachable!("{error}"),
        }
        let types = components![$Component<0>, $Component<1>, $Component<2>, $Component<3>];
        (world, WorldFormat::new().with_components(types))
    }};
}

fn plain() -> (World, WorldFormat) {
    world_of!(Plain)
}

fn by_serde() -> (World, WorldFormat) {
    world_of!(Field)
}

fn saved((mut world, format): (World, WorldFormat)) -> Sample {
    let mut bytes = Vec::new();
    repeated(move || assert!(black_box(&format).save_into(black_box(&mut world), &mut bytes).is_ok()))
}

/// With a journal there are ticks, which are saved too.
fn journaled((mut world, format): (World, WorldFormat)) -> (World, WorldFormat) {
    format.start_journal(&mut world, 1 << 10).unwrap_or_else(|error| unreachable!("{error}"));
    (world, format)
}

/// Saves the changes since the previous save; making the changes is not timed.
fn delta((mut world, format): (World, WorldFormat)) -> Sample {
    let mut position = world.journal_position().unwrap_or_else(|error| unreachable!("{error}"));
    let ids: Vec<Entity> = world.tables().iter().flat_map(|table| table.entities()).copied().step_by(100).collect();
    Box::new(move |runs| {
        let mut time = Duration::ZERO;
        for _ in 0..runs {
            for &id in &ids {
                world.get_mut::<Plain<0>>(id).into_iter().for_each(|mut value| value.0[0] += 1.0);
                world.get_mut::<Plain<1>>(id).into_iter().for_each(|mut value| value.0[0] += 1.0);
                world.get_mut::<Plain<2>>(id).into_iter().for_each(|mut value| value.0[0] += 1.0);
                world.get_mut::<Plain<3>>(id).into_iter().for_each(|mut value| value.0[0] += 1.0);
            }
            let start = Instant::now();
            let delta = black_box(&format).delta_since(black_box(&mut world), &position);
            time += start.elapsed();
            let delta = delta.unwrap_or_else(|error| unreachable!("{error}"));
            assert_eq!(delta.values, 4 * ROWS / 100);
            position = delta.position;
        }
        time
    })
}

fn loaded((mut world, format): (World, WorldFormat)) -> Sample {
    let bytes = format.save(&mut world).unwrap_or_else(|error| unreachable!("{error}"));
    keep_freed_memory();
    repeated(move || assert!(black_box(&format).load(&mut world, black_box(&bytes)).is_ok()))
}
