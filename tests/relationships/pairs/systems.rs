//! Systems over pairs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::prelude::*;
use strata_tests::effort;

use super::{Knows, Likes, Remembers};
use crate::entities;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Place(i64);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Way(i64);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Load(i64);
#[derive(Component)]
#[component(storage = "sparse")]
struct Tired(i64);
#[derive(Component)]
struct Frozen;
#[derive(Resource, Default)]
struct Met(Vec<(Entity, u32, Entity)>);

#[system(pairs = Likes)]
fn approach(way: &mut Way, at: &Place, likes: &Likes, #[target] goal: &Place) {
    way.0 += i64::from(likes.0) * (goal.0 - at.0);
}

#[system(pairs = Likes, par)]
fn approach_on_threads(way: &mut Way, at: &Place, likes: &Likes, #[target] goal: &Place) {
    way.0 += i64::from(likes.0) * (goal.0 - at.0);
}

#[system(pairs = Likes)]
fn meet(source: Entity, likes: &Likes, #[target] target: Entity, mut met: ResMut<Met>) {
    met.0.push((source, likes.0, target));
}

fn met(world: &mut World) -> Vec<(Entity, u32, Entity)> {
    world.init_resource::<Met>();
    world.run_system_once(meet).unwrap();
    std::mem::take(&mut world.resource_mut::<Met>().0)
}

#[test]
fn a_system_runs_once_for_each_pair() {
    let mut world = World::new();
    let goals = [10, 20].map(|at| world.spawn(Place(at)).id());
    let [a, b] = [1, 2].map(|at| world.spawn((Place(at), Way(0))).id());
    for (source, value, target) in [(a, 1, goals[0]), (a, 3, goals[1]), (b, 1, a), (goals[0], 5, a)] {
        world.relate(source, Likes(value), target);
    }
    world.run_system_once(approach).unwrap();
    let ways = [a, b].map(|entity| world.get::<Way>(entity).unwrap().0);
    assert_eq!(ways, [9 + 3 * 19, -1]);
    assert_eq!(met(&mut world), [(goals[0], 5, a), (a, 1, goals[0]), (a, 3, goals[1]), (b, 1, a)]);
}

#[test]
fn a_target_without_what_is_taken_of_it_is_passed_over() {
    let mut world = World::new();
    let [bare, hidden] = [world.spawn_empty().id(), world.spawn((Place(5), Disabled)).id()];
    let gone = world.spawn(Place(1)).id();
    let source = world.spawn((Place(0), Way(0))).id();
    for target in [bare, hidden, gone] {
        world.relate(source, Likes(1), target);
        world.relate(source, Remembers(1), target);
    }
    world.despawn(gone);
    world.run_system_once(approach).unwrap();
    assert_eq!(world.get::<Way>(source).unwrap().0, 0);

    #[system(pairs = Likes, allow(Disabled))]
    fn approach_all(way: &mut Way, #[target] goal: &Place) {
        way.0 += goal.0;
    }
    world.run_system_once(approach_all).unwrap();
    assert_eq!(world.get::<Way>(source).unwrap().0, 5);

    // Nothing is asked of the target: it may be no more.
    #[system(pairs = Remembers)]
    fn remember(way: &mut Way, pair: &Remembers) {
        way.0 += 10 * i64::from(pair.0);
    }
    world.run_system_once(remember).unwrap();
    assert_eq!(world.get::<Way>(source).unwrap().0, 35);
}

#[test]
fn values_of_pairs_and_of_targets_are_written() {
    #[system(pairs = Likes)]
    fn carry(from: &Place, mut pair: Mut<Likes>, #[target] load: &mut Load, #[target] tired: Option<&mut Tired>) {
        load.0 = load.0 * 10 + from.0;
        pair.0 += 1;
        if let Some(tired) = tired {
            tired.0 += 1;
        }
    }
    let mut world = World::new();
    let [x, y] = [world.spawn(Load(0)).id(), world.spawn((Load(0), Tired(0))).id()];
    // The last one is source and target at once.
    let [a, b] = [world.spawn(Place(1)).id(), world.spawn((Place(2), Load(7))).id()];
    for (source, target) in [(a, y), (b, x), (b, y), (b, b)] {
        world.relate(source, Likes(0), target);
    }
    world.run_system_once(carry).unwrap();
    let loads = [x, y, b].map(|entity| world.get::<Load>(entity).unwrap().0);
    assert_eq!(loads, [2, 12, 72]);
    assert_eq!(world.get::<Tired>(y).unwrap().0, 2);
    assert!(world.pairs::<Likes>().all(|(_, likes, _)| likes.0 == 1));
}

#[test]
fn only_rows_with_pairs_and_targets_that_are_written_count_as_changed() {
    #[derive(Component)]
    struct Count(i64);
    #[system(pairs = Likes)]
    fn count(count: &mut Count, #[target] load: &mut Load) {
        count.0 += load.0;
        load.0 += 1;
    }
    #[derive(Resource, Default)]
    struct Seen(Vec<Entity>);
    fn look(all: Query<Entity, Changed<Count>>, mut changed: ResMut<Seen>) {
        changed.0 = all.iter().collect();
    }
    let mut world = World::new();
    world.init_resource::<Seen>();
    let [a, b, c] = [0; 3].map(|_| world.spawn((Count(0), Load(1))).id());
    let mut schedule = Schedule::default();
    schedule.add_systems((count, look).chain());
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [a, b, c]);
    world.relate(b, Likes(1), a);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [b]);
    assert_eq!(world.get::<Load>(a).unwrap().0, 2);
}

#[test]
fn what_has_changed_of_pairs_and_of_rows() {
    #[system(pairs = Likes, changed(Likes))]
    fn changed(source: Entity, likes: &Likes, #[target] target: Entity, mut met: ResMut<Met>) {
        met.0.push((source, likes.0, target));
    }
    #[system(pairs = Likes, added(Likes), with(Way))]
    fn added(source: Entity, likes: Ref<Likes>, #[target] target: Entity, mut met: ResMut<Met>) {
        met.0.push((source, 100 + likes.0, target));
    }
    #[system(pairs = Likes, changed(Place))]
    fn moved(source: Entity, #[target] target: Entity, mut met: ResMut<Met>) {
        met.0.push((source, 0, target));
    }
    let mut world = World::new();
    world.init_resource::<Met>();
    let [a, b] = [0; 2].map(|_| world.spawn((Place(0), Way(0))).id());
    world.relate(a, Likes(1), b);
    world.relate(a, Likes(2), a);
    world.relate(b, Likes(3), a);
    let mut schedule = Schedule::default();
    schedule.add_systems((changed, added, moved).chain());
    let mut run = |world: &mut World| {
        schedule.run(world);
        std::mem::take(&mut world.resource_mut::<Met>().0)
    };
    let all = [(a, 1, b), (a, 2, a), (b, 3, a)];
    let first = run(&mut world);
    assert_eq!(first[..3], all);
    assert_eq!(first[3..6], all.map(|(source, value, target)| (source, 100 + value, target)));
    assert_eq!(first[6..], all.map(|(source, _, target)| (source, 0, target)));
    assert_eq!(run(&mut world), []);
    world.get_pair_mut::<Likes>(a, a).unwrap().0 = 7;
    assert_eq!(run(&mut world), [(a, 7, a)]);
    world.relate(b, Likes(9), b);
    assert_eq!(run(&mut world), [(b, 9, b), (b, 109, b)]);
    world.get_mut::<Place>(a).unwrap().0 = 1;
    assert_eq!(run(&mut world), [(a, 0, b), (a, 0, a)]);
}

#[test]
fn a_pair_without_direction_is_met_once() {
    #[system(pairs = Knows)]
    fn meet(source: Entity, knows: &Knows, #[target] target: Entity, mut met: ResMut<Met>) {
        met.0.push((source, knows.0, target));
    }
    let mut world = World::new();
    world.init_resource::<Met>();
    let [a, b, c] = entities(&mut world);
    world.relate(b, Knows(1), a);
    world.relate(a, Knows(2), c);
    world.relate(c, Knows(3), b);
    world.run_system_once(meet).unwrap();
    assert_eq!(std::mem::take(&mut world.resource_mut::<Met>().0), [(a, 2, c), (b, 1, a), (c, 3, b)]);
    // Lists of pairs have holes where pairs were.
    world.unrelate::<Knows>(b, a);
    world.relate(c, Knows(4), a);
    world.relate(a, Knows(5), b);
    world.run_system_once(meet).unwrap();
    assert_eq!(world.resource::<Met>().0, [(a, 4, c), (a, 5, b), (c, 3, b)]);
}

#[test]
fn an_error_ends_the_loop() {
    #[system(pairs = Likes)]
    fn fail(likes: &Likes, mut met: ResMut<Met>) -> Result {
        met.0.push((Entity::PLACEHOLDER, likes.0, Entity::PLACEHOLDER));
        if likes.0 == 2 { Err("two".into()) } else { Ok(()) }
    }
    let mut world = World::new();
    world.init_resource::<Met>();
    let [a, b, c] = entities(&mut world);
    for (value, target) in [(1, a), (2, b), (3, c)] {
        world.relate(a, Likes(value), target);
    }
    assert!(world.run_system_once(fail).unwrap().is_err());
    assert_eq!(world.resource::<Met>().0.len(), 2);
}

#[test]
fn the_pairs_of_a_row_are_a_row_parameter() {
    #[system]
    fn sum(way: &mut Way, #[row] pairs: Pairs<&mut Likes>) {
        pairs.for_each(|(_, mut likes)| {
            way.0 += i64::from(likes.0);
            likes.0 += 1;
        });
    }
    #[system]
    fn load(load: &mut Load, #[row] pairs: PairsTo<&Likes>) {
        load.0 = pairs.map(|(_, likes)| i64::from(likes.0)).sum();
    }
    #[system(pairs = Likes)]
    fn others(way: &mut Way, #[row] all: Pairs<&Likes>, #[target] _target: Entity) {
        way.0 = 10 * way.0 + all.len() as i64;
    }
    let mut world = World::new();
    let [a, b] = [0; 2].map(|_| world.spawn((Way(0), Load(0))).id());
    for (source, target) in [(a, b), (a, a), (b, a)] {
        world.relate(source, Likes(4), target);
    }
    world.run_system_once(sum).unwrap();
    world.run_system_once(load).unwrap();
    let of = |world: &World, entity| (world.get::<Way>(entity).unwrap().0, world.get::<Load>(entity).unwrap().0);
    assert_eq!([of(&world, a), of(&world, b)], [(8, 10), (4, 5)]);
    world.run_system_once(others).unwrap();
    assert_eq!([of(&world, a).0, of(&world, b).0], [822, 41]);
}

#[derive(Clone, Debug)]
enum Edit {
    Relate(usize, usize, u32),
    Unrelate(usize, usize),
    Despawn(usize),
    Spawn(bool),
    Freeze(usize),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        6 => (0..40_usize, 0..40_usize, 1..9_u32).prop_map(|(a, b, value)| Edit::Relate(a, b, value)),
        2 => (0..40_usize, 0..40_usize).prop_map(|(a, b)| Edit::Unrelate(a, b)),
        1 => (0..40_usize).prop_map(Edit::Despawn),
        2 => any::<bool>().prop_map(Edit::Spawn),
        1 => (0..40_usize).prop_map(Edit::Freeze),
    ];
    proptest::collection::vec(edit, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(64), ..ProptestConfig::default() })]

    /// On one thread and on several: what a map of pairs says.
    #[test]
    fn it_does_what_a_map_of_pairs_says(edits in edits()) {
        let mut world = World::new();
        let mut entities: Vec<Entity> = (0..30).map(|at| world.spawn((Place(at), Way(0))).id()).collect();
        let mut pairs = BTreeMap::new();
        for edit in edits {
            let nth = |at: usize| entities[at % entities.len()];
            match edit {
                Edit::Relate(a, b, value) => {
                    let (a, b) = (nth(a), nth(b));
                    world.relate(a, Likes(value), b);
                    pairs.insert((a, b), value);
                }
                Edit::Unrelate(a, b) => {
                    let (a, b) = (nth(a), nth(b));
                    world.unrelate::<Likes>(a, b);
                    pairs.remove(&(a, b));
                }
                Edit::Despawn(at) if entities.len() > 1 => {
                    let entity = entities.remove(at % entities.len());
                    world.despawn(entity);
                    pairs.retain(|&(a, b), _| a != entity && b != entity);
                }
                Edit::Despawn(_) => {}
                Edit::Spawn(whole) => {
                    let at = entities.len() as i64;
                    let entity = if whole { world.spawn((Place(at), Way(0))) } else { world.spawn(Place(at)) };
                    entities.push(entity.id());
                }
                Edit::Freeze(at) => {
                    let entity = nth(at);
                    world.entity_mut(entity).insert(Frozen);
                }
            }
        }
        let mut expected = BTreeMap::new();
        for (&(a, b), &value) in &pairs {
            if world.get::<Way>(a).is_some() {
                let [from, to] = [a, b].map(|entity| world.get::<Place>(entity).unwrap().0);
                *expected.entry(a).or_insert(0) += i64::from(value) * (to - from);
            }
        }
        let check = |world: &World, times: i64| {
            for &entity in &entities {
                if let Some(way) = world.get::<Way>(entity) {
                    assert_eq!(way.0, times * expected.get(&entity).copied().unwrap_or(0), "{entity}");
                }
            }
        };
        world.run_system_once(approach).unwrap();
        check(&world, 1);
        world.run_system_once(approach_on_threads).unwrap();
        check(&world, 2);
        let met: BTreeMap<_, _> = met(&mut world).into_iter().map(|(a, value, b)| ((a, b), value)).collect();
        assert_eq!(met, pairs);
        world.check_invariants();
    }
}
