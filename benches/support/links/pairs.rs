//! Pairs of a relation, compared with two maps by hand: the targets of each source with their values, and the sources of each target.

use std::hint::black_box;

use strata_ecs::entity::{EntityHashMap, EntityHashSet};
use strata_ecs::prelude::*;

use super::super::data::shuffle;
use super::super::{Bench, Contestant, Sample, fresh, repeated};

/// The total number of pairs.
const PAIRS: usize = 10_000;

#[derive(Relation)]
struct Weighs(u64);

/// The pairs that are made: each target has so many.
fn ends<const EACH: usize>() -> (World, Vec<[Entity; 2]>) {
    let mut world = World::new();
    let targets: Vec<Entity> = (0..PAIRS / EACH).map(|_| world.spawn_empty().id()).collect();
    let mut pairs: Vec<[Entity; 2]> = (0..PAIRS).map(|at| [world.spawn_empty().id(), targets[at / EACH]]).collect();
    shuffle(&mut pairs);
    (world, pairs)
}

#[derive(Default)]
struct Maps {
    from: EntityHashMap<EntityHashMap<u64>>,
    to: EntityHashMap<EntityHashSet>,
}

impl Maps {
    fn insert(&mut self, [source, target]: [Entity; 2], value: u64) {
        self.from.entry(source).or_default().insert(target, value);
        self.to.entry(target).or_default().insert(source);
    }

    fn remove(&mut self, [source, target]: [Entity; 2]) {
        if let Some(targets) = self.from.get_mut(&source) {
            targets.remove(&target);
            if targets.is_empty() {
                self.from.remove(&source);
            }
        }
        if let Some(sources) = self.to.get_mut(&target) {
            sources.remove(&source);
            if sources.is_empty() {
                self.to.remove(&target);
            }
        }
    }

    /// The sum of the values of all pairs with these targets.
    fn sum_of(&self, targets: &[Entity]) -> u64 {
        let mut sum = 0;
        for target in targets {
            for source in self.to.get(target).into_iter().flatten() {
                sum += self.from.get(source).and_then(|targets| targets.get(target)).map_or(0, |value| *value);
            }
        }
        sum
    }

    fn filled(pairs: &[[Entity; 2]]) -> Self {
        let mut maps = Self::default();
        pairs.iter().for_each(|&pair| maps.insert(pair, 1));
        maps
    }
}

fn insert_by_hand<const EACH: usize>() -> Sample {
    let (_, pairs) = ends::<EACH>();
    fresh(Maps::default, move |mut maps| {
        pairs.iter().for_each(|&pair| maps.insert(pair, 1));
        maps
    })
}

fn insert<const EACH: usize>() -> Sample {
    fresh(ends::<EACH>, |(mut world, pairs)| {
        for &[source, target] in &pairs {
            world.relate(source, Weighs(1), target);
        }
        assert_eq!(world.pair_count::<Weighs>(), PAIRS);
        (world, pairs)
    })
}

fn remove_by_hand<const EACH: usize>() -> Sample {
    let (_, pairs) = ends::<EACH>();
    let filled = pairs.clone();
    fresh(
        move || Maps::filled(&filled),
        move |mut maps| {
            pairs.iter().for_each(|&pair| maps.remove(pair));
            assert!(maps.from.is_empty());
            maps
        },
    )
}

fn filled<const EACH: usize>() -> (World, Vec<[Entity; 2]>) {
    let (mut world, pairs) = ends::<EACH>();
    for &[source, target] in &pairs {
        world.relate(source, Weighs(1), target);
    }
    (world, pairs)
}

fn remove<const EACH: usize>() -> Sample {
    fresh(filled::<EACH>, |(mut world, pairs)| {
        for &[source, target] in &pairs {
            world.unrelate::<Weighs>(source, target);
        }
        assert_eq!(world.pair_count::<Weighs>(), 0);
        (world, pairs)
    })
}

fn look_up_by_hand<const EACH: usize>() -> Sample {
    let (_, mut pairs) = ends::<EACH>();
    let maps = Maps::filled(&pairs);
    shuffle(&mut pairs);
    repeated(move || {
        let maps = black_box(&maps);
        let value = |[source, target]: &[Entity; 2]| maps.from.get(source).and_then(|targets| targets.get(target));
        let sum: u64 = pairs.iter().filter_map(value).sum();
        assert_eq!(sum as usize, PAIRS);
    })
}

fn look_up<const EACH: usize>() -> Sample {
    let (world, mut pairs) = filled::<EACH>();
    shuffle(&mut pairs);
    repeated(move || {
        let world = black_box(&world);
        let value = |&[source, target]: &[Entity; 2]| world.get_pair::<Weighs>(source, target).map(|weighs| weighs.0);
        let sum: u64 = pairs.iter().filter_map(value).sum();
        assert_eq!(sum as usize, PAIRS);
    })
}

/// The targets of pairs, each once.
fn targets(pairs: &[[Entity; 2]]) -> Vec<Entity> {
    let mut targets: Vec<Entity> = pairs.iter().map(|pair| pair[1]).collect();
    targets.sort();
    targets.dedup();
    shuffle(&mut targets);
    targets
}

fn walk_by_hand<const EACH: usize>() -> Sample {
    let (_, pairs) = ends::<EACH>();
    let (maps, targets) = (Maps::filled(&pairs), targets(&pairs));
    repeated(move || {
        assert_eq!(black_box(&maps).sum_of(&targets) as usize, PAIRS);
    })
}

/// As [`Maps::sum_of`].
fn sum_in(world: &World, targets: &[Entity]) -> u64 {
    let all = targets.iter().flat_map(|&target| world.pairs_to::<Weighs>(target));
    all.map(|(_, weighs)| weighs.0).sum()
}

fn walk<const EACH: usize>() -> Sample {
    let (world, pairs) = filled::<EACH>();
    let targets = targets(&pairs);
    repeated(move || {
        assert_eq!(sum_in(black_box(&world), &targets) as usize, PAIRS);
    })
}

/// Removes every third pair, which leaves holes in the longer lists.
fn every_third(pairs: &[[Entity; 2]]) -> impl Iterator<Item = [Entity; 2]> {
    pairs.iter().copied().step_by(3)
}

/// The number of remaining pairs.
const LEFT: usize = PAIRS - PAIRS.div_ceil(3);

fn walk_holes_by_hand<const EACH: usize>() -> Sample {
    let (_, pairs) = ends::<EACH>();
    let (mut maps, targets) = (Maps::filled(&pairs), targets(&pairs));
    every_third(&pairs).for_each(|pair| maps.remove(pair));
    repeated(move || {
        assert_eq!(black_box(&maps).sum_of(&targets) as usize, LEFT);
    })
}

fn walk_holes<const EACH: usize>() -> Sample {
    let (mut world, pairs) = filled::<EACH>();
    let targets = targets(&pairs);
    every_third(&pairs).for_each(|[source, target]| _ = world.unrelate::<Weighs>(source, target));
    repeated(move || {
        assert_eq!(sum_in(black_box(&world), &targets) as usize, LEFT);
    })
}

pub(super) fn benches() -> Vec<Bench> {
    let bench = |name, by_hand, pairs: (&'static str, fn() -> Sample)| Bench {
        file: "links",
        name,
        rows: PAIRS,
        contestants: vec![
            Contestant::new("two maps by hand", None, by_hand),
            Contestant::new(pairs.0, Some(2.0), pairs.1),
        ],
    };
    let (relate, unrelate, get, to) = ("world.relate", "world.unrelate", "world.get_pair", "world.pairs_to");
    vec![
        bench("pairs: insert 10k, 1 each", insert_by_hand::<1>, (relate, insert::<1>)),
        bench("pairs: insert 10k, 10 each", insert_by_hand::<10>, (relate, insert::<10>)),
        bench("pairs: insert 10k, all to one", insert_by_hand::<PAIRS>, (relate, insert::<PAIRS>)),
        bench("pairs: remove 10k, 1 each", remove_by_hand::<1>, (unrelate, remove::<1>)),
        bench("pairs: remove 10k, 10 each", remove_by_hand::<10>, (unrelate, remove::<10>)),
        bench("pairs: remove 10k, all to one", remove_by_hand::<PAIRS>, (unrelate, remove::<PAIRS>)),
        bench("pairs: look up 10k, 1 each", look_up_by_hand::<1>, (get, look_up::<1>)),
        bench("pairs: look up 10k, 10 each", look_up_by_hand::<10>, (get, look_up::<10>)),
        bench("pairs: look up 10k, all to one", look_up_by_hand::<PAIRS>, (get, look_up::<PAIRS>)),
        bench("pairs: walk 10k, 1 each", walk_by_hand::<1>, (to, walk::<1>)),
        bench("pairs: walk 10k, 10 each", walk_by_hand::<10>, (to, walk::<10>)),
        bench("pairs: walk 10k, all to one", walk_by_hand::<PAIRS>, (to, walk::<PAIRS>)),
        bench("pairs: walk with holes, 10 each", walk_holes_by_hand::<10>, (to, walk_holes::<10>)),
        bench("pairs: walk with holes, all to one", walk_holes_by_hand::<PAIRS>, (to, walk_holes::<PAIRS>)),
    ]
}
