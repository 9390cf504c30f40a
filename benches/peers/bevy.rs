//! The workloads, done by `bevy_ecs`.

use std::hint::black_box;

use bevy_ecs::prelude::*;

use crate::support::data::{self, Vec3, shuffle};
use crate::support::{Contestant, Sample, fresh, placed, repeated};

#[derive(Clone, Copy, Component)]
pub(crate) struct Transform(#[expect(dead_code, reason = "only there to take room")] pub(crate) data::Transform);

#[derive(Clone, Copy, Component)]
pub(crate) struct Position(pub(crate) Vec3);

#[derive(Clone, Copy, Component)]
pub(crate) struct Rotation(#[expect(dead_code, reason = "only there to take room")] data::Rotation);

#[derive(Clone, Copy, Component)]
pub(crate) struct Velocity(Vec3);

#[derive(Clone, Copy, Component)]
struct Data<const COPY: usize>(data::Data<COPY>);

impl<const COPY: usize> Data<COPY> {
    fn one() -> Self {
        Self(data::Data(1.0))
    }
}

#[derive(Clone, Copy, Component)]
struct Fragment<const N: u8>(#[expect(dead_code, reason = "only there to take room")] f32);

#[derive(Clone, Copy, Component)]
struct Wide<const N: u8>(Vec3);

#[derive(Clone, Copy, Component)]
pub(crate) struct Kept(#[expect(dead_code, reason = "only moved")] pub(crate) f32);

#[derive(Clone, Copy, Component)]
pub(crate) struct Extra(#[expect(dead_code, reason = "only moved")] pub(crate) f32);

pub(crate) type Body = (Transform, Position, Rotation, Velocity);

pub(crate) fn body() -> Body {
    let (transform, position, rotation, velocity) = black_box(data::BODY);
    (Transform(transform), Position(position.0), Rotation(rotation), Velocity(velocity.0))
}

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "simple_iter 10k" => simple(|| plain_for(bodies()), || for_each(bodies()), || contiguous(bodies())),
        "simple_iter 1M" => simple(|| plain_for(points()), || for_each(points()), || contiguous(points())),
        "fragmented_iter 26 x 20" => vec![Contestant::new("bevy_ecs: for_each", None, || {
            placed([fragmented::<0>(), fragmented::<1>(), fragmented::<2>(), fragmented::<3>()])
        })],
        "heavily_fragmented 512 of 1024 x 4" => vec![Contestant::new("bevy_ecs: for_each", None, || {
            placed([
                heavily_fragmented::<0>(),
                heavily_fragmented::<1>(),
                heavily_fragmented::<2>(),
                heavily_fragmented::<3>(),
            ])
        })],
        "wide_iter 10k x 8" => vec![Contestant::new("bevy_ecs: plain for", None, wide)],
        "spawn 10k x 4" => vec![
            Contestant::new("bevy_ecs: one by one", None, spawn),
            Contestant::new("bevy_ecs: spawn_batch", None, spawn_batch),
        ],
        "despawn by id 10k" => vec![Contestant::new("bevy_ecs: world.despawn", None, despawn)],
        "get by shuffled id 10k" => get(|| world_get(10_000), || query_get(10_000)),
        "get by shuffled id 1M" => get(|| world_get(1_000_000), || query_get(1_000_000)),
        _ => Vec::new(),
    }
}

fn simple(plain_for: fn() -> Sample, for_each: fn() -> Sample, contiguous: fn() -> Sample) -> Vec<Contestant> {
    vec![
        Contestant::new("bevy_ecs: plain for", None, plain_for),
        Contestant::new("bevy_ecs: for_each", None, for_each),
        Contestant::new("bevy_ecs: contiguous, changes bypassed", None, contiguous),
    ]
}

fn get(world_get: fn() -> Sample, query_get: fn() -> Sample) -> Vec<Contestant> {
    vec![
        Contestant::new("bevy_ecs: world.get", None, world_get),
        Contestant::new("bevy_ecs: query.get", None, query_get),
    ]
}

fn bodies() -> World {
    let mut world = World::new();
    world.spawn_batch(vec![body(); 10_000]);
    world
}

fn points() -> World {
    let mut world = World::new();
    let body = body();
    world.spawn_batch(vec![(body.1, body.3); 1_000_000]);
    world
}

fn plain_for(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        for (mut position, velocity) in query.iter_mut(black_box(&mut world)) {
            position.0.add(velocity.0);
        }
    })
}

fn for_each(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        query.iter_mut(black_box(&mut world)).for_each(|(mut position, velocity)| position.0.add(velocity.0));
    })
}

fn contiguous(mut world: World) -> Sample {
    let mut query = world.query::<(&mut Position, &Velocity)>();
    repeated(move || {
        let tables = query.contiguous_iter_mut(black_box(&mut world)).expect("both are stored in tables");
        for (mut positions, velocities) in tables {
            for (position, velocity) in positions.bypass_change_detection().iter_mut().zip(velocities) {
                position.0.add(velocity.0);
            }
        }
    })
}

macro_rules! spawn_fragments {
    ($world:ident, $rows:literal, $($number:literal)*) => {$(
        for _ in 0..$rows {
            $world.spawn((Fragment::<$number>(1.0), Data::<COPY>::one()));
        }
    )*};
}

fn fragmented<const COPY: usize>() -> Sample {
    let mut world = World::new();
    spawn_fragments!(world, 20, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
    let mut query = world.query::<&mut Data<COPY>>();
    repeated(move || query.iter_mut(black_box(&mut world)).for_each(|mut data| data.0.scale()))
}

macro_rules! insert_fragments {
    ($entity:ident, $mask:ident, $($number:literal)*) => {$(
        if $mask & (1 << $number) != 0 {
            $entity.insert(Fragment::<$number>(1.0));
        }
    )*};
}

fn heavily_fragmented<const COPY: usize>() -> Sample {
    let mut world = World::new();
    for mask in 0..1024 {
        for _ in 0..4 {
            let mut entity = world.spawn(Data::<COPY>::one());
            insert_fragments!(entity, mask, 0 1 2 3 4 5 6 7 8 9);
        }
    }
    let mut query = world.query_filtered::<&mut Data<COPY>, With<Fragment<0>>>();
    repeated(move || query.iter_mut(black_box(&mut world)).for_each(|mut data| data.0.scale()))
}

type WideTerms = (
    (&'static mut Wide<0>, &'static mut Wide<1>, &'static mut Wide<2>, &'static mut Wide<3>),
    (&'static mut Wide<4>, &'static mut Wide<5>, &'static mut Wide<6>, &'static mut Wide<7>),
);

fn wide() -> Sample {
    let (mut world, zero, step) = (World::new(), Vec3::splat(0.0), Vec3::splat(1.0));
    let row = (
        (Wide::<0>(zero), Wide::<1>(zero), Wide::<2>(zero), Wide::<3>(zero)),
        (Wide::<4>(zero), Wide::<5>(zero), Wide::<6>(zero), Wide::<7>(zero)),
    );
    world.spawn_batch(vec![row; 10_000]);
    let mut query = world.query::<WideTerms>();
    repeated(move || {
        for ((mut a, mut b, mut c, mut d), (mut e, mut f, mut g, mut h)) in query.iter_mut(black_box(&mut world)) {
            a.0.add(step);
            b.0.add(step);
            c.0.add(step);
            d.0.add(step);
            e.0.add(step);
            f.0.add(step);
            g.0.add(step);
            h.0.add(step);
        }
    })
}

fn spawn() -> Sample {
    fresh(World::new, |mut world| {
        let body = body();
        for _ in 0..10_000 {
            world.spawn(body);
        }
        world
    })
}

pub(crate) fn spawn_batch() -> Sample {
    fresh(World::new, |mut world| {
        let body = body();
        world.spawn_batch((0..10_000).map(|_| body));
        world
    })
}

fn despawn() -> Sample {
    fresh(
        || filled(10_000),
        |(mut world, ids)| {
            for &id in &ids {
                world.despawn(id);
            }
            (world, ids)
        },
    )
}

fn filled(rows: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch(vec![body(); rows]).collect();
    (world, ids)
}

fn world_get(rows: usize) -> Sample {
    let (world, mut ids) = filled(rows);
    shuffle(&mut ids);
    repeated(move || {
        let world = black_box(&world);
        let sum = |sum: u32, &id: &Entity| {
            world.get::<Position>(id).map_or(sum, |position| sum.wrapping_add(position.0.x.to_bits()))
        };
        black_box(ids.iter().fold(0, sum));
    })
}

fn query_get(rows: usize) -> Sample {
    let (mut world, mut ids) = filled(rows);
    shuffle(&mut ids);
    let mut state = world.query::<&Position>();
    repeated(move || {
        let query = state.query(black_box(&world));
        let sum =
            |sum: u32, &id: &Entity| query.get(id).map_or(sum, |position| sum.wrapping_add(position.0.x.to_bits()));
        black_box(ids.iter().fold(0, sum));
    })
}
