//! The operations that mark rows as changed.

use strata_ecs::change::Tick;
use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

use super::parts::{Aside, Health, Marked, Other, Score, Tag};
use super::watcher::Watcher;

/// Some entities of two tables, some with a tag.
fn scene() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut entities: Vec<Entity> = world.spawn_batch((0..150).map(|value| (Health(value), Aside(1)))).collect();
    entities.extend(world.spawn_batch((150..300).map(|value| (Health(value), Other(1), Aside(1)))));
    for &entity in entities.iter().step_by(3) {
        world.entity_mut(entity).insert(Tag);
    }
    (world, entities)
}

fn run<M>(world: &mut World, system: impl IntoScheduleConfigs<ScheduleSystem, M>) {
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    schedule.run(world);
}

#[system]
fn sweep(_health: &mut Health) {}

#[system(without(Tag))]
fn sweep_untagged(_health: &mut Health, _: &Other) {}

#[system]
fn sweep_if_there(_: &Aside, health: Option<&mut Other>) {
    if let Some(other) = health {
        other.0 = 1;
    }
}

#[system]
fn sweep_sparse(_aside: &mut Aside, _: &Other) {}

#[system]
fn sweep_tags(_tag: &mut Tag) {}

#[system]
fn only_tens(mut health: Mut<Health>) {
    if health.0.is_multiple_of(10) {
        health.0 += 0;
    }
}

#[system]
fn only_sparse_ones(mut aside: Mut<Aside>, health: &Health) {
    if health.0.is_multiple_of(10) {
        aside.set_changed();
    }
}

#[test]
fn a_row_system_over_plain_references_marks_every_row_that_it_visits() {
    let (mut world, entities) = scene();
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    run(&mut world, sweep);
    assert_eq!(watcher.sees(&mut world), entities);
    run(&mut world, sweep_untagged);
    let untagged: Vec<Entity> = (150..300).filter(|at| at % 3 != 0).map(|at| entities[at]).collect();
    assert_eq!(watcher.sees(&mut world), untagged);
    let mut others = Watcher::<Changed<Other>>::of(&mut world);
    run(&mut world, sweep_if_there);
    assert_eq!(others.sees(&mut world), entities[150..]);
}

#[test]
fn a_row_system_over_sparse_components_and_tags_marks_every_row_that_it_visits() {
    let (mut world, entities) = scene();
    let (mut asides, mut tags) = (Watcher::<Changed<Aside>>::of(&mut world), Watcher::<Changed<Tag>>::of(&mut world));
    run(&mut world, sweep_sparse);
    assert_eq!(asides.sees(&mut world), entities[150..]);
    run(&mut world, sweep_tags);
    assert_eq!(tags.sees(&mut world), entities.iter().copied().step_by(3).collect::<Vec<_>>());
    assert_eq!(asides.sees(&mut world), []);
}

#[test]
fn a_row_system_over_mut_marks_only_rows_that_it_has_changed() {
    let (mut world, entities) = scene();
    let tens: Vec<Entity> = entities.iter().copied().step_by(10).collect();
    let mut healths = Watcher::<Changed<Health>>::of(&mut world);
    let mut asides = Watcher::<Changed<Aside>>::of(&mut world);
    run(&mut world, only_tens);
    assert_eq!(healths.sees(&mut world), tens);
    run(&mut world, only_sparse_ones);
    assert_eq!(asides.sees(&mut world), tens);
}

#[test]
fn a_query_over_plain_references_marks_only_rows_that_were_dereferenced_mutably() {
    let (mut world, entities) = scene();
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    let mut query = world.query::<&mut Health>();
    assert_eq!(query.iter_mut(&mut world).filter(|health| health.0 > 3).count(), 296);
    assert_eq!(watcher.sees(&mut world), []);
    for (nth, mut health) in query.iter_mut(&mut world).enumerate() {
        if nth == 7 {
            health.0 += 1;
        }
    }
    query.get_mut(&mut world, entities[200]).expect("present").0 = 2;
    assert_eq!(watcher.sees(&mut world), [entities[7], entities[200]]);
    let [mut first, second] = query.get_many_mut(&mut world, [entities[30], entities[31]]).expect("present");
    first.0 = second.0;
    assert_eq!(watcher.sees(&mut world), entities[30..31]);
    let mut pairs = query.iter_combinations_mut::<2>(&mut world);
    while let Some([mut first, second]) = pairs.fetch_next() {
        if first.0 == 20 && second.0 == 21 {
            first.0 = 20;
        }
    }
    assert_eq!(watcher.sees(&mut world), entities[20..21]);
    let mut many = query.iter_many_mut(&mut world, [entities[9], entities[8]]).matched();
    while let Some(mut health) = many.fetch_next() {
        health.0 += 1;
    }
    assert_eq!(watcher.sees(&mut world), entities[8..10]);
}

#[test]
fn optional_and_alternative_terms_mark_as_well() {
    let (mut world, entities) = scene();
    let (mut healths, mut others) =
        (Watcher::<Changed<Health>>::of(&mut world), Watcher::<Changed<Other>>::of(&mut world));
    world.query::<Option<&mut Other>>().iter_mut(&mut world).flatten().for_each(|mut other| other.0 += 1);
    assert_eq!(others.sees(&mut world), entities[150..]);
    let mut either = world.query::<AnyOf<(&mut Health, &mut Other)>>();
    for (nth, (health, other)) in either.iter_mut(&mut world).enumerate() {
        match (health, other) {
            (Some(mut health), None) if nth == 3 => health.0 += 1,
            (_, Some(mut other)) if nth == 200 => other.0 += 1,
            _ => {}
        }
    }
    assert_eq!(healths.sees(&mut world), entities[3..4]);
    assert_eq!(others.sees(&mut world), entities[200..201]);
}

#[test]
fn slices_of_plain_references_mark_all_their_rows_and_slices_of_mut_only_some() {
    let (mut world, entities) = scene();
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    let mut query = world.query_filtered::<&mut Health, With<Other>>();
    assert_eq!(query.contiguous_iter_mut(&mut world).count(), 1);
    assert_eq!(watcher.sees(&mut world), entities[150..]);
    let mut precise = world.query_filtered::<Mut<Health>, With<Other>>();
    for mut slice in precise.contiguous_iter_mut(&mut world) {
        slice.get_mut(4).expect("there are more").0 += 1;
        assert!(slice.get_mut(5).expect("there are more").0 > 0);
    }
    assert_eq!(watcher.sees(&mut world), entities[154..155]);
    let mut untagged = world.query_filtered::<&mut Health, (Without<Tag>, Without<Other>)>();
    assert!(untagged.contiguous_iter_mut(&mut world).all(|slice| slice.len() <= 2));
    let expected: Vec<Entity> = (0..150).filter(|at| at % 3 != 0).map(|at| entities[at]).collect();
    assert_eq!(watcher.sees(&mut world), expected);
}

#[test]
fn to_read_marks_nothing() {
    let (mut world, entities) = scene();
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    assert_eq!(world.query::<&Health>().iter(&world).count(), 300);
    assert!(world.get::<Health>(entities[3]).is_some() && world.entity(entities[3]).get_ref::<Health>().is_some());
    assert!(world.get_mut::<Health>(entities[3]).is_some());
    assert_eq!(world.query::<&mut Health>().iter(&world).count(), 300);
    world.query::<&mut Health>().iter_mut(&mut world).for_each(|mut health| {
        let _ = (health.reborrow().is_changed(), health.last_changed());
        health.bypass_change_detection().0 += 1;
    });
    assert_eq!(watcher.sees(&mut world), []);
}

#[test]
fn other_ways_to_a_value_mark_it() {
    let (mut world, entities) = scene();
    world.entity_mut(entities[5]).insert(Marked);
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    world.get_mut::<Health>(entities[0]).expect("present").0 += 1;
    world.entity_mut(entities[1]).get_mut::<Health>().expect("present").0 += 1;
    for mut entity in world.iter_entities_mut() {
        if entity.contains::<Marked>() {
            entity.get_mut::<Health>().expect("present").0 += 1;
        }
    }
    assert_eq!(watcher.sees(&mut world), [entities[0], entities[1], entities[5]]);
}

#[test]
fn marks_from_several_threads_are_seen_once_each() {
    let mut world = World::new();
    world.spawn_batch((0..400).map(Health));
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    for round in 0..50 {
        let mut query = world.query::<(Entity, &mut Health)>();
        let chosen = |entity: Entity| entity.index() % 16 == round % 16;
        let all = query.iter_mut(&mut world).filter(|(entity, _)| chosen(*entity));
        let (mut ids, mut values) = (Vec::new(), Vec::new());
        all.for_each(|(entity, health)| {
            ids.push(entity);
            values.push(health);
        });
        let second = values.split_off(values.len() / 2);
        std::thread::scope(|scope| {
            for half in [values, second] {
                scope.spawn(move || half.into_iter().for_each(|mut health| health.0 += 1));
            }
        });
        let mut seen = watcher.sees(&mut world);
        seen.sort_unstable();
        ids.sort_unstable();
        assert_eq!(seen, ids, "round {round}");
    }
}

#[test]
fn entities_that_several_threads_write_are_seen_once_each() {
    let mut world = World::new();
    world.spawn_batch((0..200).map(Health));
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    watcher.sees(&mut world);
    for _ in 0..50 {
        let mut entities: Vec<_> = world.iter_entities_mut().collect();
        let second = entities.split_off(100);
        std::thread::scope(|scope| {
            for half in [entities, second] {
                scope.spawn(move || {
                    for mut entity in half.into_iter().step_by(20) {
                        entity.get_mut::<Health>().expect("present").0 += 1;
                    }
                });
            }
        });
        assert_eq!(watcher.sees(&mut world).len(), 10);
    }
}

#[test]
fn an_addition_is_not_missed_where_the_change_was_set_back() {
    let mut world = World::new();
    let mut added = world.query_filtered::<Entity, Added<Health>>();
    let first = world.spawn(Health(1)).id();
    world.clear_trackers();
    assert_eq!(added.iter(&world).count(), 0);
    world.clear_trackers();
    let before = world.last_change_tick();
    let second = world.spawn(Health(2)).id();
    world.get_mut::<Health>(second).expect("present").set_last_changed(before);
    world.despawn(first);
    assert_eq!(added.iter(&world).collect::<Vec<_>>(), [second]);
}

#[test]
fn what_is_changed_in_a_scope_is_new_for_systems_that_ran_in_it() {
    fn watch(score: Option<Res<Score>>, mut seen: Local<Vec<bool>>) -> Vec<bool> {
        seen.push(score.is_some_and(|score| score.is_changed()));
        seen.clone()
    }
    let mut world = World::new();
    world.insert_resource(Score(1));
    let mut schedule = Schedule::default();
    schedule.add_systems(watch.map(|seen: Vec<bool>| {
        let expected = [true, false, true, false];
        assert_eq!(seen, expected[..seen.len()]);
    }));
    schedule.run(&mut world);
    world.resource_scope(|world, mut score: Mut<Score>| {
        schedule.run(world);
        score.0 += 1;
    });
    schedule.run(&mut world);
    world.resource_scope(|_, score: Mut<Score>| assert_eq!(score.0, 2));
    schedule.run(&mut world);
}

#[test]
fn a_combination_that_matches_no_more_is_passed_over() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..4).map(Health)).collect();
    let mut changed = world.query_filtered::<(Entity, &mut Health), Changed<Health>>();
    let before = world.last_change_tick();
    world.clear_trackers();
    for &entity in &entities {
        world.get_mut::<Health>(entity).expect("present").0 += 1;
    }
    let mut pairs = Vec::new();
    let mut combinations = changed.iter_combinations_mut(&mut world);
    while let Some([(first, mut health), (second, _)]) = combinations.fetch_next() {
        pairs.push((first, second));
        health.set_last_changed(before);
    }
    assert_eq!(pairs, [(entities[0], entities[1]), (entities[1], entities[2]), (entities[2], entities[3])]);
}

#[test]
fn a_change_of_the_future_is_one_of_now() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    world.clear_trackers();
    let now = world.change_tick();
    world.get_mut::<Health>(entity).expect("present").set_last_changed(Tick::new(now.get() + 100));
    assert_eq!(world.entity(entity).get_change_ticks::<Health>().map(|ticks| ticks.changed), Some(now));
    assert_eq!(changed.single(&world), Ok(entity));
}
