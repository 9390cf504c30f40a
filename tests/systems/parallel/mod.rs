//! Loops on several threads: the same outcome as a plain loop, on any number of threads.

mod commands;
mod iteration;
mod systems;

use std::sync::Arc;

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number(pub(crate) u64);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step(pub(crate) u64);

/// Splits entities among tables.
#[derive(Component)]
pub(crate) struct Kind<const N: usize>;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
pub(crate) struct Rare(pub(crate) u64);

#[derive(Component)]
#[component(storage = "sparse")]
pub(crate) struct Tag;

/// Numbers that are the same each time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// The pools that everything is tried with.
pub(crate) const THREADS: [usize; 3] = [1, 2, 4];

pub(crate) fn use_threads(world: &mut World, threads: usize) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
}

/// A world of several tables, large and small, the same for the same seed.
pub(crate) fn scene(seed: u64, threads: usize) -> World {
    let mut random = Random(seed);
    let mut world = World::new();
    use_threads(&mut world, threads);
    for round in 0..6 {
        let count = [3, 64, 700, 0, 65, 3000][round] + random.below(5);
        for _ in 0..count {
            let number = Number(random.below(1000));
            let mut entity = match round {
                0 => world.spawn((number, Kind::<0>)),
                1 => world.spawn((number, Kind::<1>)),
                2 => world.spawn((number, Step(random.below(10)), Kind::<2>)),
                3 => world.spawn((number, Kind::<3>)),
                4 => world.spawn((number, Step(random.below(10)))),
                _ => world.spawn((number, Step(random.below(10)), Kind::<5>)),
            };
            if random.below(7) == 0 {
                entity.insert(Rare(random.below(100)));
            }
            if random.below(5) == 0 {
                entity.insert(Tag);
            }
        }
    }
    world
}
