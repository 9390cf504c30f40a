//! Entities that move from one world to another.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_ecs::entity::EntityMap;
use strata_ecs::prelude::*;
use strata_tests::drops;
use strata_tests::effort;

use super::selections::parts::*;

/// A world, and what it must look like.
struct Side {
    world: World,
    rows: BTreeMap<Entity, Row>,
    ever: Vec<Entity>,
    wide: QueryState<(Entity, &'static Wide, Option<&'static Loose>)>,
    tag: QueryState<Entity, (With<Tag>, Without<Heap>)>,
}

impl Side {
    fn new(world: World) -> Self {
        let mut world = world;
        let (wide, tag) = (world.query(), world.query_filtered());
        Self { world, rows: BTreeMap::new(), ever: Vec::new(), wide, tag }
    }

    /// A world that numbers some components in another order than the world from [`Side::new`] does.
    fn other() -> Self {
        let mut world = World::new();
        world.register_component::<Aside>();
        world.register_component::<TagBell>();
        world.register_component::<Wide>();
        world.register_component::<Loose>();
        world.register_component::<Bell>();
        world.register_component::<Heap>();
        Self::new(world)
    }

    fn add(&mut self, entity: Entity, row: Row) {
        assert!(self.rows.insert(entity, row).is_none(), "{entity:?} was handed out while it lived");
        self.ever.push(entity);
    }

    fn born(&mut self, entity: Entity, masks: &[u32], value: u32) {
        let mut row = [None; KINDS];
        masks.iter().for_each(|&mask| give(&mut row, mask, value));
        self.add(entity, row);
    }

    fn spawn(&mut self, kinds: &[u8], value: u32) -> Entity {
        let entity = self.world.spawn_empty().id();
        for &kind in kinds {
            with_bundle!(kind, B => _ = self.world.entity_mut(entity).insert(B::make(value)));
        }
        self.born(entity, &kinds.iter().map(|&kind| mask(kind)).collect::<Vec<_>>(), value);
        entity
    }

    fn despawn(&mut self, entity: Entity) {
        assert_eq!(self.world.despawn(entity), self.rows.remove(&entity).is_some());
    }

    fn check(&mut self) {
        self.world.check_invariants();
        assert_eq!(self.world.len(), self.rows.len());
        for (&entity, row) in &self.rows {
            assert_eq!(row_of(&self.world, entity), *row, "{entity:?}");
        }
        for &entity in &self.ever {
            assert_eq!(self.world.contains(entity), self.rows.contains_key(&entity), "{entity:?}");
        }
        let Self { world, rows, wide, tag, .. } = self;
        let found: BTreeSet<_> =
            wide.iter(world).map(|item| (item.0, item.1.value(), item.2.map(Part::value))).collect();
        let expected = rows.iter().filter_map(|(&id, row)| Some((id, row[4]?, row[5])));
        assert!(found.into_iter().eq(expected), "a cached query with an optional component");
        let found: BTreeSet<Entity> = tag.iter(world).collect();
        let expected = rows.iter().filter(|(_, row)| row[6].is_some() && row[1].is_none());
        assert!(found.into_iter().eq(expected.map(|(&id, _)| id)), "a cached query for a tag");
    }
}

/// Notes in the map of each world what has moved, after checking the ids.
fn note(map: &EntityMap, from: &mut Side, to: &mut Side, selected: &BTreeSet<Entity>) {
    assert_eq!((map.len(), map.is_empty()), (selected.len(), selected.is_empty()));
    assert_eq!(map.iter().len(), selected.len());
    assert!(map.iter().map(|(old, _)| old).eq(selected.iter().copied()), "in the order of the old ids");
    for (old, new) in map.iter() {
        assert_eq!(map.get(old), Some(new));
        assert!(!from.world.contains(old) && to.world.contains(new));
        assert!(!to.ever.contains(&new), "{new:?} has been another entity");
        let row = from.rows.remove(&old).expect("it lived");
        to.add(new, row);
    }
    for entity in from.ever.iter().filter(|entity| !selected.contains(entity)) {
        assert_eq!(map.get(*entity), None);
    }
}

/// Two worlds, and the values that exist in both.
struct Pair {
    sides: [Side; 2],
    bells: isize,
}

impl Pair {
    fn new() -> Self {
        drops::reset();
        Self { sides: [Side::new(World::new()), Side::other()], bells: bells() }
    }

    fn move_all(&mut self, from: usize, filter: u8) -> EntityMap {
        let (from, to) = self.both(from);
        let selected = from.rows.iter().filter(|(_, row)| matches(filter, row)).map(|(&id, _)| id).collect();
        let map = with_filter!(filter, F => from.world.all::<F>().move_to(&mut to.world));
        note(&map, from, to, &selected);
        self.check();
        map
    }

    fn move_many(&mut self, from: usize, ids: &[Entity]) -> EntityMap {
        let (from, to) = self.both(from);
        let selected = ids.iter().copied().filter(|id| from.rows.contains_key(id)).collect();
        let map = from.world.many(ids).move_to(&mut to.world);
        note(&map, from, to, &selected);
        self.check();
        map
    }

    fn both(&mut self, from: usize) -> (&mut Side, &mut Side) {
        let [here, there] = &mut self.sides;
        if from == 0 { (here, there) } else { (there, here) }
    }

    fn check(&mut self) {
        self.sides.iter_mut().for_each(Side::check);
        let count = |kinds: &[usize]| {
            let held = |row: &Row| kinds.iter().filter(|&&kind| row[kind].is_some()).count();
            self.sides.iter().flat_map(|side| side.rows.values()).map(held).sum::<usize>()
        };
        drops::assert_none_twice();
        assert_eq!(drops::alive(), count(&[1, 4, 5]), "values that exist");
        assert_eq!(bells() - self.bells, count(&[3, 7]) as isize, "zero-sized values that exist");
    }

    fn finish(mut self) {
        self.check();
        let before = self.bells;
        drop(self);
        drops::assert_all_dropped_once();
        assert_eq!(bells(), before, "zero-sized values are dropped once");
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Spawn {
        side: usize,
        first: u8,
        second: u8,
        value: u32,
    },
    SpawnBatch {
        side: usize,
        kind: u8,
        count: u32,
        value: u32,
    },
    Reserve {
        side: usize,
        count: usize,
    },
    Remove {
        side: usize,
        which: usize,
        kind: u8,
    },
    Despawn {
        side: usize,
        which: Vec<usize>,
    },
    Shrink {
        side: usize,
    },
    MoveAll {
        side: usize,
        filter: u8,
    },
    MoveMany {
        side: usize,
        which: Vec<usize>,
    },
    /// Inserting by selection brings buffers of one table to another before they move on.
    InsertAll {
        side: usize,
        filter: u8,
        kind: u8,
        value: u32,
    },
}

fn operations(length: Range<usize>) -> impl Strategy<Value = Vec<Operation>> {
    let side = || 0..2_usize;
    let kind = || 0..BUNDLES;
    let value = || 0..10_000_u32;
    let which = any::<usize>;
    let operation = prop_oneof![
        4 => (side(), kind(), kind(), value())
            .prop_map(|(side, first, second, value)| Operation::Spawn { side, first, second, value }),
        3 => (side(), kind(), prop_oneof![2 => 0..8_u32, 1 => 8..140_u32], value())
            .prop_map(|(side, kind, count, value)| Operation::SpawnBatch { side, kind, count, value }),
        1 => (side(), 0..4_usize).prop_map(|(side, count)| Operation::Reserve { side, count }),
        1 => (side(), which(), kind()).prop_map(|(side, which, kind)| Operation::Remove { side, which, kind }),
        2 => (side(), vec(which(), 0..8)).prop_map(|(side, which)| Operation::Despawn { side, which }),
        1 => side().prop_map(|side| Operation::Shrink { side }),
        4 => (side(), 0..FILTERS).prop_map(|(side, filter)| Operation::MoveAll { side, filter }),
        4 => (side(), vec(which(), 0..40)).prop_map(|(side, which)| Operation::MoveMany { side, which }),
        2 => (side(), 0..FILTERS, kind(), value())
            .prop_map(|(side, filter, kind, value)| Operation::InsertAll { side, filter, kind, value }),
    ];
    vec(operation, length)
}

impl Pair {
    fn pick(&self, side: usize, which: &[usize]) -> Vec<Entity> {
        let ever = &self.sides[side].ever;
        which.iter().filter(|_| !ever.is_empty()).map(|which| ever[which % ever.len()]).collect()
    }

    fn step(&mut self, operation: &Operation) {
        match operation {
            Operation::Spawn { side, first, second, value } => {
                self.sides[*side].spawn(&[*first, *second], *value);
            }
            Operation::SpawnBatch { side, kind, count, value } => {
                let side = &mut self.sides[*side];
                let ids: Vec<Entity> = with_bundle!(*kind, B => {
                    side.world.spawn_batch((0..*count).map(|_| B::make(*value))).collect()
                });
                ids.into_iter().for_each(|entity| side.born(entity, &[mask(*kind)], *value));
            }
            Operation::Reserve { side, count } => {
                let side = &mut self.sides[*side];
                let ids: Vec<Entity> = side.world.reserve_entities(*count).collect();
                ids.into_iter().for_each(|entity| side.born(entity, &[], 0));
                // Not checked here, as that would place them.
                return;
            }
            Operation::Remove { side, which, kind } => {
                for entity in self.pick(*side, &[*which]) {
                    let side = &mut self.sides[*side];
                    if let Ok(mut entity) = side.world.get_entity_mut(entity) {
                        with_bundle!(*kind, B => _ = entity.remove::<B>());
                    }
                    side.rows.entry(entity).and_modify(|row| take(row, mask(*kind)));
                }
            }
            Operation::Despawn { side, which } => {
                self.pick(*side, which).into_iter().for_each(|entity| self.sides[*side].despawn(entity));
            }
            Operation::Shrink { side } => self.sides[*side].world.shrink_to_fit(),
            Operation::MoveAll { side, filter } => drop(self.move_all(*side, *filter)),
            Operation::MoveMany { side, which } => {
                let ids = self.pick(*side, which);
                self.move_many(*side, &ids);
            }
            Operation::InsertAll { side, filter, kind, value } => {
                let Side { world, rows, .. } = &mut self.sides[*side];
                let selection = with_filter!(*filter, F => world.all::<F>());
                let values = vec![*value; selection.len()];
                with_bundle!(*kind, B => B::insert_columns(selection, &values)).expect("one value for each entity");
                rows.values_mut().filter(|row| matches(*filter, row)).for_each(|row| give(row, mask(*kind), *value));
            }
        }
        self.check();
    }
}

proptest! {
    #![proptest_config(Config { cases: effort::cases(200), failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() })]

    #[test]
    fn two_worlds_agree_with_two_maps_while_entities_move_between_them(operations in operations(1..50)) {
        let mut pair = Pair::new();
        operations.iter().for_each(|operation| pair.step(operation));
        pair.finish();
    }
}

/// All kinds of components, in three tables and with sparse components on some entities.
fn filled() -> Pair {
    let mut pair = Pair::new();
    for value in 0..30 {
        let side = &mut pair.sides[0];
        side.spawn(&[[0, 15, 10][value as usize % 3], [5, 12, 13, 6, 2][value as usize % 5]], value);
    }
    pair
}

#[test]
fn everything_moves_to_an_empty_world_and_back() {
    let mut pair = filled();
    for round in 0..4 {
        let map = pair.move_all(round % 2, 0);
        assert_eq!(map.len(), 30);
        assert!(pair.sides[round % 2].world.is_empty());
    }
    pair.finish();
}

#[test]
fn moving_back_and_forth_does_not_make_the_worlds_grow() {
    let mut pair = filled();
    let held = |pair: &Pair| pair.sides.iter().map(|side| side.world.allocated_bytes()).collect::<Vec<_>>();
    for _ in 0..4 {
        pair.move_all(0, 0);
        pair.move_all(1, 0);
    }
    let before = held(&pair);
    for _ in 0..4 {
        pair.move_all(0, 0);
        pair.move_all(1, 0);
    }
    assert_eq!(held(&pair), before);
    pair.finish();
}

#[test]
fn tables_of_the_target_that_have_rows_get_the_new_ones_behind_them() {
    let mut pair = filled();
    for value in 0..5 {
        pair.sides[1].spawn(&[15, 12], 100 + value);
        pair.sides[1].spawn(&[0, 5], 200 + value);
    }
    pair.move_all(0, 0);
    assert_eq!(pair.sides[1].world.len(), 40);
    pair.finish();
}

#[test]
fn every_part_of_a_table_can_move_and_the_rest_stays() {
    for first in 0..6 {
        for last in first..=6 {
            for others in [0, 3] {
                let mut pair = Pair::new();
                let ids: Vec<Entity> = (0..6).map(|value| pair.sides[0].spawn(&[15, 13], value)).collect();
                (0..others).for_each(|value| _ = pair.sides[1].spawn(&[13, 15], 50 + value));
                let map = pair.move_many(0, &ids[first..last]);
                assert_eq!(map.len(), last - first);
                assert_eq!(pair.sides[1].world.len(), last - first + others as usize);
                pair.finish();
            }
        }
    }
}

#[test]
fn recycled_indexes_of_the_target_get_new_generations() {
    let mut pair = filled();
    let mut dead = Vec::new();
    for round in 0..3 {
        let ids: Vec<Entity> = (0..7).map(|value| pair.sides[1].spawn(&[round, 11], value)).collect();
        ids.iter().for_each(|&id| pair.sides[1].despawn(id));
        dead.extend(ids);
    }
    let map = pair.move_all(0, 0);
    let recycled = map.iter().filter(|(_, new)| dead.iter().any(|dead| dead.index() == new.index())).count();
    assert_eq!(recycled, 7, "free indexes are used first");
    for (_, new) in map.iter() {
        assert!(dead.iter().all(|dead| dead.index() != new.index() || dead.generation() < new.generation()));
    }
    pair.finish();
}

#[test]
fn ids_that_are_dead_in_the_source_or_come_twice_are_passed_over() {
    let mut pair = filled();
    let ids: Vec<Entity> = pair.sides[0].rows.keys().copied().collect();
    pair.sides[0].despawn(ids[3]);
    let foreign = Entity::from_raw_u32(5000).expect("a valid index");
    let map = pair.move_many(0, &[ids[8], ids[3], ids[2], foreign, ids[8], Entity::PLACEHOLDER]);
    assert_eq!(map.iter().map(|(old, _)| old).collect::<Vec<_>>(), [ids[2], ids[8]]);
    assert_eq!((map.get(ids[3]), map.get(foreign), map.get(Entity::PLACEHOLDER)), (None, None, None));
    pair.finish();
}

#[test]
fn the_map_of_no_entities_is_empty() {
    let mut pair = filled();
    let dead = pair.sides[0].spawn(&[0], 1);
    pair.sides[0].despawn(dead);
    for map in [pair.move_many(0, &[]), pair.move_many(0, &[dead]), pair.move_all(1, 0), EntityMap::default()] {
        assert_eq!((map.len(), map.is_empty(), map.iter().count(), map.get(dead)), (0, true, 0, None));
    }
    pair.finish();
}

#[test]
fn ids_that_are_only_reserved_move_and_stay_free_of_the_ones_reserved_in_the_target() {
    let mut pair = filled();
    let here: Vec<Entity> = pair.sides[0].world.reserve_entities(3).collect();
    here.iter().for_each(|&entity| pair.sides[0].born(entity, &[], 0));
    let there: Vec<Entity> = pair.sides[1].world.reserve_entities(4).collect();
    there.iter().for_each(|&entity| pair.sides[1].born(entity, &[], 0));
    let map = pair.move_all(0, 0);
    assert!(here.iter().all(|&entity| map.get(entity).is_some()));
    assert_eq!(pair.sides[1].world.len(), 30 + 3 + 4);
    pair.finish();
}

#[test]
fn commands_for_old_ids_pass_them_over_and_those_for_new_ids_reach_them() {
    let mut pair = filled();
    let ids: Vec<Entity> = pair.sides[0].rows.keys().copied().collect();
    pair.sides[0].world.commands().many(ids.clone()).insert(Aside::make(1));
    let map = pair.move_all(0, 0);
    // `check` has not carried the commands out.
    pair.sides[0].world.flush();
    pair.check();
    let new: Vec<Entity> = map.iter().map(|(_, new)| new).collect();
    pair.sides[1].world.commands().many(new.clone()).insert(Aside::make(1));
    pair.sides[1].world.flush();
    new.iter().for_each(|id| give(pair.sides[1].rows.get_mut(id).expect("moved"), mask(8), 1));
    pair.finish();
}

#[derive(Component, Debug, PartialEq)]
struct Target(Entity);

#[test]
fn ids_in_components_stay_and_the_map_tells_what_they_have_become() {
    let (mut here, mut there) = (World::new(), World::new());
    there.spawn_batch((0..10).map(|_| ()));
    let ids: Vec<Entity> = here.spawn_batch((0..10).map(|_| ())).collect();
    for (nth, &id) in ids.iter().enumerate() {
        here.entity_mut(id).insert(Target(ids[(nth + 3) % 10]));
    }
    let map = here.all::<With<Target>>().move_to(&mut there);
    for (nth, &id) in ids.iter().enumerate() {
        let new = map.get(id).expect("it moved");
        assert_eq!(there.get(new), Some(&Target(ids[(nth + 3) % 10])), "still the old id");
        assert!(map.get(there.get::<Target>(new).expect("present").0).is_some_and(|target| there.contains(target)));
    }
    assert_eq!(format!("{:?}", map.clone()), format!("{map:?}"));
}

#[derive(Component)]
#[component(storage = "sparse")]
struct Numbered<const N: u32>;
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Text<const N: u32>(String);

/// Gives an entity a tag and a text with each of these numbers.
macro_rules! for_numbers {
    ($action:ident: $($tens:literal)*) => { $($action!($tens 0 1 2 3 4 5 6 7 8 9);)* };
}

#[test]
fn more_sparse_components_than_a_word_has_bits_move_and_go() {
    let (mut here, mut there) = (World::new(), World::new());
    there.register_component::<Text<75>>();
    there.register_component::<Numbered<3>>();
    let ids: Vec<Entity> = (0..4).map(|_| here.spawn_empty().id()).collect();
    macro_rules! add {
        ($tens:literal $($ones:literal)*) => { $(
            here.entity_mut(ids[$ones % 4]).insert((Numbered::<{ $tens + $ones }>, Text::<{ $tens + $ones }>($ones.to_string())));
        )* };
    }
    for_numbers!(add: 0 10 20 30 40 50 60 70);
    let map = here.all::<()>().move_to(&mut there);
    macro_rules! look {
        ($tens:literal $($ones:literal)*) => { $(
            for (nth, id) in ids.iter().enumerate() {
                let new = map.get(*id).expect("it moved");
                let text = there.get::<Text<{ $tens + $ones }>>(new).map(|text| text.0.clone());
                assert_eq!(text, (nth == $ones % 4).then(|| $ones.to_string()));
                assert_eq!(there.get::<Numbered<{ $tens + $ones }>>(new).is_some(), nth == $ones % 4);
                assert!(here.get::<Text<{ $tens + $ones }>>(*id).is_none());
            }
        )* };
    }
    for_numbers!(look: 0 10 20 30 40 50 60 70);
    here.check_invariants();
    there.check_invariants();
    assert_eq!(there.all::<Or<(With<Text<75>>, With<Numbered<2>>)>>().remove::<(Text<75>, Numbered<2>)>(), 2);
    there.check_invariants();
    assert_eq!(there.all::<With<Text<71>>>().despawn(), 1);
    there.check_invariants();
    assert_eq!((there.len(), there.query::<&Text<71>>().iter(&there).count()), (3, 0));
}
