//! The memory cost of change detection, which is zero if no system uses it.

use strata_ecs::prelude::*;

use super::parts::{ALWAYS_TRACKED, Aside, Health, Marked, Tag};
use super::watcher::Watcher;

/// A component that is unwatched, then watched, then unwatched.
fn cost<C: Component + Default + Clone>(rows: usize) {
    let spawn = |world: &mut World| {
        world.spawn_batch(vec![C::default(); rows]);
        world.shrink_to_fit();
        world.allocated_bytes()
    };
    let mut world = World::new();
    let before = spawn(&mut world);
    let mut watcher = Watcher::<Changed<C>>::new();
    assert_eq!(watcher.sees(&mut world).len(), rows);
    let watched = world.allocated_bytes() - before;
    // Two ticks a row, the newest of each 64, and two logs with a bit a row and room for an eighth of the rows. Ticks that are always
    // tracked already exist.
    let (least, most) = if ALWAYS_TRACKED { (0, 2000) } else { (8 * rows, 10 * rows + 2000) };
    assert!((least..most).contains(&watched), "{watched} bytes for {rows} rows");
    world.shrink_to_fit();
    assert!(world.allocated_bytes() >= before + least, "it is watched");
    assert_eq!(watcher.sees(&mut world), []);
    drop(watcher);
    world.shrink_to_fit();
    assert_eq!(world.allocated_bytes(), before);
    let mut again = Watcher::<Changed<C>>::new();
    assert_eq!(again.sees(&mut world).len(), rows);
    assert_eq!(again.sees(&mut world), []);
}

#[test]
fn of_a_table() {
    cost::<Health>(10_000);
}

#[test]
fn of_a_table_without_a_size() {
    cost::<Marked>(10_000);
}

#[test]
fn of_a_sparse_set() {
    cost::<Aside>(10_000);
}

#[test]
fn of_a_tag() {
    cost::<Tag>(10_000);
}

#[test]
fn one_component_that_is_watched_costs_nothing_for_the_others() {
    let mut world = World::new();
    world.spawn_batch((0..10_000).map(|value| (Health(value), Marked)));
    world.shrink_to_fit();
    let _first = Watcher::<Changed<Marked>>::of(&mut world);
    let one = world.allocated_bytes();
    let _second = Watcher::<Changed<Marked>>::of(&mut world);
    assert!(world.allocated_bytes() < one + 10_000);
    world.query::<&mut Health>().iter_mut(&mut world).for_each(|mut health| health.0 += 1);
    assert!(world.allocated_bytes() < one + 10_000);
    let _third = Watcher::<Changed<Health>>::of(&mut world);
    assert_eq!(world.allocated_bytes() > one + 80_000, !ALWAYS_TRACKED);
}

#[test]
fn ticks_shrink_with_the_rows() {
    let mut world = World::new();
    let mut watcher = Watcher::<Or<(Changed<Health>, Changed<Tag>)>>::of(&mut world);
    let entities: Vec<Entity> = world.spawn_batch((0..10_000).map(|value| (Health(value), Tag))).collect();
    let full = world.allocated_bytes();
    world.many(&entities[100..]).despawn();
    world.get_mut::<Health>(entities[3]).expect("present").0 += 1;
    world.shrink_to_fit();
    assert!(world.allocated_bytes() < full / 10);
    assert_eq!(watcher.sees(&mut world), entities[..100]);
    world.get_mut::<Health>(entities[5]).expect("present").0 += 1;
    world.shrink_to_fit();
    let new: Vec<Entity> = world.spawn_batch((0..1000).map(|value| (Health(value), Tag))).collect();
    let mut seen = watcher.sees(&mut world);
    seen.retain(|entity| !new.contains(entity));
    assert_eq!(seen, entities[5..6]);
}
