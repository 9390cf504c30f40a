//! The workloads, done by hecs.

use std::hint::black_box;

use hecs::{Entity, PreparedQuery, With, World};

use crate::support::data::{BODY, Data, Fragment, Position, Vec3, Velocity, Wide, shuffle};
use crate::support::{Contestant, Sample, fresh, placed, repeated};

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "simple_iter 10k" => simple(|| plain_for(bodies()), || for_each(bodies())),
        "simple_iter 1M" => simple(|| plain_for(points()), || for_each(points())),
        "fragmented_iter 26 x 20" => vec![Contestant::new("hecs: prepared", None, || {
            placed([fragmented::<0>(), fragmented::<1>(), fragmented::<2>(), fragmented::<3>()])
        })],
        "heavily_fragmented 512 of 1024 x 4" => vec![Contestant::new("hecs: prepared", None, || {
            placed([
                heavily_fragmented::<0>(),
                heavily_fragmented::<1>(),
                heavily_fragmented::<2>(),
                heavily_fragmented::<3>(),
            ])
        })],
        "wide_iter 10k x 8" => vec![Contestant::new("hecs: plain for", None, wide)],
        "spawn 10k x 4" => vec![
            Contestant::new("hecs: one by one", None, spawn),
            Contestant::new("hecs: spawn_batch", None, spawn_batch),
        ],
        "despawn by id 10k" => vec![Contestant::new("hecs: world.despawn", None, despawn)],
        "get by shuffled id 10k" => get(|| world_get(10_000), || view_get(10_000)),
        "get by shuffled id 1M" => get(|| world_get(1_000_000), || view_get(1_000_000)),
        _ => Vec::new(),
    }
}

fn simple(plain_for: fn() -> Sample, for_each: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new("hecs: plain for", None, plain_for), Contestant::new("hecs: for_each", None, for_each)]
}

fn get(world_get: fn() -> Sample, view_get: fn() -> Sample) -> Vec<Contestant> {
    vec![Contestant::new("hecs: world.get", None, world_get), Contestant::new("hecs: view.get", None, view_get)]
}

fn bodies() -> World {
    let mut world = World::new();
    world.spawn_batch(vec![BODY; 10_000]);
    world
}

fn points() -> World {
    let mut world = World::new();
    world.spawn_batch(vec![(BODY.1, BODY.3); 1_000_000]);
    world
}

fn plain_for(mut world: World) -> Sample {
    repeated(move || {
        for (position, velocity) in black_box(&mut world).query_mut::<(&mut Position, &Velocity)>() {
            position.0.add(velocity.0);
        }
    })
}

fn for_each(mut world: World) -> Sample {
    repeated(move || {
        let rows = black_box(&mut world).query_mut::<(&mut Position, &Velocity)>();
        rows.into_iter().for_each(|(position, velocity)| position.0.add(velocity.0));
    })
}

macro_rules! spawn_fragments {
    ($world:ident, $rows:literal, $($number:literal)*) => {$(
        for _ in 0..$rows {
            $world.spawn((Fragment::<$number>(1.0), Data::<COPY>(1.0)));
        }
    )*};
}

fn fragmented<const COPY: usize>() -> Sample {
    let mut world = World::new();
    spawn_fragments!(world, 20, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
    let mut query = PreparedQuery::<&mut Data<COPY>>::new();
    repeated(move || query.query_mut(black_box(&mut world)).for_each(|data| data.scale()))
}

macro_rules! insert_fragments {
    ($world:ident, $entity:ident, $mask:ident, $($number:literal)*) => {$(
        if $mask & (1 << $number) != 0 {
            $world.insert_one($entity, Fragment::<$number>(1.0)).expect("it was just spawned");
        }
    )*};
}

fn heavily_fragmented<const COPY: usize>() -> Sample {
    let mut world = World::new();
    for mask in 0..1024 {
        for _ in 0..4 {
            let entity = world.spawn((Data::<COPY>(1.0),));
            insert_fragments!(world, entity, mask, 0 1 2 3 4 5 6 7 8 9);
        }
    }
    let mut query = PreparedQuery::<With<&mut Data<COPY>, &Fragment<0>>>::new();
    repeated(move || query.query_mut(black_box(&mut world)).for_each(|data| data.scale()))
}

type WideTerms<'a> = (
    (&'a mut Wide<0>, &'a mut Wide<1>, &'a mut Wide<2>, &'a mut Wide<3>),
    (&'a mut Wide<4>, &'a mut Wide<5>, &'a mut Wide<6>, &'a mut Wide<7>),
);

fn wide() -> Sample {
    let (mut world, zero, step) = (World::new(), Vec3::splat(0.0), Vec3::splat(1.0));
    world.spawn_batch((0..10_000).map(|_| {
        (
            Wide::<0>(zero),
            Wide::<1>(zero),
            Wide::<2>(zero),
            Wide::<3>(zero),
            Wide::<4>(zero),
            Wide::<5>(zero),
            Wide::<6>(zero),
            Wide::<7>(zero),
        )
    }));
    repeated(move || {
        for ((a, b, c, d), (e, f, g, h)) in black_box(&mut world).query_mut::<WideTerms<'_>>() {
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
        let body = black_box(BODY);
        for _ in 0..10_000 {
            world.spawn(body);
        }
        world
    })
}

fn spawn_batch() -> Sample {
    fresh(World::new, |mut world| {
        let body = black_box(BODY);
        world.spawn_batch((0..10_000).map(|_| body));
        world
    })
}

fn despawn() -> Sample {
    fresh(
        || filled(10_000),
        |(mut world, ids)| {
            for &id in &ids {
                world.despawn(id).expect("it lives");
            }
            (world, ids)
        },
    )
}

fn filled(rows: usize) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch(vec![BODY; rows]).collect();
    (world, ids)
}

fn world_get(rows: usize) -> Sample {
    let (world, mut ids) = filled(rows);
    shuffle(&mut ids);
    repeated(move || {
        let world = black_box(&world);
        let sum = |sum: u32, &id: &Entity| {
            world.get::<&Position>(id).map_or(sum, |position| sum.wrapping_add(position.0.x.to_bits()))
        };
        black_box(ids.iter().fold(0, sum));
    })
}

fn view_get(rows: usize) -> Sample {
    let (world, mut ids) = filled(rows);
    shuffle(&mut ids);
    repeated(move || {
        let mut query = black_box(&world).query::<&Position>();
        let view = query.view();
        let sum =
            |sum: u32, &id: &Entity| view.get(id).map_or(sum, |position| sum.wrapping_add(position.0.x.to_bits()));
        black_box(ids.iter().fold(0, sum));
    })
}
