//! Filters on changes of pairs, compared with a map of the ticks at which each pair was created and changed.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_ecs::system::SystemId;

use super::{Knows, Likes, Owned};
use crate::entities;

/// Entities that a query has matched, by filter.
#[derive(Resource, Default, Debug, PartialEq, Eq)]
struct Seen([BTreeSet<Entity>; 4]);

fn look<R: Relation>(
    added: Query<Entity, Added<Pairs<R>>>,
    changed: Query<Entity, Changed<Pairs<R>>>,
    added_to: Query<Entity, Added<PairsTo<R>>>,
    changed_to: Query<Entity, Changed<PairsTo<R>>>,
    mut seen: ResMut<Seen>,
) {
    seen.0 = [
        added.iter().collect(),
        changed.iter().collect(),
        added_to.iter().collect(),
        // One by one.
        changed_to.iter().filter(|&entity| changed_to.contains(entity)).collect(),
    ];
}

/// The pairs of a relation, and what has looked at them.
struct Watched {
    system: SystemId,
    /// When it looked last.
    last: u32,
    /// When each pair was made and changed.
    pairs: BTreeMap<[Entity; 2], [u32; 2]>,
}

impl Watched {
    fn new<R: Relation>(world: &mut World) -> Self {
        Self { system: world.register_system(look::<R>), last: 0, pairs: BTreeMap::new() }
    }

    fn key<R: Relation>([a, b]: [Entity; 2]) -> [Entity; 2] {
        if R::SYMMETRIC { [a.min(b), a.max(b)] } else { [a, b] }
    }

    /// Forgets removed pairs. Which operation removes which pairs is tested elsewhere.
    fn forget_gone<R: Relation>(&mut self, world: &World) {
        let there: BTreeSet<_> = world.pairs::<R>().map(|(a, _, b)| Self::key::<R>([a, b])).collect();
        self.pairs.retain(|ends, _| there.contains(ends));
    }

    fn relate<R: Relation>(&mut self, world: &mut World, ends: [Entity; 2], value: R, now: u32) {
        let is_new = world.get_pair::<R>(ends[0], ends[1]).is_none();
        if world.relate(ends[0], value, ends[1]) {
            let ticks = self.pairs.entry(Self::key::<R>(ends)).or_insert([now; 2]);
            *ticks = [if is_new { now } else { ticks[0] }, now];
        }
    }

    fn change<R: Relation>(&mut self, world: &mut World, ends: [Entity; 2], change: impl Fn(&mut R), now: u32) {
        if let Some(mut value) = world.get_pair_mut::<R>(ends[0], ends[1]) {
            change(&mut value);
            self.pairs.get_mut(&Self::key::<R>(ends)).expect("it is there")[1] = now;
        }
    }

    /// Runs the system, and compares what it has seen.
    fn look<R: Relation>(&mut self, world: &mut World, now: u32) {
        let mut expected = Seen::default();
        for (&[source, target], ticks) in &self.pairs {
            for (which, &tick) in ticks.iter().enumerate() {
                if tick > self.last {
                    expected.0[which].insert(source);
                    expected.0[2 + which].insert(target);
                    if R::SYMMETRIC {
                        expected.0[which].insert(target);
                        expected.0[2 + which].insert(source);
                    }
                }
            }
        }
        world.run_system(self.system).unwrap();
        assert_eq!(*world.resource::<Seen>(), expected, "at {now}, last at {}", self.last);
        self.last = now;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_matches_is_what_has_pairs_that_are_new(steps in vec((0..12_u32, 0..8_usize, 0..8_usize), 1..80)) {
        let mut world = World::new();
        world.on_command_error(strata_ecs::world::OnCommandError::Ignore);
        world.init_resource::<Seen>();
        let mut all = entities::<8>(&mut world);
        let mut likes = Watched::new::<Likes>(&mut world);
        let mut owned = Watched::new::<Owned>(&mut world);
        let mut knows = Watched::new::<Knows>(&mut world);
        let mut write = world.query::<Pairs<&mut Likes>>();
        for (now, &(step, a, b)) in (1..).zip(&steps) {
            let ends = [all[a], all[b]];
            match step {
                0..2 => likes.relate(&mut world, ends, Likes(now), now),
                2 => owned.relate(&mut world, ends, Owned(now), now),
                3 => knows.relate(&mut world, ends, Knows(now), now),
                4 => _ = world.unrelate::<Likes>(ends[0], ends[1]),
                5 => likes.change::<Likes>(&mut world, ends, |value| value.0 += 1, now),
                6 => knows.change::<Knows>(&mut world, ends, |value| value.0 += 1, now),
                7 => {
                    // Only what is written through counts.
                    for (target, mut value) in write.get_mut(&mut world, ends[0]).into_iter().flatten() {
                        if target >= ends[1] {
                            value.0 += 1;
                            likes.pairs.get_mut(&[ends[0], target]).expect("it is there")[1] = now;
                        }
                    }
                }
                8 => {
                    world.despawn(ends[0]);
                    for entity in &mut all {
                        if !world.contains(*entity) {
                            *entity = world.spawn_empty().id();
                        }
                    }
                }
                9 => likes.look::<Likes>(&mut world, now),
                10 => owned.look::<Owned>(&mut world, now),
                _ => knows.look::<Knows>(&mut world, now),
            }
            likes.forget_gone::<Likes>(&world);
            owned.forget_gone::<Owned>(&world);
            knows.forget_gone::<Knows>(&world);
        }
        let now = steps.len() as u32 + 1;
        likes.look::<Likes>(&mut world, now);
        owned.look::<Owned>(&mut world, now);
        knows.look::<Knows>(&mut world, now);
    }
}

#[test]
fn a_query_may_change_the_pairs_that_it_asks_for() {
    fn grow(mut all: Query<Pairs<&mut Likes>, Changed<Pairs<Likes>>>) {
        all.par_iter_mut().for_each(|pairs| pairs.for_each(|(_, mut likes)| likes.0 *= 2));
    }

    let mut world = World::new();
    let all = entities::<300>(&mut world);
    for pair in all.windows(2) {
        world.relate(pair[0], Likes(1), pair[1]);
    }
    let grow = world.register_system(grow);
    world.run_system(grow).unwrap();
    assert!(world.pairs::<Likes>().all(|(_, likes, _)| likes.0 == 2));
    world.get_pair_mut::<Likes>(all[7], all[8]).unwrap().0 = 5;
    world.run_system(grow).unwrap();
    // Values that a run has written are not new to the next run.
    world.run_system(grow).unwrap();
    let grown: Vec<u32> = world.pairs::<Likes>().map(|(_, likes, _)| likes.0).filter(|&likes| likes != 2).collect();
    assert_eq!(grown, [10]);
}

#[test]
fn filters_on_pairs_are_filters_as_others() {
    #[derive(Component)]
    struct Wolf;

    #[derive(QueryFilter)]
    struct Hungry {
        _new: Or<(Changed<Pairs<Likes>>, Added<Wolf>)>,
    }

    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Likes(1), b);
    world.entity_mut(c).insert(Wolf);
    let mut hungry = world.query_filtered::<Entity, Hungry>();
    assert!(hungry.iter(&world).eq([a, c]) || hungry.iter(&world).eq([c, a]));
    let mut both = world.query_filtered::<Entity, (Changed<PairsTo<Likes>>, Without<Wolf>)>();
    assert_eq!(both.single(&world), Ok(b));
    world.clear_trackers();
    assert!(hungry.is_empty(&world) && both.is_empty(&world));
    world.relate(c, Likes(1), c);
    assert_eq!(hungry.single(&world), Ok(c));
    assert!(both.is_empty(&world));
}

#[system(changed(Pairs<Likes>))]
fn count(wolf: &mut Counted) {
    wolf.0 += 1;
}

#[derive(Component, Debug, PartialEq)]
struct Counted(u32);

#[test]
fn a_row_system_visits_entities_whose_pairs_have_changed() {
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| world.spawn(Counted(0)).id());
    world.relate(a, Likes(1), b);
    let mut schedule = Schedule::default();
    schedule.add_systems(count);
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!((world.get(a), world.get(b)), (Some(&Counted(1)), Some(&Counted(0))));
    world.get_pair_mut::<Likes>(a, b).unwrap().0 = 2;
    schedule.run(&mut world);
    assert_eq!(world.get(a), Some(&Counted(2)));
}
