//! Systems that read the whole world with a `SystemState` of their own, in a stage with other systems.

use std::sync::{Arc, Mutex};

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;
use strata_ecs::world::SystemState;
use strata_tests::panics::expect_panic;

use super::parts::{Health, Score};

type Looking = SystemState<(Query<'static, 'static, Entity, Changed<Health>>, Res<'static, Score>)>;

/// How many entities have changed since a state was used last, and whether the resource has.
fn new(state: &mut Looking, world: &World) -> (usize, bool) {
    let (changed, score) = state.get(world).expect("the resource exists");
    (changed.iter().count(), score.is_changed())
}

type Seen = Arc<Mutex<Vec<(usize, bool)>>>;

/// A system that notes what is new, and that nothing is when it asks again.
fn onlooker(seen: &Seen) -> impl FnMut(&World, Local<Looking>) + use<> {
    let seen = Arc::clone(seen);
    move |world: &World, mut state: Local<Looking>| {
        seen.lock().expect("no panic").push(new(&mut state, world));
        assert_eq!(new(&mut state, world), (0, false), "seen twice");
    }
}

fn take(seen: &Seen) -> Vec<(usize, bool)> {
    std::mem::take(&mut *seen.lock().expect("no panic"))
}

fn write(mut all: Query<&mut Health>, mut score: ResMut<Score>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
    score.0 += 1;
}

fn scene() -> World {
    let mut world = World::new();
    world.init_resource::<Score>();
    world.spawn_batch([Health(1), Health(2), Health(3)]);
    world
}

#[test]
fn what_later_systems_of_the_stage_change_is_new_in_the_next_run() {
    let mut world = scene();
    let seen = Seen::default();
    let mut schedule = Schedule::default();
    schedule.add_systems((onlooker(&seen), write).chain());
    for _ in 0..4 {
        schedule.run(&mut world);
        assert_eq!(take(&seen), [(3, true)]);
    }
}

#[test]
fn what_earlier_systems_of_the_stage_change_is_new_once() {
    let mut world = scene();
    let seen = Seen::default();
    let mut schedule = Schedule::default();
    schedule.add_systems((write, onlooker(&seen)).chain());
    schedule.run(&mut world);
    assert_eq!(take(&seen), [(3, true)]);
    let mut quiet = Schedule::default();
    quiet.add_systems((|| {}, onlooker(&seen), || {}).chain());
    for expected in [(3, true), (0, false), (0, false)] {
        quiet.run(&mut world);
        assert_eq!(take(&seen), [expected]);
    }
}

#[test]
fn onlookers_that_run_side_by_side_see_the_same() {
    for threads in [1, 4] {
        let mut world = scene();
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        world.set_thread_pool(Arc::new(pool));
        let seen: [Seen; 4] = Default::default();
        let mut schedule = Schedule::default();
        schedule.add_systems(
            ((onlooker(&seen[0]), onlooker(&seen[1])), write, (onlooker(&seen[2]), onlooker(&seen[3])), write).chain(),
        );
        for _ in 0..30 {
            schedule.run(&mut world);
            seen.iter().for_each(|seen| assert_eq!(take(seen), [(3, true)]));
        }
    }
}

#[test]
fn a_state_that_onlookers_share_sees_each_change_once_in_whatever_order_they_run() {
    let mut world = scene();
    let pool = ThreadPoolBuilder::new().num_threads(4).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
    let state = Arc::new(Mutex::new(Looking::new(&mut world)));
    let seen: Seen = Seen::default();
    let look = || {
        let (state, seen) = (Arc::clone(&state), Arc::clone(&seen));
        move |world: &World| {
            let news = new(&mut state.lock().expect("no panic"), world);
            seen.lock().expect("no panic").push(news);
        }
    };
    let mut schedule = Schedule::default();
    schedule.add_systems(((look(), look(), look(), look()), write).chain());
    for _ in 0..300 {
        schedule.run(&mut world);
        let mut seen = take(&seen);
        seen.sort_unstable();
        assert_eq!(seen, [(0, false), (0, false), (0, false), (3, true)]);
    }
}

#[test]
fn what_the_second_system_of_a_pipe_changes_is_new_in_the_next_run() {
    let mut world = scene();
    let seen = Seen::default();
    let id = world.register_system(onlooker(&seen).pipe(write));
    for _ in 0..3 {
        world.run_system(id).expect("registered");
        assert_eq!(take(&seen), [(3, true)]);
    }
    let mut schedule = Schedule::default();
    schedule.add_systems(onlooker(&seen).pipe(write));
    for _ in 0..3 {
        schedule.run(&mut world);
        assert_eq!(take(&seen), [(3, true)]);
    }
}

#[test]
fn a_state_that_is_used_after_an_onlooker_panicked_sees_each_change_once() {
    let mut world = scene();
    let mut state = Looking::new(&mut world);
    assert_eq!(new(&mut state, &world), (3, true));
    let mut schedule = Schedule::default();
    let panics = |world: &World| assert!(world.is_empty(), "an onlooker");
    schedule.add_systems((panics, write).chain());
    expect_panic(|| schedule.run(&mut world));
    assert_eq!(new(&mut state, &world), (0, false));
    for _ in 0..3 {
        world.run_system_once(write).expect("runs");
        assert_eq!(new(&mut state, &world), (3, true));
        assert_eq!(new(&mut state, &world), (0, false));
    }
}

#[test]
fn a_state_that_leaves_the_run_goes_on_with_what_it_has_not_seen() {
    let mut world = scene();
    let state = Arc::new(Mutex::new(Looking::new(&mut world)));
    let inner = Arc::clone(&state);
    let mut schedule = Schedule::default();
    let look = move |world: &World| {
        new(&mut inner.lock().expect("no panic"), world);
    };
    schedule.add_systems((look, write).chain());
    schedule.run(&mut world);
    let mut state = state.lock().expect("no panic");
    assert_eq!(new(&mut state, &world), (3, true));
    assert_eq!(new(&mut state, &world), (0, false));
}
