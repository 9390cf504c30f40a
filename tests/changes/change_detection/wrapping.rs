//! Worlds in which so many systems have run that the ticks wrap.

use strata_ecs::prelude::*;

use super::parts::{Aside, Extra, Health, Marked, Other, Score, Tag};
use super::watcher::Watcher;

/// A world whose ticks are about to wrap.
fn late(before: u32) -> World {
    let mut world = World::new();
    world.skip_change_ticks(u32::MAX - before - world.change_tick().get());
    world
}

#[test]
fn consumers_see_each_change_once_while_the_numbers_wrap_around() {
    let mut world = late(40);
    let entities: Vec<Entity> =
        world.spawn_batch((0..200).map(|value| (Health(value), Aside(1), Tag, Marked))).collect();
    let mut watchers = (
        Watcher::<Changed<Health>>::of(&mut world),
        Watcher::<Changed<Aside>>::of(&mut world),
        Watcher::<Changed<Tag>>::of(&mut world),
        Watcher::<Added<Marked>>::of(&mut world),
    );
    for (round, &entity) in entities.iter().enumerate().take(60) {
        world.get_mut::<Health>(entity).expect("present").0 += 1;
        world.get_mut::<Aside>(entity).expect("present").0 += 1;
        world.get_mut::<Tag>(entity).expect("present").set_changed();
        world.entity_mut(entity).insert(Other(round as u16));
        let new = world.spawn(Marked).id();
        assert_eq!(watchers.0.sees(&mut world), [entity], "round {round}");
        assert_eq!(watchers.1.sees(&mut world), [entity], "round {round}");
        assert_eq!(watchers.2.sees(&mut world), [entity], "round {round}");
        assert_eq!(watchers.3.sees(&mut world), [new], "round {round}");
    }
    assert!(world.change_tick().get() < 1000);
}

#[test]
fn rows_that_take_the_place_of_others_are_not_missed_in_a_late_world() {
    for before in [0, 3, 10, 500] {
        let mut world = late(before);
        let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
        let entities: Vec<Entity> = world.spawn_batch((0..200).map(Health)).collect();
        assert_eq!(watcher.sees(&mut world), entities);
        let last = entities[199];
        world.get_mut::<Health>(last).expect("present").0 += 1;
        world.despawn(entities[3]);
        assert_eq!(watcher.sees(&mut world), [last]);
        world.get_mut::<Health>(last).expect("present").0 += 1;
        world.entity_mut(last).insert(Other(1));
        world.entity_mut(entities[10]).insert(Other(1));
        world.despawn(entities[10]);
        assert_eq!(watcher.sees(&mut world), [last]);
    }
}

#[test]
fn a_system_that_was_idle_for_more_than_half_of_the_range_sees_exactly_what_has_changed() {
    for before in [0, 100, u32::MAX / 2] {
        let mut world = late(before);
        let entities: Vec<Entity> = world.spawn_batch((0..200).map(|value| (Health(value), Aside(1)))).collect();
        let (mut table, mut sparse) =
            (Watcher::<Changed<Health>>::of(&mut world), Watcher::<Changed<Aside>>::of(&mut world));
        world.get_mut::<Health>(entities[3]).expect("present").0 += 1;
        world.get_mut::<Aside>(entities[4]).expect("present").0 += 1;
        world.skip_change_ticks((u32::MAX / 100) * 58);
        world.get_mut::<Health>(entities[5]).expect("present").0 += 1;
        world.skip_change_ticks(1000);
        assert_eq!(table.sees(&mut world), [entities[3], entities[5]]);
        assert_eq!(sparse.sees(&mut world), entities[4..5]);
        assert_eq!(table.sees(&mut world), []);
    }
}

#[test]
fn a_system_that_was_idle_for_too_long_sees_everything_and_then_is_precise_again() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..200).map(Health)).collect();
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    for round in 0..3 {
        (0..5 + round).for_each(|_| world.skip_change_ticks(u32::MAX / 2));
        assert_eq!(watcher.sees(&mut world), entities);
        assert_eq!(watcher.sees(&mut world), []);
        world.get_mut::<Health>(entities[8]).expect("present").0 += 1;
        assert_eq!(watcher.sees(&mut world), entities[8..9]);
    }
}

#[test]
fn a_system_that_runs_now_and_then_sees_nothing_old_however_much_runs_between() {
    let mut world = World::new();
    world.spawn_batch((0..200).map(|value| (Health(value), Aside(2))));
    let (mut table, mut sparse) = (Watcher::<Changed<Health>>::of(&mut world), Watcher::<Added<Aside>>::of(&mut world));
    for _ in 0..30 {
        world.skip_change_ticks(u32::MAX / 3);
        assert_eq!(table.sees(&mut world), []);
        assert_eq!(sparse.sees(&mut world), []);
    }
}

#[test]
fn a_look_by_hand_after_too_long_misses_nothing() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..200).map(Health)).collect();
    let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    world.clear_trackers();
    world.get_mut::<Health>(entities[3]).expect("present").0 += 1;
    world.skip_change_ticks(u32::MAX / 2);
    assert_eq!(changed.iter(&world).collect::<Vec<_>>(), entities[3..4]);
    (0..4).for_each(|_| world.skip_change_ticks(u32::MAX / 2));
    assert!(changed.iter(&world).any(|entity| entity == entities[3]));
    world.clear_trackers();
    assert!(changed.is_empty(&world));
    world.insert_resource(Score(1));
    assert!(world.is_resource_changed::<Score>());
    world.clear_trackers();
    (0..9).for_each(|_| world.skip_change_ticks(u32::MAX / 2));
    world.clear_trackers();
    assert!(!world.is_resource_changed::<Score>() && changed.is_empty(&world));
}

#[test]
fn components_and_tables_that_come_in_a_late_world_are_seen_once() {
    for before in [0, 2, 7, 40] {
        let mut world = late(before);
        let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
        let mut aside = Watcher::<Added<Aside>>::of(&mut world);
        for round in 0..20 {
            let mut new = vec![world.spawn((Health(1), Aside(2))).id()];
            if round % 2 == 0 {
                new.push(world.spawn((Health(1), Extra([1; 3]), Aside(3))).id());
            }
            assert_eq!(watcher.sees(&mut world), new, "{before} before, round {round}");
            assert_eq!(aside.sees(&mut world), new, "{before} before, round {round}");
            assert_eq!(watcher.sees(&mut world), []);
            if round % 5 == 0 {
                world.shrink_to_fit();
            }
        }
        let mut late_comer = Watcher::<Changed<Aside>>::new();
        assert_eq!(late_comer.sees(&mut world).len(), 30);
        assert_eq!(late_comer.sees(&mut world), []);
    }
}

#[test]
fn an_exclusive_system_in_a_late_world_sees_everything_in_its_first_run() {
    for before in [0, 1, 2, 100] {
        let mut world = late(before);
        world.spawn_batch((0..100).map(Health));
        world.insert_resource(Score(0));
        let mut query: Option<QueryState<Entity, Changed<Health>>> = None;
        let mut schedule = Schedule::default();
        schedule.add_systems(move |world: &mut World| {
            let query = query.get_or_insert_with(|| world.query_filtered());
            world.increment_change_tick();
            let seen = query.iter(world).count();
            world.resource_mut::<Score>().0 = seen as u32;
        });
        for expected in [100, 0, 0] {
            schedule.run(&mut world);
            assert_eq!(world.resource::<Score>().0, expected);
        }
    }
}

#[test]
fn a_change_that_a_swap_brings_among_very_old_rows_is_not_missed() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..200).map(Health)).collect();
    let _ = world.query_filtered::<(), Changed<Health>>();
    world.skip_change_ticks(u32::MAX - 700);
    world.clear_trackers();
    // No system has looked at this column since its values were made, so that its log is as old as they are.
    world.get_mut::<Health>(entities[199]).expect("present").0 += 1;
    world.despawn(entities[3]);
    let mut changed = world.query_filtered::<Entity, Or<(Changed<Health>, With<Other>)>>();
    assert_eq!(changed.iter(&world).collect::<Vec<_>>(), [entities[199]]);
}

/// Found by the model: the log of a table that had been made without rows seemed to have begun just now.
#[test]
fn a_row_that_moves_behind_the_last_number_is_not_missed() {
    for before in 0..30 {
        let mut world = late(before);
        let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
        let moving = world.spawn((Health(1), Other(1))).id();
        let staying = world.spawn(Health(1)).id();
        watcher.sees(&mut world);
        for _ in 0..15 {
            world.get_mut::<Health>(staying).expect("present").0 += 1;
            world.get_mut::<Health>(moving).expect("present").0 += 1;
            world.increment_change_tick();
            world.entity_mut(moving).remove::<Other>();
            assert_eq!(watcher.sees(&mut world), [moving, staying], "{before} runs before the last number");
            world.entity_mut(moving).insert(Other(1));
            assert_eq!(watcher.sees(&mut world), []);
        }
    }
}
