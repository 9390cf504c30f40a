//! The cost of required components, compared with the equivalent bundle spelled out; both use the library.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::data::{BODY, Kept, Position, Rotation, Transform, Velocity};
use super::limits::honest;
use super::structure::spawn_honestly;
use super::{Bench, Contestant, fresh};

const ROWS: usize = 10_000;

/// A body whose other components are required.
#[derive(Clone, Copy, Component)]
#[require(Transform = BODY.0, Position = BODY.1, Rotation = BODY.2)]
struct Needing(Velocity);

/// The same without requirements.
#[derive(Clone, Copy, Component)]
struct Plain(Velocity);

fn written_out() -> (Plain, Transform, Position, Rotation) {
    let body = black_box(BODY);
    (Plain(body.3), body.0, body.1, body.2)
}

fn needing() -> Needing {
    Needing(black_box(BODY).3)
}

pub(super) fn benches() -> Vec<Bench> {
    vec![spawn(), batch(), columns(), commands(), insert()]
}

fn bench(name: &'static str, contestants: Vec<Contestant>) -> Bench {
    Bench { file: "structure", name, rows: ROWS, contestants }
}

fn spawn() -> Bench {
    fn work<B: Bundle + Copy>(bundle: fn() -> B) -> super::Sample {
        fresh(World::new, move |mut world| {
            let bundle = bundle();
            for _ in 0..ROWS {
                world.spawn(bundle);
            }
            world
        })
    }
    bench(
        "spawn 10k, 3 of 4 required",
        vec![
            Contestant::new("written out", None, || work(written_out)),
            Contestant::new("required", Some(1.3), || work(needing)),
            honest(spawn_honestly),
        ],
    )
}

fn batch() -> Bench {
    fn work<B: Bundle + Copy>(bundle: fn() -> B) -> super::Sample {
        fresh(World::new, move |mut world| {
            let bundle = bundle();
            world.spawn_batch((0..ROWS).map(|_| bundle));
            world
        })
    }
    bench(
        "spawn_batch 10k, 3 of 4 required",
        vec![
            Contestant::new("written out", None, || work(written_out)),
            Contestant::new("required", Some(1.3), || work(needing)),
        ],
    )
}

fn columns() -> Bench {
    bench(
        "spawn_columns 10k, 3 of 4 required",
        vec![
            Contestant::new("written out", None, || {
                fresh(World::new, |mut world| {
                    let (plain, transform, position, rotation) = written_out();
                    let ids = world.spawn_columns((
                        vec![plain; ROWS],
                        vec![transform; ROWS],
                        vec![position; ROWS],
                        vec![rotation; ROWS],
                    ));
                    assert!(ids.is_ok());
                    world
                })
            }),
            Contestant::new("required", Some(1.3), || {
                fresh(World::new, |mut world| {
                    assert!(world.spawn_columns(vec![needing(); ROWS]).is_ok());
                    world
                })
            }),
        ],
    )
}

fn commands() -> Bench {
    fn work<B: Bundle + Copy>(bundle: fn() -> B) -> super::Sample {
        fresh(World::new, move |mut world| {
            let bundle = bundle();
            let mut commands = world.commands();
            for _ in 0..ROWS {
                commands.spawn(bundle);
            }
            world.flush();
            world
        })
    }
    bench(
        "spawn by command 10k, 3 of 4 required",
        vec![
            Contestant::new("written out", None, || work(written_out)),
            Contestant::new("required", Some(1.3), || work(needing)),
        ],
    )
}

fn insert() -> Bench {
    fn work<B: Bundle + Copy>(bundle: fn() -> B) -> super::Sample {
        let prepare = || {
            let mut world = World::new();
            let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| Kept(1.0))).collect();
            (world, ids)
        };
        fresh(prepare, move |(mut world, ids)| {
            let bundle = bundle();
            for &id in &ids {
                world.entity_mut(id).insert(bundle);
            }
            (world, ids)
        })
    }
    bench(
        "insert by id 10k, 3 of 4 required",
        vec![
            Contestant::new("written out", None, || work(written_out)),
            Contestant::new("required", Some(1.3), || work(needing)),
        ],
    )
}
