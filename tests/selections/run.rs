//! Random operations on a world and on a map from ids to rows of optional values.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_tests::drops;

use super::parts::*;

/// Which entities are selected. Numbers in a list pick one of the ids ever handed out, living or not.
#[derive(Clone, Debug)]
pub(crate) enum Pick {
    All(u8),
    Many(Vec<usize>),
    /// A part of the entities that match a filter, in reversed order: from this one on, so many.
    Part(u8, usize, usize),
}

/// What happens to the selected ones. The first number names the bundle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Insert(u8, u32),
    InsertWith(u8, u32),
    InsertFrom(u8, u8),
    InsertColumns(u8, u32),
    Remove(u8),
    Despawn,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn { first: u8, second: u8, value: u32 },
    SpawnBatch { kind: u8, count: u32, value: u32 },
    Reserve(u32),
    Insert { which: usize, kind: u8, value: u32 },
    Remove { which: usize, kind: u8 },
    Despawn(usize),
    InsertBatch { which: Vec<usize>, kind: u8, value: u32 },
    Shrink,
    Select { pick: Pick, change: Change, by_command: bool },
}

/// Any selection.
pub(crate) fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![
        4 => (0..FILTERS).prop_map(Pick::All),
        3 => vec(any::<usize>(), 0..12).prop_map(Pick::Many),
        1 => vec(any::<usize>(), 60..150).prop_map(Pick::Many),
        3 => (0..FILTERS, 0..40_usize, 0..40_usize).prop_map(|(filter, from, count)| Pick::Part(filter, from, count)),
    ]
}

/// Any change.
pub(crate) fn change() -> impl Strategy<Value = Change> {
    let kind = || 0..BUNDLES;
    let value = || 0..10_000_u32;
    prop_oneof![
        4 => (kind(), value()).prop_map(|(kind, value)| Change::Insert(kind, value)),
        4 => (kind(), value()).prop_map(|(kind, value)| Change::InsertWith(kind, value)),
        3 => (kind(), 0..4_u8).prop_map(|(kind, read)| Change::InsertFrom(kind, read)),
        4 => (kind(), value()).prop_map(|(kind, value)| Change::InsertColumns(kind, value)),
        6 => kind().prop_map(Change::Remove),
        2 => Just(Change::Despawn),
    ]
}

/// A sequence of operations.
pub(crate) fn operations(length: Range<usize>) -> impl Strategy<Value = Vec<Operation>> {
    let kind = || 0..BUNDLES;
    let value = || 0..10_000_u32;
    let which = any::<usize>;
    let operation = prop_oneof![
        4 => (kind(), kind(), value()).prop_map(|(first, second, value)| Operation::Spawn { first, second, value }),
        3 => (kind(), prop_oneof![2 => 0..8_u32, 1 => 8..140_u32], value())
            .prop_map(|(kind, count, value)| Operation::SpawnBatch { kind, count, value }),
        1 => (0..4_u32).prop_map(Operation::Reserve),
        2 => (which(), kind(), value()).prop_map(|(which, kind, value)| Operation::Insert { which, kind, value }),
        2 => (which(), kind()).prop_map(|(which, kind)| Operation::Remove { which, kind }),
        1 => which().prop_map(Operation::Despawn),
        1 => (vec(which(), 0..8), kind(), value())
            .prop_map(|(which, kind, value)| Operation::InsertBatch { which, kind, value }),
        1 => Just(Operation::Shrink),
        14 => (pick(), change(), prop::bool::weighted(0.25))
            .prop_map(|(pick, change, by_command)| Operation::Select { pick, change, by_command }),
    ];
    vec(operation, length)
}

/// The calls of the function that makes values: for whom, and the value.
pub(crate) type Calls = Arc<Mutex<Vec<(Entity, u32)>>>;

/// The value for call number `nth`.
fn value_of(value: u32, nth: usize) -> u32 {
    value + 16 * nth as u32
}

fn select<'w>(world: &'w mut World, pick: &Pick, ids: &[Entity]) -> EntitySelection<'w> {
    match pick {
        Pick::All(filter) => with_filter!(*filter, F => world.all::<F>()),
        _ => world.many(ids),
    }
}

/// Makes a change of a selection, and returns how many it says there were.
fn carry_out(selection: EntitySelection<'_>, change: Change, ids: &[Entity], calls: &Calls) -> usize {
    let note = |entity: Entity, value: u32| {
        let mut calls = calls.lock().expect("nobody panics");
        let value = value_of(value, calls.len());
        calls.push((entity, value));
        value
    };
    match change {
        Change::Insert(kind, value) => with_bundle!(kind, B => selection.insert(B::make(value))),
        Change::InsertWith(kind, value) => {
            with_bundle!(kind, B => selection.insert_with(|entity| B::make(note(entity, value))))
        }
        Change::InsertFrom(kind, read) => with_bundle!(kind, B => match read {
            0 => selection.insert_from::<&Plain, _>(|plain| B::make(plain.0 + 1)),
            1 => selection.insert_from::<(Entity, &Loose), _>(|(entity, loose)| {
                B::make(entity.index() + loose.value())
            }),
            2 => selection.insert_from::<Option<&Heap>, _>(|heap| B::make(heap.map_or(7, |heap| heap.value() + 2))),
            _ => selection.insert_from::<(&Wide, Has<Tag>), _>(|(wide, tag)| B::make(wide.value() + u32::from(tag))),
        }),
        Change::InsertColumns(kind, value) => {
            let values: Vec<u32> = (0..ids.len()).map(|nth| value_of(value, nth)).collect();
            with_bundle!(kind, B => B::insert_columns(selection, &values).expect("one value for each entity"))
        }
        Change::Remove(kind) => with_bundle!(kind, B => selection.remove::<B>()),
        Change::Despawn => selection.despawn(),
    }
}

/// Records the same change as a command.
pub(crate) fn command(selection: SelectionCommands<'_>, change: Change, calls: &Calls) {
    let calls = Arc::clone(calls);
    let note = move |entity: Entity, value: u32| {
        let mut calls = calls.lock().expect("nobody panics");
        let value = value_of(value, calls.len());
        calls.push((entity, value));
        value
    };
    match change {
        Change::Insert(kind, value) => with_bundle!(kind, B => selection.insert(B::make(value))),
        Change::InsertWith(kind, value) | Change::InsertColumns(kind, value) => {
            with_bundle!(kind, B => selection.insert_with(move |entity| B::make(note(entity, value))))
        }
        Change::InsertFrom(kind, read) => with_bundle!(kind, B => match read {
            0 => selection.insert_from::<&Plain, _>(|plain| B::make(plain.0 + 1)),
            1 => selection.insert_from::<(Entity, &Loose), _>(|(entity, loose)| {
                B::make(entity.index() + loose.value())
            }),
            2 => selection.insert_from::<Option<&Heap>, _>(|heap| B::make(heap.map_or(7, |heap| heap.value() + 2))),
            _ => selection.insert_from::<(&Wide, Has<Tag>), _>(|(wide, tag)| B::make(wide.value() + u32::from(tag))),
        }),
        Change::Remove(kind) => with_bundle!(kind, B => selection.remove::<B>()),
        Change::Despawn => selection.despawn(),
    }
}

/// What a bundle is made of for an entity with these values, if it is passed on at all.
fn read_value(read: u8, entity: Entity, row: &Row) -> Option<u32> {
    match read {
        0 => row[0].map(|plain| plain + 1),
        1 => row[5].map(|loose| entity.index() + loose),
        2 => Some(row[1].map_or(7, |heap| heap + 2)),
        _ => row[4].map(|wide| wide + u32::from(row[6].is_some())),
    }
}

/// Which components of an entity are in its table: the first five are table-stored.
fn shape(row: &Row) -> Vec<bool> {
    row[..5].iter().map(Option::is_some).collect()
}

/// Fails unless the calls came table by table, and within a table in the order of `ids`.
fn assert_in_order(calls: &[(Entity, u32)], ids: &[Entity], rows: &BTreeMap<Entity, Row>) {
    let mut blocks: Vec<(Vec<bool>, Vec<Entity>)> = Vec::new();
    for (entity, _) in calls {
        let shape = shape(&rows[entity]);
        match blocks.last_mut() {
            Some((last, block)) if *last == shape => block.push(*entity),
            _ => blocks.push((shape, vec![*entity])),
        }
    }
    let shapes: BTreeSet<&Vec<bool>> = blocks.iter().map(|(shape, _)| shape).collect();
    assert_eq!(shapes.len(), blocks.len(), "a table was visited twice");
    for (of, block) in &blocks {
        let expected: Vec<Entity> = ids.iter().copied().filter(|entity| shape(&rows[entity]) == *of).collect();
        assert_eq!(*block, expected, "the order within a table");
    }
}

/// Queries that are kept from the start.
struct Queries {
    plain: QueryState<(Entity, &'static Plain)>,
    heap: QueryState<Entity, (With<Heap>, Without<Unit>)>,
    wide: QueryState<(Entity, &'static Wide, Option<&'static Loose>, Has<Bell>)>,
    tag: QueryState<Entity, (With<Tag>, Without<Aside>)>,
}

/// A world and what it must look like.
pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) rows: BTreeMap<Entity, Row>,
    ever: Vec<Entity>,
    queries: Queries,
    bells: isize,
}

impl Run {
    pub(crate) fn new() -> Self {
        drops::reset();
        let mut world = World::new();
        let queries = Queries {
            plain: world.query(),
            heap: world.query_filtered(),
            wide: world.query(),
            tag: world.query_filtered(),
        };
        Self { world, rows: BTreeMap::new(), ever: Vec::new(), queries, bells: bells() }
    }

    pub(crate) fn born(&mut self, entity: Entity, masks: &[u32], value: u32) {
        let mut row = [None; KINDS];
        masks.iter().for_each(|&mask| give(&mut row, mask, value));
        assert!(self.rows.insert(entity, row).is_none(), "{entity:?} was handed out while it lived");
        self.ever.push(entity);
    }

    fn any(&self, which: usize) -> Option<Entity> {
        (!self.ever.is_empty()).then(|| self.ever[which % self.ever.len()])
    }

    pub(crate) fn step(&mut self, operation: &Operation) {
        match operation {
            Operation::Spawn { first, second, value } => {
                let entity = self.world.spawn_empty().id();
                for kind in [*first, *second] {
                    with_bundle!(kind, B => _ = self.world.entity_mut(entity).insert(B::make(*value)));
                }
                self.born(entity, &[mask(*first), mask(*second)], *value);
            }
            Operation::SpawnBatch { kind, count, value } => {
                let ids: Vec<Entity> = with_bundle!(*kind, B => {
                    self.world.spawn_batch((0..*count).map(|_| B::make(*value))).collect()
                });
                ids.into_iter().for_each(|entity| self.born(entity, &[mask(*kind)], *value));
            }
            Operation::Reserve(count) => {
                let ids: Vec<Entity> = self.world.reserve_entities(*count as usize).collect();
                ids.into_iter().for_each(|entity| self.born(entity, &[], 0));
            }
            Operation::Shrink => self.world.shrink_to_fit(),
            Operation::Select { pick, change, by_command } => return self.select(pick, *change, *by_command),
            _ => self.single(operation),
        }
        self.check();
    }

    /// Operations on entities that may be dead.
    fn single(&mut self, operation: &Operation) {
        match operation {
            Operation::Insert { which, kind, value } => {
                let Some(entity) = self.any(*which) else { return };
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    with_bundle!(*kind, B => _ = entity.insert(B::make(*value)));
                }
                self.rows.entry(entity).and_modify(|row| give(row, mask(*kind), *value));
            }
            Operation::Remove { which, kind } => {
                let Some(entity) = self.any(*which) else { return };
                if let Ok(mut entity) = self.world.get_entity_mut(entity) {
                    with_bundle!(*kind, B => _ = entity.remove::<B>());
                }
                self.rows.entry(entity).and_modify(|row| take(row, mask(*kind)));
            }
            Operation::Despawn(which) => {
                let Some(entity) = self.any(*which) else { return };
                assert_eq!(self.world.despawn(entity), self.rows.remove(&entity).is_some());
            }
            Operation::InsertBatch { which, kind, value } => {
                let ids: Vec<Entity> = which.iter().filter_map(|&which| self.any(which)).collect();
                let values = (0..).map(|nth| value_of(*value, nth));
                let count = with_bundle!(*kind, B => {
                    self.world.insert_batch(ids.iter().copied().zip(values.clone().map(B::make)))
                });
                assert_eq!(count, ids.iter().filter(|entity| self.rows.contains_key(entity)).count());
                for (entity, value) in ids.into_iter().zip(values) {
                    self.rows.entry(entity).and_modify(|row| give(row, mask(*kind), value));
                }
            }
            _ => unreachable!("the other operations are carried out elsewhere"),
        }
    }

    /// The list for a selection: what `many` gets, and who is selected.
    pub(crate) fn list(&self, pick: &Pick) -> (Vec<Entity>, BTreeSet<Entity>) {
        let matching = |filter: u8| self.rows.iter().filter(move |(_, row)| matches(filter, row)).map(|(&id, _)| id);
        let list: Vec<Entity> = match pick {
            Pick::All(filter) => matching(*filter).collect(),
            Pick::Many(which) => which.iter().filter_map(|&which| self.any(which)).collect(),
            Pick::Part(filter, from, count) => {
                let part: Vec<Entity> = matching(*filter).skip(*from).take(*count).collect();
                part.into_iter().rev().collect()
            }
        };
        let selected = list.iter().copied().filter(|entity| self.rows.contains_key(entity)).collect();
        (list, selected)
    }

    fn select(&mut self, pick: &Pick, change: Change, by_command: bool) {
        if by_command {
            // This one exists only when the commands are carried out.
            let entity = self.world.commands().spawn((Plain(5), Tag)).id();
            self.born(entity, &[], 0);
            let row = self.rows.get_mut(&entity).expect("just added");
            (row[0], row[6]) = (Some(5), Some(0));
        }
        let (list, selected) = self.list(pick);
        let calls = Calls::default();
        if by_command {
            let mut commands = self.world.commands();
            let selection = match pick {
                Pick::All(filter) => with_filter!(*filter, F => commands.all::<F>()),
                _ => commands.many(list),
            };
            command(selection, change, &calls);
            self.world.flush();
            let change =
                if let Change::InsertColumns(kind, value) = change { Change::InsertWith(kind, value) } else { change };
            self.expect(change, &selected.iter().copied().collect::<Vec<_>>(), &calls);
            return self.check();
        }
        let selection = select(&mut self.world, pick, &list);
        let ids = selection.ids();
        assert_eq!((selection.len(), selection.is_empty()), (selected.len(), selected.is_empty()));
        assert_eq!(ids.len(), selected.len(), "each counts once");
        assert_eq!(ids.iter().copied().collect::<BTreeSet<_>>(), selected);
        let count = carry_out(selection, change, &ids, &calls);
        if !matches!(change, Change::InsertFrom(..)) {
            assert_eq!(count, selected.len());
            assert_in_order(&calls.lock().expect("nobody panics"), &ids, &self.rows);
        }
        assert_eq!(count, self.expect(change, &ids, &calls));
        self.check();
    }

    /// Makes the change in the map, and returns how many entities got or lost something.
    pub(crate) fn expect(&mut self, change: Change, ids: &[Entity], calls: &Calls) -> usize {
        let calls = calls.lock().expect("nobody panics");
        let mut count = ids.len();
        match change {
            Change::Insert(kind, value) => ids.iter().for_each(|id| give(self.row(id), mask(kind), value)),
            Change::InsertWith(kind, _) => {
                assert_eq!(calls.len(), ids.len(), "one call for each");
                let called: BTreeSet<Entity> = calls.iter().map(|&(entity, _)| entity).collect();
                assert_eq!(called, ids.iter().copied().collect());
                calls.iter().for_each(|(entity, value)| give(self.row(entity), mask(kind), *value));
            }
            Change::InsertFrom(kind, read) => {
                let value = |id: &Entity| Some((*id, read_value(read, *id, &self.rows[id])?));
                let values: Vec<(Entity, u32)> = ids.iter().filter_map(value).collect();
                count = values.len();
                values.iter().for_each(|(entity, value)| give(self.row(entity), mask(kind), *value));
            }
            Change::InsertColumns(kind, value) => {
                for (nth, id) in ids.iter().enumerate() {
                    give(self.row(id), mask(kind), value_of(value, nth));
                }
            }
            Change::Remove(kind) => ids.iter().for_each(|id| take(self.row(id), mask(kind))),
            Change::Despawn => self.rows.retain(|id, _| !ids.contains(id)),
        }
        count
    }

    fn row(&mut self, entity: &Entity) -> &mut Row {
        self.rows.get_mut(entity).expect("a selected entity lives")
    }

    pub(crate) fn check(&mut self) {
        self.world.check_invariants();
        assert_eq!(self.world.len(), self.rows.len());
        for (&entity, row) in &self.rows {
            assert_eq!(row_of(&self.world, entity), *row, "{entity:?}");
        }
        for &entity in &self.ever {
            assert_eq!(self.world.contains(entity), self.rows.contains_key(&entity), "{entity:?}");
        }
        let count = |kinds: &[usize]| {
            let held = |row: &Row| kinds.iter().filter(|&&kind| row[kind].is_some()).count();
            self.rows.values().map(held).sum::<usize>()
        };
        drops::assert_none_twice();
        assert_eq!(drops::alive(), count(&[1, 4, 5]), "values that exist");
        assert_eq!(bells() - self.bells, count(&[3, 7]) as isize, "zero-sized values that exist");
        self.check_queries();
    }

    /// What a query yields, in the order of ids.
    fn check_queries(&mut self) {
        let Self { world, rows, queries, .. } = self;
        let mut plain: Vec<_> = queries.plain.iter(world).map(|(entity, plain)| (entity, plain.0)).collect();
        plain.sort_unstable();
        assert!(plain.into_iter().eq(rows.iter().filter_map(|(&id, row)| Some((id, row[0]?)))), "a cached query");
        let mut heap: Vec<Entity> = queries.heap.iter(world).collect();
        heap.sort_unstable();
        assert!(heap.into_iter().eq(rows.iter().filter(|(_, row)| matches(2, row)).map(|(&id, _)| id)));
        let mut wide: Vec<_> = queries.wide.iter(world).collect::<Vec<_>>();
        wide.sort_unstable_by_key(|item| item.0);
        let wide = wide.into_iter().map(|(id, wide, loose, bell)| (id, wide.value(), loose.map(Part::value), bell));
        let expected = rows.iter().filter_map(|(&id, row)| Some((id, row[4]?, row[5], row[3].is_some())));
        assert!(wide.eq(expected), "a cached query with an optional component");
        let mut tag: Vec<Entity> = queries.tag.iter(world).collect();
        tag.sort_unstable();
        let tagged = rows.iter().filter(|(_, row)| row[6].is_some() && row[8].is_none());
        assert!(tag.into_iter().eq(tagged.map(|(&id, _)| id)), "a cached query for a tag");
    }

    pub(crate) fn finish(self) {
        let before = self.bells;
        drop(self);
        drops::assert_all_dropped_once();
        assert_eq!(bells(), before, "zero-sized values are dropped once");
    }
}
