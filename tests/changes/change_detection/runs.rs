//! Which systems see what in which run.

use std::sync::atomic::{AtomicUsize, Ordering};

use strata_ecs::prelude::*;

use super::parts::{Aside, Health, Other, Score, Tag};
use super::watcher::Watcher;

fn hit(world: &mut World, entity: Entity) {
    world.get_mut::<Health>(entity).expect("present").0 += 1;
}

#[test]
fn a_first_run_sees_everything_also_what_was_not_watched() {
    let mut world = World::new();
    let old: Vec<Entity> = world.spawn_batch((0..300).map(|value| (Health(value), Tag, Aside(2)))).collect();
    (0..20).for_each(|_| world.clear_trackers());
    assert_eq!(Watcher::<Added<Health>>::new().sees(&mut world), old);
    assert_eq!(Watcher::<Changed<Health>>::new().sees(&mut world), old);
    assert_eq!(Watcher::<Changed<Tag>>::new().sees(&mut world), old);
    assert_eq!(Watcher::<Added<Aside>>::new().sees(&mut world), old);
    assert_eq!(world.run_system_once(|all: Query<Entity, Changed<Health>>| all.iter().count()), Ok(300));
}

#[test]
fn each_system_sees_each_change_once_however_often_it_and_others_run() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(Health)).collect();
    let (mut often, mut rarely) =
        (Watcher::<Changed<Health>>::of(&mut world), Watcher::<Changed<Health>>::of(&mut world));
    let mut all = Vec::new();
    for round in 0..30 {
        let entity = entities[round * 3];
        hit(&mut world, entity);
        all.push(entity);
        assert_eq!(often.sees(&mut world), [entity]);
        assert_eq!(often.sees(&mut world), []);
    }
    assert_eq!(rarely.sees(&mut world), all);
    assert_eq!(rarely.sees(&mut world), []);
}

#[test]
fn a_system_that_is_idle_for_many_runs_of_others_sees_no_more_than_what_has_changed() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(Health)).collect();
    let (mut watcher, mut other) = (Watcher::<Changed<Health>>::of(&mut world), Watcher::<Changed<Other>>::new());
    (0..50).for_each(|_| assert_eq!(other.sees(&mut world), []));
    assert_eq!(watcher.sees(&mut world), []);
    hit(&mut world, entities[3]);
    (0..50).for_each(|_| assert_eq!(other.sees(&mut world), []));
    assert_eq!(watcher.sees(&mut world), entities[3..4]);
}

#[test]
fn a_system_does_not_see_its_own_writes_in_its_next_run_but_others_do() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    let mut other = Watcher::<Changed<Health>>::of(&mut world);
    let mut schedule = Schedule::default();
    schedule.add_systems(|mut query: Query<&mut Health, Changed<Health>>, mut runs: ResMut<Score>| {
        for mut health in &mut query {
            health.0 += 1;
            runs.0 += 1;
        }
    });
    world.insert_resource(Score(0));
    for _ in 0..3 {
        schedule.run(&mut world);
        assert_eq!(world.resource::<Score>().0, 1);
    }
    assert_eq!(other.sees(&mut world), [entity]);
    hit(&mut world, entity);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 2);
}

#[test]
fn what_a_system_has_written_is_new_for_the_rest_of_its_run() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..200).map(Health)).collect();
    let first = entities[0];
    let mut schedule = Schedule::default();
    schedule.add_systems(
        move |mut params: ParamSet<(Query<&mut Health>, Query<Entity, Changed<Health>>)>, mut seen: ResMut<Score>| {
            params.p0().get_mut(first).expect("present").0 += 1;
            seen.0 = params.p1().iter().count() as u32;
        },
    );
    world.insert_resource(Score(0));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 200);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 1);
}

#[test]
fn the_world_applies_the_commands_of_a_system_so_it_sees_what_they_do() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    let mut schedule = Schedule::default();
    schedule.add_systems(|mut commands: Commands, new: Query<Entity, Added<Health>>, mut seen: ResMut<Score>| {
        seen.0 += new.iter().count() as u32;
        commands.spawn(Health(1));
    });
    for run in 0..4 {
        schedule.run(&mut world);
        assert_eq!(world.resource::<Score>().0, run);
    }
}

#[test]
fn a_skipped_system_loses_nothing() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let mut schedule = Schedule::default();
    let see = |new: Query<Entity, Changed<Health>>| {
        SEEN.fetch_add(new.iter().count(), Ordering::Relaxed);
    };
    schedule.add_systems(see.run_if(|score: Res<Score>| score.0 == 1));
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(Health)).collect();
    schedule.run(&mut world);
    assert_eq!(SEEN.load(Ordering::Relaxed), 0);
    world.resource_mut::<Score>().0 = 1;
    schedule.run(&mut world);
    assert_eq!(SEEN.swap(0, Ordering::Relaxed), 100);
    world.resource_mut::<Score>().0 = 0;
    for &entity in &entities[..5] {
        hit(&mut world, entity);
        schedule.run(&mut world);
    }
    assert_eq!(SEEN.load(Ordering::Relaxed), 0);
    world.resource_mut::<Score>().0 = 1;
    schedule.run(&mut world);
    assert_eq!(SEEN.load(Ordering::Relaxed), 5);
}

#[test]
fn a_condition_sees_what_is_new_since_it_was_asked_last() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    let mut schedule = Schedule::default();
    let any_new = |new: Query<(), Changed<Health>>| !new.is_empty();
    schedule.add_systems((|mut score: ResMut<Score>| score.0 += 1).run_if(any_new));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 0);
    let entity = world.spawn(Health(1)).id();
    (0..3).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Score>().0, 1);
    hit(&mut world, entity);
    (0..3).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Score>().0, 2);
}

#[test]
fn a_system_whose_parameters_cannot_be_fetched_has_seen_nothing() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..10).map(Health)).collect();
    let mut schedule = Schedule::default();
    schedule.add_systems(|new: Query<Entity, Changed<Health>>, mut score: ResMut<Score>| {
        score.0 = new.iter().count() as u32;
    });
    assert!(schedule.try_run(&mut world).is_err(), "there is no score");
    world.insert_resource(Score(0));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 10);
    hit(&mut world, entities[4]);
    world.remove_resource::<Score>();
    assert!(schedule.try_run(&mut world).is_err());
    hit(&mut world, entities[5]);
    world.insert_resource(Score(0));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 2);
}

/// A system that takes the world and counts what it sees.
fn exclusive() -> Schedule {
    let mut query: Option<QueryState<&'static mut Health, Changed<Health>>> = None;
    let mut schedule = Schedule::default();
    schedule.add_systems(move |world: &mut World| {
        let query = query.get_or_insert_with(|| world.query_filtered());
        let seen = query.iter(world).count();
        // Its own writes it has seen.
        query.iter_mut(world).for_each(|mut health| health.0 += 1);
        world.resource_mut::<Score>().0 = seen as u32;
    });
    schedule
}

#[test]
fn an_exclusive_system_sees_everything_first_and_then_what_is_new_since_its_last_run() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(Health)).collect();
    (0..3).for_each(|_| world.clear_trackers());
    let before = world.last_change_tick();
    let mut schedule = exclusive();
    for expected in [100, 0, 0] {
        schedule.run(&mut world);
        assert_eq!(world.resource::<Score>().0, expected);
        assert_eq!(world.last_change_tick(), before);
    }
    hit(&mut world, entities[7]);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 1);
    // By hand all of it is new still.
    let mut by_hand = world.query_filtered::<Entity, Changed<Health>>();
    assert_eq!(by_hand.iter(&world).count(), 100);
}

#[test]
fn an_exclusive_system_that_runs_others_sees_what_they_have_changed_once() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    world.insert_resource(Score(0));
    let mut inner = Schedule::default();
    inner.add_systems(|mut healths: Query<&mut Health>| healths.iter_mut().for_each(|mut health| health.0 += 1));
    let mut query: Option<QueryState<Entity, Changed<Health>>> = None;
    let mut outer = Schedule::default();
    outer.add_systems(move |world: &mut World| {
        let query = query.get_or_insert_with(|| world.query_filtered());
        let before = query.iter(world).count();
        inner.run(world);
        let after = query.iter(world).count();
        world.resource_mut::<Score>().0 = (10 * before + after) as u32;
    });
    for expected in [11, 1, 1] {
        outer.run(&mut world);
        assert_eq!(world.resource::<Score>().0, expected);
    }
    hit(&mut world, entity);
    outer.run(&mut world);
    assert_eq!(world.resource::<Score>().0, 11);
}

#[test]
fn an_exclusive_system_that_panics_leaves_the_trackers_of_the_world_alone() {
    let mut world = World::new();
    world.spawn(Health(1));
    world.clear_trackers();
    let before = world.last_change_tick();
    let mut schedule = Schedule::default();
    schedule.add_systems(|world: &mut World| assert!(world.is_empty(), "on purpose"));
    strata_tests::panics::expect_panic(|| schedule.run(&mut world));
    assert_eq!(world.last_change_tick(), before);
}

#[test]
fn queries_by_hand_see_what_is_new_since_the_trackers_were_cleared() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(|value| (Health(value), Aside(1)))).collect();
    let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    let mut added = world.query_filtered::<Entity, Or<(Added<Aside>, Added<Health>)>>();
    for _ in 0..2 {
        assert_eq!((changed.iter(&world).count(), added.iter(&world).count()), (100, 100));
    }
    world.clear_trackers();
    assert_eq!((changed.iter(&world).count(), added.iter(&world).count()), (0, 0));
    hit(&mut world, entities[70]);
    assert_eq!(changed.iter(&world).collect::<Vec<_>>(), [entities[70]]);
    // Systems have their own last runs.
    assert_eq!(Watcher::<Changed<Health>>::new().sees(&mut world).len(), 100);
    assert_eq!(changed.iter(&world).collect::<Vec<_>>(), [entities[70]]);
    assert!(world.entity(entities[70]).get_ref::<Health>().expect("present").is_changed());
    assert!(!world.entity(entities[71]).get_ref::<Health>().expect("present").is_changed());
    world.clear_trackers();
    assert!(changed.is_empty(&world) && added.is_empty(&world));
}

#[test]
fn resources_are_seen_once_by_each_system() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let mut schedule = Schedule::default();
    schedule.add_systems(|score: Res<Score>| {
        SEEN.store(usize::from(score.is_changed()) + 10 * usize::from(score.is_added()), Ordering::Relaxed);
    });
    let mut sees = |world: &mut World| {
        schedule.run(world);
        SEEN.load(Ordering::Relaxed)
    };
    assert_eq!([sees(&mut world), sees(&mut world)], [11, 0]);
    world.resource_mut::<Score>().0 += 1;
    assert_eq!([sees(&mut world), sees(&mut world)], [1, 0]);
    assert_eq!(*world.resource_mut::<Score>(), Score(1));
    assert_eq!(sees(&mut world), 0);
    world.insert_resource(Score(4));
    assert_eq!([sees(&mut world), sees(&mut world)], [1, 0]);
    world.remove_resource::<Score>();
    world.insert_resource(Score(4));
    assert_eq!([sees(&mut world), sees(&mut world)], [11, 0]);
    world.resource_scope(|_, score: Mut<Score>| assert_eq!(*score, Score(4)));
    assert_eq!(sees(&mut world), 0);
    world.resource_scope(|_, mut score: Mut<Score>| score.0 = 5);
    assert_eq!([sees(&mut world), sees(&mut world)], [1, 0]);
    world.commands().insert_resource(Score(6));
    world.flush();
    assert_eq!([sees(&mut world), sees(&mut world)], [1, 0]);
}

#[test]
fn a_system_does_not_see_its_own_change_of_a_resource() {
    let mut world = World::new();
    world.insert_resource(Score(0));
    let mut schedule = Schedule::default();
    schedule.add_systems(|mut score: ResMut<Score>| {
        if score.is_changed() {
            score.0 += 1;
        }
    });
    (0..5).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Score>().0, 1);
    world.resource_mut::<Score>().0 = 10;
    (0..5).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Score>().0, 11);
}

#[test]
fn a_system_that_comes_to_another_world_begins_anew() {
    let (mut first, mut second) = (World::new(), World::new());
    (0..50).for_each(|_| second.clear_trackers());
    let mut watcher = Watcher::<Changed<Health>>::new();
    for world in [&mut first, &mut second] {
        world.spawn_batch((0..100).map(Health));
    }
    assert_eq!(watcher.sees(&mut first).len(), 100);
    assert_eq!(watcher.sees(&mut second).len(), 100);
    assert_eq!(watcher.sees(&mut second).len(), 0);
    assert_eq!(watcher.sees(&mut first).len(), 100);
}
