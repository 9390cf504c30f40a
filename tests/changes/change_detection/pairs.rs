//! Random pairs of queries of one system over the same columns, kept apart by a sparse component: each yields each of its rows once, by
//! every kind of iteration, independent of the other query, which runs at the same time or on another thread.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_ecs::change::Tick;
use strata_ecs::component::Mutable;
use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;
use strata_ecs::query::BatchingStrategy;

use super::parts::{Aside, Health, Marked, Other, Tag};
use super::watcher::Watcher;

/// A component whose value can be changed.
trait Value: Component<Mutability = Mutable> + Default + Copy {
    fn touch(&mut self) {}
}

impl Value for Health {
    fn touch(&mut self) {
        self.0 += 1;
    }
}

impl Value for Aside {
    fn touch(&mut self) {
        self.0 += 1;
    }
}

impl Value for Marked {}
impl Value for Tag {}

/// In which way a query is gone through, and how far before the other one has its turn.
#[derive(Clone, Copy, Debug)]
struct Way {
    how: u8,
    pause: usize,
}

/// How many ways there are, and which of them sets rows back.
const WAYS: u8 = 10;
const SETS_BACK: u8 = 9;

/// One run of the system.
#[derive(Clone, Debug)]
struct Round {
    /// Which of the entities change before the run, by their numbers: each so manieth from one on.
    step: usize,
    first: usize,
    /// Whether one query has its turn in the middle of the other one, or both have a thread.
    threads: bool,
    left: Vec<Way>,
    right: Vec<Way>,
}

#[derive(Clone, Debug)]
struct Case {
    /// For each entity whether it has what keeps the queries apart.
    entities: Vec<bool>,
    rounds: Vec<Round>,
}

fn cases() -> impl Strategy<Value = Case> {
    let way = || (0..WAYS, 0..90_usize).prop_map(|(how, pause)| Way { how, pause });
    let ways = move || proptest::collection::vec(way(), 1..4);
    let round = (1..40_usize, 0..40_usize, any::<bool>(), ways(), ways());
    let round = round.prop_map(|(step, first, threads, left, right)| Round { step, first, threads, left, right });
    // The runs have all lengths, with changed and unchanged runs in one group of 64 rows.
    let entities = proptest::collection::vec(proptest::bool::weighted(0.4), 0..330);
    (entities, proptest::collection::vec(round, 1..6)).prop_map(|(entities, rounds)| Case { entities, rounds })
}

/// Goes through a query, and calls a function in the middle. Returns what it has yielded, and what it has set back.
macro_rules! walk {
    ($name:ident, $Query:ty, [$($C:ident)?], $iter:ident $par:ident $contiguous:ident $many:ident, |$item:pat_param| $touch:expr, |$back:pat_param, $tick:pat_param| $set_back:expr) => {
        fn $name<$($C: Value,)? F: QueryFilter>(
            query: &mut $Query,
            way: Way,
            all: &[Entity],
            old: Tick,
            between: &mut dyn FnMut(),
        ) -> (Vec<Entity>, Vec<Entity>) {
            let (mut ids, mut set_back) = (Vec::new(), Vec::new());
            match way.how {
                0 => {
                    let mut iter = query.$iter();
                    let mut items: Vec<_> = iter.by_ref().take(way.pause).collect();
                    between();
                    items.extend(iter);
                    for (entity, $item) in items {
                        $touch;
                        ids.push(entity);
                    }
                }
                1 => {
                    query.$iter().for_each(|(entity, $item)| {
                        if ids.len() == way.pause {
                            between();
                        }
                        $touch;
                        ids.push(entity);
                    });
                }
                2 => {
                    for (entities, _) in query.$contiguous() {
                        if ids.len() <= way.pause {
                            between();
                        }
                        ids.extend(entities);
                    }
                }
                3 | 4 => {
                    let seen = Mutex::new(Vec::new());
                    let size = BatchingStrategy::fixed(1 + way.pause);
                    let loops = query.$par();
                    let loops = if way.how == 3 { loops } else { loops.batching_strategy(size) };
                    loops.for_each(|(entity, $item)| {
                        $touch;
                        seen.lock().expect("no panic").push(entity);
                    });
                    between();
                    ids = seen.into_inner().expect("no panic");
                }
                5 => {
                    let mut iter = query.$many(all);
                    while let Some(found) = iter.fetch_next() {
                        let Ok((entity, $item)) = found else { continue };
                        if ids.len() == way.pause {
                            between();
                        }
                        $touch;
                        ids.push(entity);
                    }
                }
                6 => {
                    between();
                    for &id in all {
                        if let Ok((entity, _)) = query.get(id) {
                            ids.push(entity);
                        }
                    }
                }
                7 => {
                    // Two that read at the same time, one of which starts from the middle of the other one.
                    let mut first = query.iter();
                    ids.extend(first.by_ref().take(way.pause).map(|(entity, _)| entity));
                    let second: Vec<Entity> = first.clone().map(|(entity, _)| entity).collect();
                    between();
                    let third: BTreeSet<Entity> = query.iter().map(|(entity, _)| entity).collect();
                    let rest: Vec<Entity> = first.map(|(entity, _)| entity).collect();
                    assert_eq!(rest, second);
                    ids.extend(rest);
                    assert_eq!(third, ids.iter().copied().collect());
                }
                8 => {
                    between();
                    ids.extend(query.$iter().map(|(entity, $item)| {
                        $touch;
                        entity
                    }));
                }
                SETS_BACK => {
                    for (nth, (entity, $back)) in query.$iter().enumerate() {
                        if nth == way.pause {
                            between();
                        }
                        if nth % 5 == 2 {
                            let $tick = old;
                            if $set_back {
                                set_back.push(entity);
                            }
                        }
                        ids.push(entity);
                    }
                }
                _ => unreachable!("there are so many ways"),
            }
            (ids, set_back)
        }
    };
}

walk!(
    walk_mut,
    Query<(Entity, &mut C), F>,
    [C],
    iter_mut par_iter_mut contiguous_iter_mut iter_many_mut,
    |mut item| item.touch(),
    |mut item, tick| {
        item.set_last_changed(tick);
        true
    }
);
walk!(
    walk_ref,
    Query<(Entity, &Other), F>,
    [],
    iter par_iter contiguous_iter iter_many,
    |item| assert_eq!(item.0, 1),
    // A value that is only read cannot be reset.
    |_, _| false
);

/// The data that the system of a case shares with the test.
#[derive(Default)]
struct Shared {
    all: Vec<Entity>,
    left: Expected,
    right: Expected,
    round: Option<Round>,
    /// A tick before all changes.
    old: Option<Tick>,
}

/// The items that a query has to yield.
#[derive(Default)]
struct Expected {
    entities: BTreeSet<Entity>,
    /// Whether entities that are set back are not yielded any more.
    by_changes: bool,
}

impl Expected {
    /// The result of a pass: each entity that is expected, and each once.
    fn meet(&mut self, (ids, set_back): (Vec<Entity>, Vec<Entity>)) {
        let seen: BTreeSet<Entity> = ids.iter().copied().collect();
        assert_eq!(ids.len(), seen.len(), "an entity was given out twice");
        assert_eq!(seen, self.entities);
        if self.by_changes {
            self.entities.retain(|entity| !set_back.contains(entity));
        }
    }
}

/// Two queries, one after the other or on two threads.
macro_rules! both {
    ($shared:ident, $left:ident $walk_left:ident $expected_left:ident, $right:ident $walk_right:ident $expected_right:ident) => {{
        let Some(round) = $shared.round.take() else { return };
        let (all, old) = (std::mem::take(&mut $shared.all), $shared.old.expect("set"));
        let ($expected_left, $expected_right) = (&mut $shared.left, &mut $shared.right);
        if round.threads {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for &way in &round.left {
                        $expected_left.meet($walk_left(&mut $left, way, &all, old, &mut || {}));
                    }
                });
                for &way in &round.right {
                    $expected_right.meet($walk_right(&mut $right, way, &all, old, &mut || {}));
                }
            });
        } else {
            for &way in &round.left {
                let mut others = round.right.iter();
                let pass = $walk_left(&mut $left, way, &all, old, &mut || {
                    if let Some(&way) = others.next() {
                        $expected_right.meet($walk_right(&mut $right, way, &all, old, &mut || {}));
                    }
                });
                $expected_left.meet(pass);
            }
        }
    }};
}

/// Which kinds of queries the system has.
#[derive(Clone, Copy)]
enum Kind {
    /// Both change what they look for.
    Both,
    /// One changes all of its rows, and the other one only looks.
    Onlooker,
}

fn run<C: Value, K: Component + Default>(case: &Case, kind: Kind) {
    let mut world = World::new();
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
    let old = world.change_tick();
    world.increment_change_tick();
    let shared = Arc::new(Mutex::new(Shared { old: Some(old), ..Shared::default() }));
    let inner = Arc::clone(&shared);
    let mut schedule = Schedule::default();
    match kind {
        Kind::Both => schedule.add_systems(
            move |mut left: Query<(Entity, &mut C), (Changed<C>, With<K>)>,
                  mut right: Query<(Entity, &mut C), (Changed<C>, Without<K>)>| {
                let shared = &mut *inner.lock().expect("no panic");
                both!(shared, left walk_mut expected_left, right walk_mut expected_right);
            },
        ),
        Kind::Onlooker => schedule.add_systems(
            move |mut left: Query<(Entity, &mut C), With<K>>,
                  mut right: Query<(Entity, &Other), (Changed<C>, Without<K>)>| {
                let shared = &mut *inner.lock().expect("no panic");
                both!(shared, left walk_mut expected_left, right walk_ref expected_right);
            },
        ),
    };
    schedule.run(&mut world);
    let mut watcher = Watcher::<Changed<C>>::of(&mut world);
    let entities: Vec<Entity> = case.entities.iter().map(|_| world.spawn((C::default(), Other(1))).id()).collect();
    let is_left = |number: usize| case.entities[number];
    for (_, &entity) in entities.iter().enumerate().filter(|&(number, _)| is_left(number)) {
        world.entity_mut(entity).insert(K::default());
    }
    // Let all that is new be seen.
    let side = |left: bool| -> BTreeSet<Entity> {
        let numbers = (0..entities.len()).filter(|&number| is_left(number) == left);
        numbers.map(|number| entities[number]).collect()
    };
    schedule.run(&mut world);
    watcher.sees(&mut world);
    for round in &case.rounds {
        let changed: BTreeSet<Entity> = entities.iter().rev().skip(round.first).step_by(round.step).copied().collect();
        for &entity in changed.iter().rev() {
            world.get_mut::<C>(entity).expect("present").touch();
            world.get_mut::<C>(entity).expect("present").set_changed();
        }
        {
            let shared = &mut *shared.lock().expect("no panic");
            shared.all.clone_from(&entities);
            shared.round = Some(round.clone());
            let new = |left| side(left).intersection(&changed).copied().collect();
            shared.right = Expected { entities: new(false), by_changes: true };
            shared.left = match kind {
                Kind::Both => Expected { entities: new(true), by_changes: true },
                Kind::Onlooker => Expected { entities: side(true), by_changes: false },
            };
        }
        schedule.run(&mut world);
        world.check_invariants();
        if matches!(kind, Kind::Both) && !round.left.iter().chain(&round.right).any(|way| way.how == SETS_BACK) {
            assert_eq!(watcher.sees(&mut world), changed.into_iter().collect::<Vec<_>>());
        } else {
            watcher.sees(&mut world);
        }
        schedule.run(&mut world);
    }
}

proptest! {
    #![proptest_config(Config { cases: strata_tests::effort::cases(60), ..Config::default() })]

    #[test]
    fn two_queries_of_one_system_yield_each_of_their_rows_once(case in cases()) {
        run::<Health, Tag>(&case, Kind::Both);
        run::<Health, Aside>(&case, Kind::Both);
        run::<Marked, Tag>(&case, Kind::Both);
        run::<Aside, Tag>(&case, Kind::Both);
        run::<Tag, Aside>(&case, Kind::Both);
    }

    #[test]
    fn a_query_that_looks_for_changes_beside_one_that_makes_them_yields_each_of_its_rows_once(case in cases()) {
        run::<Health, Tag>(&case, Kind::Onlooker);
        run::<Health, Aside>(&case, Kind::Onlooker);
        run::<Marked, Tag>(&case, Kind::Onlooker);
        run::<Aside, Tag>(&case, Kind::Onlooker);
        run::<Tag, Aside>(&case, Kind::Onlooker);
    }
}
