//! Questions about components that are not watched: the answer is "changed" once, and exact from the next run on. With the feature
//! `track_location` it is exact from the beginning.

use std::sync::atomic::{AtomicUsize, Ordering};

use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

use super::parts::{ALWAYS_TRACKED, Aside, Health, Marked, Tag};

fn is_tracked<C: Component>(world: &World) -> bool {
    let id = world.component_id::<C>().expect("registered");
    world.components().info(id).expect("registered").is_tracked()
}

/// `get_ref` of a component that is not watched.
fn asks<C: Component<Mutability = Mutable> + Default + Clone>() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch(vec![C::default(); 200]).collect();
    world.clear_trackers();
    world.increment_change_tick();
    assert_eq!(is_tracked::<C>(&world), ALWAYS_TRACKED);
    let is_changed = |world: &World, at: usize| {
        let (entity, ticks) = (world.entity(entities[at]), world.entity(entities[at]).get_change_ticks::<C>());
        assert_eq!(ticks.is_some(), is_tracked::<C>(world));
        entity.get_ref::<C>().expect("present").is_changed()
    };
    assert_ne!(is_changed(&world, 3), ALWAYS_TRACKED, "what is not known counts as changed");
    assert_eq!(is_tracked::<C>(&world), ALWAYS_TRACKED);
    world.increment_change_tick();
    assert!(is_tracked::<C>(&world));
    assert!(!is_changed(&world, 3) && !is_changed(&world, 150), "they are older than the trackers");
    world.get_mut::<C>(entities[150]).expect("present").set_changed();
    assert!(!is_changed(&world, 3) && is_changed(&world, 150));
    world.clear_trackers();
    assert!(!is_changed(&world, 150));
    // Unwatched: what is known is given up with the memory, and known again when a system asks.
    world.shrink_to_fit();
    assert_eq!(is_tracked::<C>(&world), ALWAYS_TRACKED);
    assert_ne!(is_changed(&world, 3), ALWAYS_TRACKED);
    world.clear_trackers();
    assert!(is_tracked::<C>(&world) && !is_changed(&world, 3));
}

#[test]
fn of_a_table() {
    asks::<Health>();
}

#[test]
fn of_a_table_without_a_size() {
    asks::<Marked>();
}

#[test]
fn of_a_sparse_set() {
    asks::<Aside>();
}

#[test]
fn of_a_tag() {
    asks::<Tag>();
}

#[test]
fn a_system_that_asks_a_mut_is_precise_from_its_second_run_on() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..200).map(Health)).collect();
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let mut schedule = Schedule::default();
    schedule.add_systems(|mut healths: Query<&mut Health>| {
        SEEN.store(healths.iter_mut().filter(|health| health.is_changed()).count(), Ordering::Relaxed);
    });
    schedule.run(&mut world);
    assert_eq!(SEEN.load(Ordering::Relaxed), 200);
    // The system itself has had the right to change all of them when they were not known.
    for expected in [0, 0] {
        schedule.run(&mut world);
        assert_eq!(SEEN.load(Ordering::Relaxed), expected);
    }
    world.get_mut::<Health>(entities[70]).expect("present").0 += 1;
    schedule.run(&mut world);
    assert_eq!(SEEN.load(Ordering::Relaxed), 1);
}

#[test]
fn a_change_between_the_question_and_the_next_run_is_not_lost() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let mut schedule = Schedule::default();
    schedule.add_systems(|mut healths: Query<Mut<Health>>| {
        SEEN.fetch_add(healths.iter_mut().filter(|health| health.is_changed()).count(), Ordering::Relaxed);
    });
    schedule.run(&mut world);
    assert_eq!(SEEN.swap(0, Ordering::Relaxed), 1);
    world.get_mut::<Health>(entity).expect("present").0 += 1;
    schedule.run(&mut world);
    assert_eq!(SEEN.swap(0, Ordering::Relaxed), 1);
    schedule.run(&mut world);
    assert_eq!(SEEN.swap(0, Ordering::Relaxed), 0);
}

#[test]
fn a_query_of_a_shared_world_takes_what_is_not_known_for_changed_and_asks_for_it() {
    let mut world = World::new();
    world.spawn_batch((0..200).map(Health));
    world.clear_trackers();
    let mut query = world.try_query_filtered::<Entity, Changed<Health>>().expect("the component is registered");
    assert_eq!(query.iter(&world).count(), if ALWAYS_TRACKED { 0 } else { 200 });
    world.clear_trackers();
    assert!(is_tracked::<Health>(&world));
    assert_eq!(query.iter(&world).count(), 0);
}

#[test]
fn a_watcher_that_is_gone_and_comes_back_misses_nothing() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..200).map(Health)).collect();
    let query = world.query_filtered::<Entity, Changed<Health>>();
    world.clear_trackers();
    drop(query);
    world.shrink_to_fit();
    assert_eq!(is_tracked::<Health>(&world), ALWAYS_TRACKED);
    world.get_mut::<Health>(entities[3]).expect("present").0 += 1;
    let mut query = world.query_filtered::<Entity, Changed<Health>>();
    assert!(query.iter(&world).any(|entity| entity == entities[3]));
    world.clear_trackers();
    assert!(query.is_empty(&world));
}

#[test]
fn a_sparse_component_that_comes_is_no_change_of_the_table_whether_its_storage_has_room_or_not() {
    let mut world = World::new();
    let [first, second] = [Health(1), Health(2)].map(|health| world.spawn(health).id());
    world.clear_trackers();
    // The first value makes the storage, the second one finds room; a command knows no types.
    world.entity_mut(first).insert(Aside::default());
    world.entity_mut(second).insert(Aside::default());
    world.commands().entity(first).insert((Aside::default(), Tag));
    world.commands().entity(second).remove::<Aside>();
    world.flush();
    let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    assert_eq!(changed.iter(&world).count(), 0, "nothing has happened to the table");
    world.check_invariants();
}
