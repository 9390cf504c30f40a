//! Systems whose order matters and is not given.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{LogLevel, ScheduleBuildError, ScheduleBuildSettings, ScheduleSystem};

use super::Set::First;
use super::{A, schedule, step, world};

#[derive(Component)]
struct B;
#[derive(Component)]
#[component(storage = "sparse")]
struct Tag;

fn write_with_b(_: Query<'_, '_, &mut A, With<B>>) {}
fn write_without_b(_: Query<'_, '_, &mut A, Without<B>>) {}
fn write_with_tag(_: Query<'_, '_, &mut A, With<Tag>>) {}
fn write_without_tag(_: Query<'_, '_, &mut A, Without<Tag>>) {}
fn write(_: Query<'_, '_, &mut A>) {}
fn read(_: Query<'_, '_, &A>) {}
fn watch(_: Query<'_, '_, (), Changed<A>>) {}
fn everything(_: &World) {}
fn exclusive(_: &mut World) {}

/// The ends of the names of each pair.
fn pairs<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Vec<[String; 2]> {
    pairs_of(&mut schedule(systems))
}

fn pairs_of(schedule: &mut Schedule) -> Vec<[String; 2]> {
    let mut world = world();
    schedule.initialize(&mut world).expect("it can be ordered");
    let short = |name: String| name.rsplit("::").next().map(String::from).expect("a name has an end");
    schedule.ambiguities(&world).into_iter().map(|ambiguity| ambiguity.systems.map(short)).collect()
}

#[test]
fn systems_that_write_the_same_are_found_and_what_they_write_is_named() {
    let mut schedule = schedule((read, write, step::<0>));
    let mut world = world();
    schedule.initialize(&mut world).expect("it can be ordered");
    let found = schedule.ambiguities(&world);
    assert_eq!(found.len(), 1);
    assert!(found[0].systems[0].ends_with("read") && found[0].systems[1].ends_with("write"));
    assert!(found[0].conflicts[0].starts_with("component `") && found[0].conflicts[0].contains("A`"));
}

#[test]
fn asking_for_changes_is_reading() {
    assert_eq!(pairs((watch, write)), [["watch", "write"]]);
    assert!(pairs((watch, read)).is_empty());
}

#[test]
fn filters_that_keep_systems_apart_are_seen() {
    assert!(pairs((write_with_b, write_without_b)).is_empty());
    // They do not run at the same time, but their order does not matter.
    assert!(pairs((write_with_tag, write_without_tag)).is_empty());
    assert_eq!(pairs((write_with_b, write_without_tag)), [["write_with_b", "write_without_tag"]]);
}

#[test]
fn whole_worlds_are_in_the_way_of_all_writers() {
    assert_eq!(pairs((everything, write, read)), [["everything", "write"], ["write", "read"]]);
    assert_eq!(pairs((exclusive, || ())).len(), 1);
}

#[test]
fn an_order_makes_it_certain_also_by_way_of_others() {
    assert!(pairs((write, read).chain()).is_empty());
    assert!(pairs((write.before(First), (|| ()).in_set(First), read.after(First))).is_empty());
    let mut empty = schedule((write.before(First), read.after(First)));
    empty.configure_sets(First);
    assert!(pairs_of(&mut empty).is_empty());
}

#[test]
fn it_can_be_allowed_for_a_pair_for_a_set_and_for_all() {
    assert!(pairs((write, read.ambiguous_with(write))).is_empty());
    assert!(pairs((write.ambiguous_with(read), read)).is_empty());
    assert_eq!(pairs((write, read.ambiguous_with(write), write_with_b)).len(), 2);
    assert!(pairs((write.in_set(First), read.ambiguous_with(First))).is_empty());
    let mut nested = schedule((write.in_set(First), read.ambiguous_with(super::Set::Second)));
    nested.configure_sets(First.in_set(super::Set::Second));
    assert!(pairs_of(&mut nested).is_empty());
    assert_eq!(pairs((write, read.ambiguous_with_all(), write_with_b)), [["write", "write_with_b"]]);
}

#[test]
fn a_schedule_may_refuse_them() {
    let mut schedule = schedule((read, write));
    schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error });
    let error = schedule.initialize(&mut world()).expect_err("the order is not given");
    assert!(matches!(&error, ScheduleBuildError::Ambiguous(found) if found.len() == 1));
    let text = error.to_string();
    assert!(text.contains("read") && text.contains("write") && text.contains(".chain()"), "{text}");
    assert!(text.starts_with("the order of two systems matters, and is not given:\n"), "{text}");
    schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Warn });
    schedule.run(&mut world());
    schedule.set_build_settings(ScheduleBuildSettings::default());
    schedule.run(&mut world());
}
