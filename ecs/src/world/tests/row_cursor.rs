//! Tests of the row cursor alone: which runs and single rows it returns, and in which order.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use strata_ecs_derive::Component;

use crate::entity::Entity;
use crate::query::{Added, Changed, Matched, QueryData, QueryFilter, RowBatch, RowCursor, With, Without};
use crate::structure::cell::StoreCell;
use crate::world::World;

#[derive(Component)]
struct Health(u32);

#[derive(Component)]
struct Armor;

#[derive(Component, Clone, Copy)]
#[component(storage = "sparse")]
struct Burning(u32);

/// The number of entities in the first table; the second has more.
const FIRST: usize = 100;
const SECOND: usize = 300;

/// Creates two tables with `Health`. The entities of the second table are visited after those of the first.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut ids: Vec<Entity> = world.spawn_batch((0..FIRST as u32).map(Health)).collect();
    ids.extend(world.spawn_batch((0..SECOND as u32).map(|n| (Health(n), Armor))));
    (world, ids)
}

/// Calls a function with a cursor over all rows that match.
fn with_cursor<D: QueryData, F: QueryFilter, R>(
    world: &mut World,
    then: impl FnOnce(RowCursor<'_, '_, D::Terms, F::Terms>) -> R,
) -> R {
    let mut state = world.query_filtered::<D, F>();
    state.update(&world.store);
    // SAFETY: the cache belongs to the store and is up to date; the store is borrowed, so the filter may read.
    let matched = unsafe { Matched::new(StoreCell::shared(&world.store), &state.cache) };
    then(RowCursor::new(matched))
}

/// Returns a list of one run.
fn one(run: Range<usize>) -> Vec<Range<usize>> {
    vec![run]
}

/// Returns the runs that `next_run` returns.
fn runs<D: QueryData, F: QueryFilter>(world: &mut World) -> Vec<Range<usize>> {
    with_cursor::<D, F, _>(world, |mut cursor| core::iter::from_fn(|| cursor.next_run()).collect())
}

/// Returns the single rows and the runs that `next_batch` returns, batch by batch.
fn batches<D: QueryData, F: QueryFilter>(world: &mut World) -> Vec<(Vec<u32>, Range<usize>)> {
    with_cursor::<D, F, _>(world, |mut cursor| {
        let mut few = RowBatch::new();
        core::iter::from_fn(|| cursor.next_batch(&mut few).map(|run| (few.all().to_vec(), run))).collect()
    })
}

/// Returns the entities in the rows of the runs.
fn entities<D: QueryData, F: QueryFilter>(world: &mut World) -> Vec<Entity> {
    with_cursor::<D, F, _>(world, |mut cursor| {
        let mut found = Vec::new();
        while let Some(run) = cursor.next_run() {
            // SAFETY: the cursor has returned a run, whose rows are rows of its block.
            found.extend_from_slice(unsafe { cursor.block().rows.entities(run.start, run.len()) });
        }
        found
    })
}

#[test]
fn a_table_is_one_run_if_no_row_has_to_be_asked() {
    let (mut world, ids) = world();
    assert_eq!(runs::<&Health, ()>(&mut world), [0..FIRST, 0..SECOND]);
    assert_eq!(runs::<&mut Health, Without<Armor>>(&mut world), one(0..FIRST));
    assert_eq!(batches::<&Health, ()>(&mut world), [(vec![], 0..FIRST), (vec![], 0..SECOND)]);
    assert_eq!(entities::<&Health, ()>(&mut world), ids);
    // A table without rows yields no run.
    ids[..FIRST].iter().for_each(|&id| assert!(world.despawn(id)));
    assert_eq!(runs::<&Health, ()>(&mut world), one(0..SECOND));
}

#[test]
fn changed_rows_are_cut_into_runs_that_go_on_over_groups() {
    let (mut world, ids) = world();
    assert_eq!(runs::<&Health, Changed<Health>>(&mut world), [0..FIRST, 0..SECOND]);
    world.clear_trackers();
    assert_eq!(runs::<&Health, Changed<Health>>(&mut world), []);
    // Changed rows of the second table: single rows, and runs within a group, at the end of a group and over several groups.
    let changed = [3..4, 20..30, 60..66, 100..230, 299..300];
    for row in changed.iter().cloned().flatten() {
        world.get_mut::<Health>(ids[FIRST + row]).unwrap().0 += 1;
    }
    assert_eq!(runs::<&Health, Changed<Health>>(&mut world), changed);
    assert_eq!(runs::<&Health, (Changed<Health>, With<Armor>)>(&mut world), changed);
    assert_eq!(runs::<&Health, Added<Health>>(&mut world), []);
}

#[test]
fn single_rows_come_before_the_run_that_follows_them() {
    let (mut world, ids) = world();
    runs::<&Health, Changed<Health>>(&mut world);
    world.clear_trackers();
    for row in [3, 9, 70].into_iter().chain(128..200).chain([250]) {
        world.get_mut::<Health>(ids[FIRST + row]).unwrap().0 += 1;
    }
    let batches = batches::<&Health, Changed<Health>>(&mut world);
    assert_eq!(batches, [(vec![3, 9, 70], 128..200), (vec![250], 0..0)]);
}

#[test]
fn a_sparse_storage_leads_to_single_rows_or_is_one_run() {
    let (mut world, ids) = world();
    let burning: Vec<Entity> = [ids[5], ids[FIRST], ids[FIRST + 7]].to_vec();
    burning.iter().zip(1..).for_each(|(&id, n)| _ = world.entity_mut(id).insert(Burning(n)));
    assert_eq!(world.get::<Burning>(ids[5]).map(|burning| burning.0), Some(1));
    assert_eq!(runs::<(&Health, &Burning), ()>(&mut world), [5..6, 0..1, 7..8]);
    assert_eq!(entities::<&Health, With<Burning>>(&mut world), burning);
    // Only the sparse storage is read, so the rows are its rows.
    assert_eq!(runs::<&Burning, ()>(&mut world), one(0..3));
    assert_eq!(entities::<&Burning, ()>(&mut world), burning);
    assert_eq!(runs::<&Health, Without<Burning>>(&mut world), [0..5, 6..FIRST, 1..7, 8..SECOND]);
}

#[test]
fn a_block_is_gone_through_without_its_neighbours() {
    let (mut world, ids) = world();
    runs::<&Health, Changed<Health>>(&mut world);
    world.clear_trackers();
    for row in [10, 64, 127, 128, 130] {
        world.get_mut::<Health>(ids[FIRST + row]).unwrap().0 += 1;
    }
    let mut state = world.query_filtered::<&Health, (Changed<Health>, With<Armor>)>();
    state.update(&world.store);
    // SAFETY: the cache belongs to the store and is up to date; the store is borrowed, so the filter may read.
    let matched = unsafe { Matched::new(StoreCell::shared(&world.store), &state.cache) };
    let mut whole = RowCursor::new(matched);
    whole.next_run().unwrap();
    // SAFETY: the cursor has returned a run.
    let mut block = *unsafe { whole.block() };
    (block.first, block.end) = (64, 129);
    let (mut cursor, first) = RowCursor::<
        <&Health as QueryData>::Terms,
        <(Changed<Health>, With<Armor>) as QueryFilter>::Terms,
    >::of_block(matched, block);
    assert!(first.is_empty(), "rows have to be asked");
    let runs: Vec<Range<usize>> = core::iter::from_fn(|| cursor.next_run()).collect();
    assert_eq!(runs, [64..65, 127..129]);
}

#[test]
fn a_copy_goes_on_where_the_cursor_was() {
    let (mut world, _) = world();
    with_cursor::<&Health, Without<Burning>, _>(&mut world, |mut cursor| {
        assert_eq!(cursor.next_run(), Some(0..FIRST));
        let mut copy = cursor.clone();
        assert_eq!((cursor.next_run(), cursor.next_run()), (Some(0..SECOND), None));
        assert_eq!((copy.next_run(), copy.next_run()), (Some(0..SECOND), None));
    });
}
