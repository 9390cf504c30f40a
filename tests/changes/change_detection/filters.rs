//! Filters on changes, alone and with others, by each way of asking.

use strata_ecs::prelude::*;

use super::parts::{Aside, Extra, Health, Marked, Other, Tag};
use super::watcher::Watcher;

/// As many as there are in some groups of rows, and a few.
const ROWS: usize = 330;

/// Rows of one table, of which nothing is new by hand.
fn scene() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let entities = world.spawn_batch((0..ROWS as u32).map(|value| (Health(value), Marked, Aside(1)))).collect();
    let _ = world.query_filtered::<(), Or<(Changed<Health>, Changed<Marked>, Changed<Aside>)>>();
    world.clear_trackers();
    (world, entities)
}

/// Changes rows, and returns their entities.
fn change(world: &mut World, entities: &[Entity], rows: impl IntoIterator<Item = usize>) -> Vec<Entity> {
    let chosen: Vec<Entity> = rows.into_iter().map(|row| entities[row]).collect();
    for &entity in &chosen {
        world.get_mut::<Health>(entity).expect("present").0 += 1;
    }
    chosen
}

/// Returns the items of a query. They are checked to be equal by a loop, by internal iteration, by a loop that internal iteration finishes,
/// and in slices.
fn yields<F: QueryFilter>(world: &mut World) -> Vec<Entity> {
    let mut query = world.query_filtered::<(Entity, &Health), F>();
    let mut looped = Vec::new();
    for (entity, _) in query.iter(world) {
        looped.push(entity);
    }
    let mut folded = Vec::new();
    query.iter(world).for_each(|(entity, _)| folded.push(entity));
    assert_eq!(looped, folded);
    for first in [1, 3, 64, 70] {
        let mut mixed = Vec::new();
        let mut iter = query.iter(world);
        mixed.extend(iter.by_ref().take(first).map(|(entity, _)| entity));
        iter.for_each(|(entity, _)| mixed.push(entity));
        assert_eq!(mixed, looped, "after {first}");
    }
    let sliced: Vec<Entity> = query.contiguous_iter(world).flat_map(|(entities, _)| entities.to_vec()).collect();
    assert_eq!(sliced, looped);
    assert_eq!(query.count(world), looped.len());
    assert_eq!(query.is_empty(world), looped.is_empty());
    looped.sort_unstable();
    looped
}

/// Which rows are changed: none, few, the edges of groups, many, all.
fn patterns() -> Vec<Vec<usize>> {
    vec![
        vec![],
        vec![0],
        vec![ROWS - 1],
        vec![63, 64, 65, 127, 128, 191, 192],
        (0..64).collect(),
        (64..128).collect(),
        (60..200).collect(),
        (0..ROWS).step_by(7).collect(),
        (0..ROWS).step_by(2).collect(),
        (0..ROWS).collect(),
        (1..ROWS).collect(),
        (0..ROWS - 1).collect(),
    ]
}

#[test]
fn a_filter_alone_yields_the_rows_that_have_changed() {
    for pattern in patterns() {
        let (mut world, entities) = scene();
        let expected = change(&mut world, &entities, pattern);
        assert_eq!(yields::<Changed<Health>>(&mut world), expected);
        assert_eq!(yields::<Added<Health>>(&mut world), []);
        assert_eq!(yields::<(Changed<Health>,)>(&mut world), expected);
        assert_eq!(yields::<Or<(Changed<Health>,)>>(&mut world), expected);
    }
}

#[test]
fn filters_in_a_tuple_and_in_an_or_are_joined() {
    for pattern in patterns() {
        let (mut world, entities) = scene();
        let healths = change(&mut world, &entities, pattern);
        let (marked, aside) = (&entities[50..150], &entities[100..250]);
        for &entity in marked {
            world.get_mut::<Marked>(entity).expect("present").set_changed();
        }
        for &entity in aside {
            world.get_mut::<Aside>(entity).expect("present").set_changed();
        }
        let which = |matches: &dyn Fn([bool; 3]) -> bool| -> Vec<Entity> {
            let lists = [&healths[..], marked, aside];
            entities.iter().copied().filter(|entity| matches(lists.map(|list| list.contains(entity)))).collect()
        };
        assert_eq!(
            yields::<(Changed<Health>, Changed<Marked>)>(&mut world),
            which(&|[health, marked, _]| health && marked)
        );
        assert_eq!(
            yields::<(Changed<Health>, Changed<Aside>)>(&mut world),
            which(&|[health, _, aside]| health && aside)
        );
        assert_eq!(
            yields::<Or<(Changed<Health>, Changed<Marked>)>>(&mut world),
            which(&|[health, marked, _]| health || marked)
        );
        assert_eq!(
            yields::<Or<(Changed<Aside>, Changed<Health>)>>(&mut world),
            which(&|[health, _, aside]| health || aside)
        );
        assert_eq!(
            yields::<(Changed<Aside>, Or<(Changed<Health>, Changed<Marked>)>)>(&mut world),
            which(&|[health, marked, aside]| aside && (health || marked))
        );
        assert_eq!(
            yields::<Or<((Changed<Health>, Changed<Marked>), Changed<Aside>)>>(&mut world),
            which(&|[health, marked, aside]| health && marked || aside)
        );
        assert_eq!(yields::<(Changed<Health>, Without<Other>, With<Aside>)>(&mut world), healths);
    }
}

#[test]
fn an_or_does_not_take_a_component_that_is_not_there_for_a_changed_one() {
    let mut world = World::new();
    let health = world.spawn(Health(1)).id();
    let marked = world.spawn(Marked).id();
    let aside = world.spawn(Aside(1)).id();
    world.spawn(Other(1));
    let mut tables = world.query_filtered::<Entity, Or<(Changed<Health>, Changed<Marked>)>>();
    let mut both = world.query_filtered::<Entity, Or<(Changed<Aside>, Added<Health>)>>();
    assert_eq!(tables.iter(&world).collect::<Vec<_>>(), [health, marked]);
    assert_eq!(both.iter(&world).count(), 2);
    assert!(both.contains(&world, health) && both.contains(&world, aside));
    world.clear_trackers();
    assert_eq!((tables.iter(&world).count(), both.iter(&world).count()), (0, 0));
    world.get_mut::<Marked>(marked).expect("present").set_changed();
    assert_eq!(tables.iter(&world).collect::<Vec<_>>(), [marked]);
    assert!(tables.contains(&world, marked) && !tables.contains(&world, health) && !both.contains(&world, marked));
}

#[test]
fn sparse_components_are_found_by_their_own_changes() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..ROWS as u32).map(Health)).collect();
    for &entity in entities.iter().step_by(2) {
        world.entity_mut(entity).insert((Aside(1), Tag));
    }
    let (mut aside, mut tag) = (Watcher::<Changed<Aside>>::of(&mut world), Watcher::<Changed<Tag>>::of(&mut world));
    let mut both = Watcher::<(Changed<Tag>, Changed<Aside>)>::of(&mut world);
    world.get_mut::<Aside>(entities[8]).expect("present").0 += 1;
    world.get_mut::<Tag>(entities[8]).expect("present").set_changed();
    world.get_mut::<Tag>(entities[10]).expect("present").set_changed();
    world.get_mut::<Aside>(entities[12]).expect("present").0 += 1;
    world.entity_mut(entities[12]).remove::<Aside>();
    world.entity_mut(entities[2]).remove::<(Aside, Tag)>();
    assert_eq!(aside.sees(&mut world), entities[8..9]);
    assert_eq!(tag.sees(&mut world), [entities[8], entities[10]]);
    assert_eq!(both.sees(&mut world), entities[8..9]);
    for &entity in entities.iter().step_by(2).skip(10) {
        world.get_mut::<Aside>(entity).expect("present").0 += 1;
    }
    assert_eq!(aside.sees(&mut world), entities.iter().copied().step_by(2).skip(10).collect::<Vec<_>>());
}

#[test]
fn each_way_of_asking_respects_the_filter() {
    let (mut world, entities) = scene();
    change(&mut world, &entities, [70, 200]);
    let mut query = world.query_filtered::<(Entity, &Health), Changed<Health>>();
    assert_eq!(query.get(&world, entities[70]).map(|(entity, _)| entity), Ok(entities[70]));
    assert!(query.get(&world, entities[71]).is_err());
    assert!(query.get_many(&world, [entities[70], entities[200]]).is_ok());
    assert!(query.get_many(&world, [entities[70], entities[71]]).is_err());
    assert!(query.contains(&world, entities[200]) && !query.contains(&world, entities[0]));
    assert!(query.single(&world).is_err());
    assert_eq!(
        query.iter_many(&world, &entities).matched().map(|(entity, _)| entity).collect::<Vec<_>>(),
        [entities[70], entities[200]]
    );
    let pairs: Vec<[Entity; 2]> =
        query.iter_combinations(&world).map(|pair: [_; 2]| pair.map(|(entity, _)| entity)).collect();
    assert_eq!(pairs, [[entities[70], entities[200]]]);
    assert_eq!(world.all::<Changed<Health>>().ids(), [entities[70], entities[200]]);
    world.clear_trackers();
    assert!(query.is_empty(&world) && query.single(&world).is_err());
    change(&mut world, &entities, [3]);
    assert_eq!(query.single(&world).map(|(entity, _)| entity), Ok(entities[3]));
    assert_eq!(world.all::<Changed<Health>>().remove::<Marked>(), 1);
    assert!(!world.entity(entities[3]).contains::<Marked>());
}

#[test]
fn rows_come_by_row_whether_there_is_a_log_of_them_or_not() {
    let (mut world, entities) = scene();
    let mut query = world.query_filtered::<Entity, Changed<Health>>();
    assert!(query.is_empty(&world));
    world.increment_change_tick();
    let mut expected = change(&mut world, &entities, [200, 3, 70, 71, 4, 3, 200]);
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(query.iter(&world).collect::<Vec<_>>(), expected);
    // Too many for a log.
    change(&mut world, &entities, (100..ROWS).rev());
    let sorted: Vec<Entity> = [3, 4, 70, 71].into_iter().chain(100..ROWS).map(|row| entities[row]).collect();
    assert_eq!(query.iter(&world).collect::<Vec<_>>(), sorted);
}

#[test]
fn looking_in_turns_with_others_misses_nothing_of_the_logs() {
    let (mut world, entities) = scene();
    let mut watchers: Vec<Watcher<Changed<Health>>> = (0..4).map(|_| Watcher::of(&mut world)).collect();
    let mut unseen = vec![Vec::new(); 4];
    for round in 0..200_usize {
        let rows: Vec<usize> = (0..1 + round % 7).map(|nth| (round * 31 + nth * 64) % ROWS).collect();
        let changed = change(&mut world, &entities, rows);
        unseen.iter_mut().for_each(|unseen| unseen.extend(&changed));
        for (at, watcher) in watchers.iter_mut().enumerate() {
            if round.is_multiple_of([1, 2, 3, 11][at]) {
                let mut expected = std::mem::take(&mut unseen[at]);
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(watcher.sees(&mut world), expected, "watcher {at} in round {round}");
            }
        }
    }
}

#[test]
fn a_query_that_changes_what_it_looks_for_yields_each_row_once() {
    for pattern in patterns() {
        let (mut world, entities) = scene();
        let expected = change(&mut world, &entities, pattern);
        let mut query = world.query_filtered::<(Entity, &mut Health), Changed<Health>>();
        for _ in 0..3 {
            let mut seen = Vec::new();
            for (entity, mut health) in query.iter_mut(&mut world) {
                health.0 += 1;
                seen.push(entity);
            }
            seen.sort_unstable();
            assert_eq!(seen, expected);
            world.increment_change_tick();
        }
    }
}

#[test]
fn changes_are_seen_in_all_tables_also_in_those_that_come_later() {
    let mut world = World::new();
    let mut watcher = Watcher::<Changed<Health>>::of(&mut world);
    let mut expected = vec![world.spawn(Health(1)).id(), world.spawn((Health(1), Other(1))).id()];
    assert_eq!(watcher.sees(&mut world), expected);
    world.entity_mut(expected[0]).insert(Extra([1; 3]));
    assert_eq!(watcher.sees(&mut world), []);
    expected.push(world.spawn((Health(1), Extra([1; 3]), Tag)).id());
    expected.iter().for_each(|&entity| world.get_mut::<Health>(entity).expect("present").0 += 1);
    assert_eq!(watcher.sees(&mut world), expected);
    world.shrink_to_fit();
    assert_eq!(watcher.sees(&mut world), []);
}
