//! Resources that row systems change: for the time of a loop their ticks are the loop's.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::change::Tick;
use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

#[derive(Component)]
struct Points(u32);
#[derive(Resource, Default)]
struct Sum(u64);
/// Whether a system saw the resource as changed, for each row.
#[derive(Resource, Default)]
struct Seen(Vec<bool>);

fn world() -> World {
    let mut world = World::new();
    world.spawn_batch((0..100).map(Points));
    world.init_resource::<Sum>();
    world.init_resource::<Seen>();
    world
}

fn schedule<M>(systems: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems);
    schedule
}

/// Returns whether a watcher detects a change after each run. The first run is not counted, because everything is new in it.
fn changes_seen<M>(world: &mut World, system: impl IntoScheduleConfigs<ScheduleSystem, M>) -> bool {
    let watch = |sum: Res<'_, Sum>, mut seen: ResMut<'_, Seen>| seen.0.push(sum.is_changed());
    let mut watcher = schedule(watch);
    watcher.run(world);
    let mut schedule = schedule(system);
    let _ = catch_unwind(AssertUnwindSafe(|| schedule.run(world)));
    watcher.run(world);
    watcher.run(world);
    let seen = core::mem::take(&mut world.resource_mut::<Seen>().0);
    assert!(seen[0], "what was inserted is new");
    assert!(!seen[2], "a change is seen once");
    seen[1]
}

#[system]
fn add(points: &Points, mut sum: ResMut<Sum>) {
    sum.0 += u64::from(points.0);
}

#[test]
fn rows_change_a_resource() {
    let mut world = world();
    assert!(changes_seen(&mut world, add));
    assert_eq!(world.resource::<Sum>().0, (0..100).sum());
}

#[system]
fn look(points: &Points, sum: ResMut<Sum>) {
    assert!(sum.0 <= u64::from(points.0));
}

#[test]
fn rows_that_only_look_at_a_resource_do_not_change_it() {
    assert!(!changes_seen(&mut world(), look));
}

#[test]
fn a_resource_is_not_changed_by_a_system_without_rows() {
    let mut world = world();
    world.clear_entities();
    assert!(!changes_seen(&mut world, add));
}

#[system]
fn add_until_one_panics(points: &Points, mut sum: ResMut<Sum>) {
    sum.0 += 1;
    assert_ne!(points.0, 70, "as is meant");
}

#[test]
fn what_rows_changed_before_one_panicked_has_been_changed() {
    let mut world = world();
    assert!(changes_seen(&mut world, add_until_one_panics));
    assert_eq!(world.resource::<Sum>().0, 71);
}

#[system]
fn set_back(points: &Points, mut sum: ResMut<Sum>) {
    if points.0 == 50 {
        sum.set_last_changed(Tick::new(0));
    }
}

#[test]
fn rows_may_say_when_a_resource_was_changed() {
    let mut world = world();
    schedule(set_back).run(&mut world);
    assert_eq!(world.get_resource_ref::<Sum>().unwrap().last_changed(), Tick::new(0));
}

#[system]
fn see_oneself(points: &Points, mut sum: ResMut<Sum>, mut seen: ResMut<Seen>) {
    seen.0.push(sum.is_changed());
    if points.0 == 1 {
        sum.0 += 1;
    }
}

#[test]
fn a_row_sees_what_rows_before_it_changed() {
    let mut world = world();
    let mut schedule = schedule(see_oneself);
    schedule.run(&mut world);
    world.resource_mut::<Seen>().0.clear();
    schedule.run(&mut world);
    let expected: Vec<bool> = (0..100).map(|row| row > 1).collect();
    assert_eq!(world.resource::<Seen>().0, expected);
}

/// A resource in a parameter that is not one.
#[derive(SystemParam)]
struct Counter<'w> {
    sum: ResMut<'w, Sum>,
}

#[system]
fn add_through_a_struct(points: &Points, mut counter: Counter) {
    counter.sum.0 += u64::from(points.0);
}

#[system]
fn add_if_there_is(points: &Points, sum: Option<ResMut<Sum>>) {
    if let Some(mut sum) = sum {
        sum.0 += u64::from(points.0);
    }
}

#[test]
fn parameters_that_contain_a_resource_change_it() {
    let mut world = world();
    assert!(changes_seen(&mut world, add_through_a_struct));
    assert!(changes_seen(&mut world, add_if_there_is));
}

#[system]
fn add_any<R: Resource + AsMut<u64>>(points: &Points, mut sum: ResMut<R>) {
    *R::as_mut(&mut sum) += u64::from(points.0);
}

impl AsMut<u64> for Sum {
    fn as_mut(&mut self) -> &mut u64 {
        &mut self.0
    }
}

#[test]
fn a_generic_row_system_changes_its_resource() {
    assert!(changes_seen(&mut world(), add_any::<Sum>));
}
