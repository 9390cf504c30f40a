//! Which rows come, whatever the pattern of those that were changed; and changes that are noted for many rows ahead.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Value(u32);
#[derive(Component, Clone, Copy)]
struct Other(u32);
#[derive(Resource, Default)]
struct Found(Vec<u32>);

#[system(changed(Value))]
fn find(value: &Value, mut found: ResMut<Found>) {
    found.0.push(value.0);
}

#[system(changed(Value))]
fn touch(value: &Value, other: &mut Other) {
    other.0 = value.0;
}

fn find_others(others: Query<&Other, Changed<Other>>, mut found: ResMut<Found>) {
    found.0.extend(others.iter().map(|other| other.0));
}

/// Rows of a table of so many that are changed, by the name of their pattern.
fn patterns(rows: u32) -> Vec<(&'static str, Vec<u32>)> {
    let select = |is_one: &dyn Fn(u32) -> bool| (0..rows).filter(|&row| is_one(row)).collect();
    vec![
        ("none", Vec::new()),
        ("all", select(&|_| true)),
        ("the first", select(&|row| row == 0)),
        ("the last", select(&|row| row + 1 == rows)),
        ("one of a hundred", select(&|row| row % 100 == 37)),
        ("one of nine", select(&|row| row % 9 == 4)),
        ("two of three", select(&|row| row % 3 != 1)),
        ("all but one of a group", select(&|row| row % 64 != 20)),
        ("runs of eight and of seven", select(&|row| row % 32 < 8 || (16..23).contains(&(row % 32)))),
        ("runs over the ends of groups", select(&|row| row % 128 >= 60)),
        ("whole groups, some", select(&|row| row / 64 % 3 != 1)),
        ("the second half", select(&|row| row >= rows / 2)),
        ("a run within a group", select(&|row| (70..90).contains(&row))),
        ("a run over groups", select(&|row| (100..400).contains(&row))),
        ("whole groups and more", select(&|row| (64..640 + 3).contains(&row))),
    ]
}

/// All forms find the same rows, in their order.
fn check(rows: u32, changed: &[u32], name: &str, write: impl Fn(&mut World, &[Entity], &[u32])) {
    let mut world = World::new();
    world.init_resource::<Found>();
    let ids: Vec<Entity> = world.spawn_batch((0..rows).map(|row| (Value(row), Other(row)))).collect();
    let changed_values = |query: Query<&Value, Changed<Value>>, mut found: ResMut<Found>| {
        query.iter().for_each(|value| found.0.push(value.0));
    };
    let one_by_one = |query: Query<&Value, Changed<Value>>, mut found: ResMut<Found>| {
        for value in &query {
            found.0.push(value.0);
        }
    };
    let in_two_steps = |query: Query<&Value, Changed<Value>>, mut found: ResMut<Found>| {
        let mut iter = query.iter();
        found.0.extend(iter.next().map(|value| value.0));
        found.0.extend(iter.next().map(|value| value.0));
        iter.for_each(|value| found.0.push(value.0));
    };
    let slices = |query: Query<&Value, Changed<Value>>, mut found: ResMut<Found>| {
        query.contiguous_iter().for_each(|slice| found.0.extend(slice.iter().map(|value| value.0)));
    };
    let with_a_second = |query: Query<&Value, (Changed<Value>, Changed<Other>)>, mut found: ResMut<Found>| {
        // All rows of the second component are new each time, and its filter is checked nevertheless.
        query.iter().for_each(|value| found.0.push(value.0));
    };
    let mut schedules: Vec<Schedule> = (0..6).map(|_| Schedule::default()).collect();
    schedules[0].add_systems(changed_values);
    schedules[1].add_systems(one_by_one);
    schedules[2].add_systems(in_two_steps);
    schedules[3].add_systems(slices);
    schedules[4].add_systems(find);
    schedules[5].add_systems(with_a_second);
    let all: Vec<u32> = (0..rows).collect();
    for turn in 0..3 {
        let expected = if turn == 0 { &all[..] } else { changed };
        for schedule in &mut schedules {
            world.query::<&mut Other>().iter_mut(&mut world).for_each(|mut other| other.set_changed());
            schedule.run(&mut world);
            assert_eq!(
                core::mem::take(&mut world.resource_mut::<Found>().0),
                expected,
                "{name} of {rows}, turn {turn}"
            );
        }
        write(&mut world, &ids, changed);
        world.check_invariants();
    }
}

#[test]
fn all_forms_find_the_rows_that_were_changed_one_by_one() {
    for rows in [1, 20, 63, 64, 65, 128, 700, 5000] {
        for (name, changed) in patterns(rows) {
            check(rows, &changed, name, |world, ids, changed| {
                // In another order than the rows.
                for &row in changed.iter().rev() {
                    world.get_mut::<Value>(ids[row as usize]).unwrap().set_changed();
                }
            });
        }
    }
}

#[test]
fn rows_that_are_written_because_another_component_was_changed_are_changed() {
    for rows in [20, 64, 700, 5000] {
        for (name, changed) in patterns(rows) {
            let mut world = World::new();
            world.init_resource::<Found>();
            let ids: Vec<Entity> = world.spawn_batch((0..rows).map(|row| (Value(row), Other(row)))).collect();
            let mut schedule = Schedule::default();
            schedule.add_systems((touch, find_others).chain());
            schedule.run(&mut world);
            for _ in 0..3 {
                found(&mut world);
                changed.iter().for_each(|&row| world.get_mut::<Value>(ids[row as usize]).unwrap().set_changed());
                schedule.run(&mut world);
                world.check_invariants();
                assert_eq!(found(&mut world), changed, "{name} of {rows}");
            }
        }
    }
}

#[test]
fn all_forms_find_the_rows_that_were_changed_in_a_loop() {
    for rows in [20, 64, 700, 5000] {
        for (name, changed) in patterns(rows) {
            check(rows, &changed, name, |world, _, changed| {
                let is_changed: Vec<bool> = (0..rows).map(|row| changed.binary_search(&row).is_ok()).collect();
                world.query::<&mut Value>().iter_mut(world).for_each(|mut value| {
                    if is_changed[value.0 as usize] {
                        value.set_changed();
                    }
                });
            });
        }
    }
}

/// A world in which a consumer has seen all, after so many turns in which all was changed: no log is begun for a while.
fn seen_world(rows: u32, turns: usize) -> (World, Schedule) {
    let mut world = World::new();
    world.init_resource::<Found>();
    world.spawn_batch((0..rows).map(|row| (Value(row), Other(row))));
    let mut watch = Schedule::default();
    watch.add_systems(|query: Query<&Value, Changed<Value>>, mut found: ResMut<Found>| {
        found.0 = query.iter().map(|value| value.0).collect();
    });
    watch.run(&mut world);
    for _ in 0..turns {
        world.query::<&mut Value>().iter_mut(&mut world).for_each(|mut value| value.set_changed());
        watch.run(&mut world);
        assert_eq!(found(&mut world).len(), rows as usize);
    }
    (world, watch)
}

fn found(world: &mut World) -> Vec<u32> {
    core::mem::take(&mut world.resource_mut::<Found>().0)
}

#[test]
fn only_rows_that_are_dereferenced_count_as_changed_after_turns_in_which_all_were() {
    for turns in 0..20 {
        let (mut world, mut watch) = seen_world(1000, turns);
        world.query::<&mut Value>().iter_mut(&mut world).for_each(|mut value| {
            if value.0 % 300 == 7 {
                value.set_changed();
            }
        });
        watch.run(&mut world);
        assert_eq!(found(&mut world), [7, 307, 607, 907], "after {turns} turns");
        world.check_invariants();
        watch.run(&mut world);
        assert_eq!(found(&mut world), []);
    }
}

#[test]
fn values_that_were_kept_by_a_loop_are_changed_when_they_are_written() {
    for turns in 0..20 {
        let (mut world, mut watch) = seen_world(1000, turns);
        world.clear_trackers();
        let mut query = world.query::<&mut Value>();
        let mut kept = Vec::new();
        query.iter_mut(&mut world).for_each(|value| kept.push(value));
        std::thread::scope(|threads| {
            for part in kept.chunks_mut(100) {
                threads.spawn(|| part.iter_mut().step_by(3).for_each(|value| value.set_changed()));
            }
        });
        assert!(kept[3].is_changed() && !kept[4].is_changed());
        kept[4].set_changed();
        assert!(kept[4].is_changed());
        drop(kept);
        watch.run(&mut world);
        let expected: Vec<u32> = (0..1000).filter(|row| row % 100 % 3 == 0 || *row == 4).collect();
        assert_eq!(found(&mut world), expected, "after {turns} turns");
    }
}

#[test]
fn what_was_changed_before_a_panic_has_been_changed() {
    for turns in 0..20 {
        let (mut world, mut watch) = seen_world(1000, turns);
        let mut query = world.query::<&mut Value>();
        let result = catch_unwind(AssertUnwindSafe(|| {
            query.iter_mut(&mut world).for_each(|mut value| {
                value.set_changed();
                assert_ne!(value.0, 777, "as is meant");
            });
        }));
        assert!(result.is_err());
        world.check_invariants();
        watch.run(&mut world);
        assert_eq!(found(&mut world), (0..778).collect::<Vec<_>>(), "after {turns} turns");
    }
}

#[test]
fn values_that_are_noted_ahead_can_be_added_set_back_and_moved() {
    for turns in [0, 1, 2, 5] {
        let (mut world, mut watch) = seen_world(1000, turns);
        let long_ago = world.change_tick();
        let long_ago = strata_ecs::change::Tick::new(long_ago.get().wrapping_sub(1000));
        world.query::<&mut Value>().iter_mut(&mut world).for_each(|mut value| match value.0 {
            10 => value.set_added(),
            20 => {
                value.set_changed();
                value.set_last_changed(long_ago);
            }
            30 => drop(value.map_unchanged(|value| &mut value.0).set_if_neq(30)),
            40 => *value.into_inner() = Value(40),
            50 => drop(value.bypass_change_detection()),
            _ => {}
        });
        let last = world.query::<(Entity, &Value)>().iter(&world).find(|(_, value)| value.0 == 0).unwrap().0;
        world.despawn(last);
        watch.run(&mut world);
        assert_eq!(found(&mut world), [10, 40], "after {turns} turns");
        world.check_invariants();
    }
}

#[test]
fn two_components_of_which_one_is_watched_are_written_in_one_loop() {
    for turns in 0..20 {
        let (mut world, mut watch) = seen_world(1000, turns);
        world.query::<(&mut Value, &mut Other)>().iter_mut(&mut world).for_each(|(mut value, mut other)| {
            other.0 += 1;
            if value.0 >= 500 {
                value.set_changed();
            }
        });
        watch.run(&mut world);
        assert_eq!(found(&mut world), (500..1000).collect::<Vec<_>>(), "after {turns} turns");
    }
}
