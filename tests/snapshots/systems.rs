//! The changes that systems in schedules of the world have seen, and the values that they keep.

use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;
use strata_ecs::snapshot::{RestoreError, SnapshotError, SnapshotOptions, SnapshotRing};
use strata_ecs::world::DeferredWorld;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Message, Clone)]
struct Step(u32);
#[derive(Resource, Clone, Default, PartialEq, Debug)]
struct Log(Vec<String>);
#[derive(SystemParam)]
struct Both<'w, 's> {
    runs: Local<'s, u32>,
    log: ResMut<'w, Log>,
}

fn note(log: &mut Log, what: &str, value: impl std::fmt::Debug) {
    log.0.push(format!("{what} {value:?}"));
}

fn changed(all: Query<Entity, Changed<Health>>, mut log: ResMut<Log>) {
    note(&mut log, "changed", all.iter().collect::<Vec<_>>());
}

fn removed(mut removed: RemovedComponents<Health>, mut log: ResMut<Log>) {
    note(&mut log, "removed", removed.read().collect::<Vec<_>>());
}

fn read(mut steps: MessageReader<Step>, mut log: ResMut<Log>) {
    note(&mut log, "steps", steps.read().map(|step| step.0).collect::<Vec<_>>());
}

fn count(mut both: Both, mut set: ParamSet<(Local<Vec<u32>>, Local<Option<Entity>>)>) {
    *both.runs += 1;
    let runs = *both.runs;
    set.p0().push(runs);
    let all = set.p0().clone();
    note(&mut both.log, "count", (runs, all));
}

fn every_other(mut runs: Local<bool>) -> bool {
    *runs = !*runs;
    *runs
}

fn work(all: Query<&mut Health>, mut steps: MessageWriter<Step>, mut commands: Commands, mut runs: Local<u32>) {
    *runs += 1;
    for (at, mut health) in all.into_iter().enumerate() {
        if (at as u32).is_multiple_of(*runs % 3 + 1) {
            health.0 += 1;
        }
    }
    steps.write(Step(*runs));
    commands.spawn(Health(*runs));
}

/// A system with access to the whole world and with state of its own.
fn whole_with_more(
    world: &mut World,
    changed: &mut QueryState<Entity, Changed<Health>>,
    mut runs: Local<u32>,
    state: &mut SystemState<(Local<u32>, MessageReader<Step>, Query<Entity, Added<Health>>)>,
) {
    *runs += 1;
    let changed: Vec<Entity> = changed.iter(world).collect();
    // Not in every run, so what has been read differs from what the system has seen.
    let read = (!runs.is_multiple_of(3)).then(|| {
        let (mut calls, mut steps, added) = state.get_mut(world).unwrap();
        *calls += 1;
        (*calls, steps.read().map(|step| step.0).collect::<Vec<_>>(), added.iter().collect::<Vec<_>>())
    });
    note(&mut world.resource_mut::<Log>(), "whole, and more", (*runs, changed, read));
}

fn whole(world: &mut World) {
    let changed: Vec<Entity> = world.query_filtered::<Entity, Changed<Health>>().iter(world).collect();
    note(&mut world.resource_mut::<Log>(), "whole", changed);
    let first = world.query_filtered::<Entity, With<Health>>().iter(world).next();
    if let Some(first) = first.filter(|first| first.index() % 2 == 0) {
        world.despawn(first);
    }
}

fn deferred(mut world: DeferredWorld, mut runs: Local<u32>) {
    *runs += 1;
    let runs = *runs;
    note(&mut world.resource_mut::<Log>(), "deferred", runs);
    world.commands().spawn(Health(runs));
}

fn twice(In(value): In<u32>, mut calls: Local<u32>, mut log: ResMut<Log>) {
    *calls += value;
    note(&mut log, "twice", *calls);
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Log>();
    let mut schedule = Schedule::new(Update);
    let piped = (|mut value: Local<u32>| {
        *value += 2;
        *value
    })
    .pipe(twice);
    schedule
        .add_systems(
            (changed, work, removed, read, count.run_if(every_other), whole, deferred, piped, count, changed).chain(),
        )
        .add_systems(whole_with_more.after(removed).before(whole));
    world.add_schedule(schedule);
    world
}

fn play(world: &mut World, frames: usize) -> Vec<String> {
    (0..frames).for_each(|_| world.run_schedule(Update));
    world.check_invariants();
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

#[test]
fn what_they_see_after_a_restore_is_what_they_would_have_seen() {
    for before in [0, 1, 2, 7] {
        let mut world = world();
        play(&mut world, before);
        let snapshot = world.snapshot().unwrap();
        let expected = play(&mut world, 8);
        for wrong in [0, 1, 5] {
            world.restore(&snapshot).unwrap();
            play(&mut world, wrong);
            world.spawn_batch([Health(5), Health(6)]);
            world.write_message(Step(77));
            world.restore(&snapshot).unwrap();
            assert_eq!(play(&mut world, 8), expected, "{before} frames before, {wrong} wrong ones");
        }
    }
}

#[test]
fn frames_of_a_rollback_give_what_they_gave() {
    let mut world = world();
    play(&mut world, 3);
    let mut ring = Vec::new();
    let mut logs = Vec::new();
    for _ in 0..12 {
        ring.push(world.snapshot().unwrap());
        logs.push(play(&mut world, 1));
    }
    for (at, snapshot) in ring.iter().enumerate().rev() {
        world.restore(snapshot).unwrap();
        logs[at..].iter().for_each(|log| assert_eq!(&play(&mut world, 1), log, "from frame {at}"));
    }
}

#[test]
fn what_they_keep_comes_back_after_a_restore_to_before_their_first_run() {
    let mut world = world();
    let (mut ring, before) = (SnapshotRing::new(4), world.snapshot().unwrap());
    ring.save(&mut world, 0).unwrap();
    play(&mut world, 3);
    ring.save(&mut world, 3).unwrap();
    let after = world.snapshot().unwrap();
    let expected = play(&mut world, 8);
    for is_ring in [false, true, false] {
        if is_ring {
            ring.restore(&mut world, 0).unwrap();
            ring.restore(&mut world, 3).unwrap();
        } else {
            world.restore(&before).unwrap();
            world.restore(&after).unwrap();
        }
        assert_eq!(play(&mut world, 8), expected);
    }
    world.restore(&before).unwrap();
    world.restore_from(after).unwrap();
    assert_eq!(play(&mut world, 8), expected);
}

#[test]
fn what_systems_keep_of_another_world_is_not_taken() {
    let (mut here, mut there) = (world(), world());
    play(&mut here, 2);
    // They are prepared for that world then, where more has been removed and written.
    here.schedule_scope(Update, |_, schedule| (0..9).for_each(|_| schedule.run(&mut there)));
    let snapshot = here.snapshot().unwrap();
    let expected = play(&mut here, 4);
    here.restore(&snapshot).unwrap();
    assert_eq!(play(&mut here, 4), expected);
    here.schedule_scope(Update, |_, schedule| (0..9).for_each(|_| schedule.run(&mut there)));
    here.restore(&snapshot).unwrap();
    there.check_invariants();
    assert_eq!(play(&mut here, 4), expected);
}

#[test]
fn what_systems_keep_of_a_world_that_came_in_the_middle_of_a_run_is_not_taken() {
    let (mut here, mut there) = (world(), world());
    // More has been removed there than here.
    play(&mut there, 9);
    let other = Arc::new(Mutex::new(there));
    let exchange = {
        let (other, mut exchanged) = (Arc::clone(&other), false);
        move |world: &mut World| {
            if !std::mem::replace(&mut exchanged, true) {
                std::mem::swap(world, &mut other.lock().unwrap());
            }
        }
    };
    here.schedule_scope(Update, |_, schedule| _ = schedule.add_systems(exchange.before(removed)));
    here.run_schedule(Update);
    // The world is taken out of the mutex, because its schedule locks the mutex.
    let mut there = std::mem::take(&mut *other.lock().unwrap());
    let mut found = 0;
    for world in [&mut here, &mut there] {
        if world.try_schedule_scope(Update, |_, _| ()).is_err() {
            continue;
        }
        found += 1;
        // Commands that were recorded for this world while the other one was in its place are applied first.
        world.flush();
        let snapshot = world.snapshot().unwrap();
        let expected = play(world, 4);
        world.restore(&snapshot).unwrap();
        world.check_invariants();
        assert_eq!(play(world, 4), expected);
    }
    assert!(found != 0, "the schedule is in one of the worlds");
}

#[test]
fn a_system_that_came_since_begins_when_it_would_have_begun() {
    let late = |mut runs: Local<u32>, all: Query<Entity, Added<Health>>, mut log: ResMut<Log>| {
        *runs += 1;
        note(&mut log, "late", (*runs, all.iter().count()));
    };
    let mut worlds = [(); 2].map(|()| {
        let mut world = world();
        play(&mut world, 3);
        world
    });
    let snapshot = worlds[1].snapshot().unwrap();
    for world in &mut worlds {
        world.schedule_scope(Update, |_, schedule| _ = schedule.add_systems(late));
    }
    play(&mut worlds[1], 4);
    worlds[1].restore(&snapshot).unwrap();
    let [one, other] = worlds.each_mut().map(|world| play(world, 4));
    let late = |log: &[String]| log.iter().filter(|line| line.starts_with("late")).cloned().collect::<Vec<_>>();
    assert_eq!(late(&one), late(&other));
}

#[test]
fn locals_of_other_types_are_named_or_left_out() {
    #[derive(Default)]
    struct Secret(u32);
    let mut world = World::new();
    world.init_resource::<Log>();
    let mut schedule = Schedule::new(Update);
    schedule.add_systems(|mut secret: Local<Secret>, mut log: ResMut<Log>| {
        secret.0 += 1;
        note(&mut log, "secret", secret.0);
    });
    world.add_schedule(schedule);
    // It is not prepared yet.
    assert!(world.snapshot().is_ok());
    play(&mut world, 1);
    let error = world.snapshot().unwrap_err();
    assert!(matches!(error, SnapshotError::NotTaken(_)) && error.to_string().contains("Secret"), "{error}");
    let snapshot = world.snapshot_with(&SnapshotOptions::new().without_uncloneable_locals()).unwrap();
    play(&mut world, 1);
    world.restore(&snapshot).unwrap();
    assert_eq!(play(&mut world, 1), ["secret 3"]);
}

#[test]
fn nothing_is_taken_or_restored_while_a_schedule_is_out() {
    let mut world = world();
    let snapshot = world.snapshot().unwrap();
    world.schedule_scope(Update, |world, _| {
        assert!(matches!(world.snapshot(), Err(SnapshotError::Busy)));
        assert_eq!(world.restore(&snapshot), Err(RestoreError::Busy));
    });
    assert_eq!(world.restore(&snapshot), Ok(()));
}

#[system(down = ChildOf, changed(Health))]
fn below(entity: Entity, health: &Health, mut log: ResMut<Log>) {
    note(&mut log, "below", (entity, health.0));
}

#[test]
fn links_that_a_loop_had_not_seen_are_new_to_it_again() {
    let mut world = World::new();
    world.init_resource::<Log>();
    let [a, b, c] = [1, 2, 3].map(|health| world.spawn(Health(health)).id());
    world.entity_mut(b).insert(ChildOf(a));
    let mut schedule = Schedule::new(Update);
    schedule.add_systems(below);
    world.add_schedule(schedule);
    let told = |world: &mut World| {
        world.resource_mut::<Log>().0.clear();
        world.run_schedule(Update);
        world.resource::<Log>().0.clone()
    };
    assert_eq!(told(&mut world).len(), 3);
    world.entity_mut(c).insert(ChildOf(b));
    let snapshot = world.snapshot().unwrap();
    let expected = told(&mut world);
    assert_eq!(expected, [format!("below {:?}", (c, 3))]);
    // Another time line, in which the loop has seen other links.
    world.entity_mut(b).remove::<ChildOf>();
    world.entity_mut(c).insert(ChildOf(a));
    assert_eq!(told(&mut world).len(), 2);
    world.restore(&snapshot).unwrap();
    assert_eq!(told(&mut world), expected);
    assert!(told(&mut world).is_empty());
}
