//! Disabled entities are passed over by everything that looks for entities, unless it names what disables them.

use std::sync::atomic::{AtomicUsize, Ordering};

use strata_ecs::entity_disabling::Disabled;
use strata_ecs::prelude::*;
use strata_ecs::query::ReadOnlyQueryData;
use strata_ecs::schedule::ScheduleSystem;
use strata_ecs::schedule::common_conditions::any_with_component;

use super::{A, B, C, S};

#[derive(Component)]
struct Prefab;

#[derive(Resource, Default)]
struct Seen(Vec<u32>);

/// Numbers 0 to 9, of which the odd ones are disabled. Those that divide by three have `S`.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.init_resource::<Seen>();
    let entities = (0..10)
        .map(|number| {
            let mut entity = world.spawn(A(number));
            if number % 2 == 1 {
                entity.insert(Disabled);
            }
            if number % 3 == 0 {
                entity.insert(S(number));
            }
            entity.id()
        })
        .collect();
    (world, entities)
}

fn sum<D: ReadOnlyQueryData, F: QueryFilter>(world: &mut World) -> u32 {
    world.query_filtered::<(D, &A), F>().iter(world).map(|(_, a)| a.0).sum()
}

#[test]
fn a_query_sees_disabled_entities_if_it_names_what_disables_them() {
    let (mut world, _) = world();
    let [enabled, disabled] = [20, 25];
    assert_eq!(sum::<(), ()>(&mut world), enabled);
    assert_eq!(sum::<(), Without<Disabled>>(&mut world), enabled);
    assert_eq!(sum::<(), With<Disabled>>(&mut world), disabled);
    assert_eq!(sum::<&Disabled, ()>(&mut world), disabled);
    assert_eq!(sum::<Has<Disabled>, ()>(&mut world), enabled + disabled);
    assert_eq!(sum::<Option<&Disabled>, ()>(&mut world), enabled + disabled);
    assert_eq!(sum::<(), Allow<Disabled>>(&mut world), enabled + disabled);
    assert_eq!(sum::<(), Or<(With<Disabled>, With<A>)>>(&mut world), enabled + disabled);
    assert_eq!(sum::<(), (Allow<Disabled>, With<S>)>(&mut world), 3 + 6 + 9);
    assert_eq!(sum::<(), With<S>>(&mut world), 6);
    assert_eq!(sum::<AnyOf<(&Disabled, &S)>, ()>(&mut world), disabled + 6);
}

#[test]
fn every_way_to_use_a_query_passes_them_over() {
    let (mut world, entities) = world();
    let mut query = world.query::<&A>();
    assert_eq!(query.iter(&world).len(), 5);
    assert_eq!(query.query(&world).count(), 5);
    assert!(query.get(&world, entities[2]).is_ok());
    assert!(query.get(&world, entities[3]).is_err());
    assert_eq!(query.iter_many(&world, &entities).matched().count(), 5);
    assert_eq!(query.iter_combinations::<2>(&world).count(), 10);
    let counted = AtomicUsize::new(0);
    query.par_iter(&world).for_each(|_| _ = counted.fetch_add(1, Ordering::Relaxed));
    assert_eq!(counted.into_inner(), 5);
    assert_eq!(query.contiguous_iter(&world).map(|values| values.len()).sum::<usize>(), 5);
    assert_eq!(world.query_filtered::<&A, Changed<A>>().iter(&world).count(), 5);
    assert_eq!(world.query_filtered::<&A, Changed<S>>().iter(&world).count(), 2);
    assert_eq!(world.try_query::<&A>().expect("registered").iter(&world).count(), 5);
}

#[test]
fn what_is_given_an_id_reaches_them() {
    let (mut world, entities) = world();
    assert_eq!(world.get::<A>(entities[3]), Some(&A(3)));
    world.entity_mut(entities[3]).insert(C);
    assert_eq!(world.many(&entities).insert(B(String::new())), 10);
    world.commands().entity(entities[5]).despawn();
    world.flush();
    assert_eq!(world.len(), 9);
}

#[system]
fn note(a: &A, mut seen: ResMut<'_, Seen>) {
    seen.0.push(a.0);
}

#[system(allow(Disabled))]
fn note_all(a: &A, mut seen: ResMut<'_, Seen>) {
    seen.0.push(a.0);
}

#[system]
fn note_disabled(a: &A, _: &Disabled, mut seen: ResMut<'_, Seen>) {
    seen.0.push(a.0);
}

fn seen_by<M>(world: &mut World, system: impl IntoScheduleConfigs<ScheduleSystem, M>) -> Vec<u32> {
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    schedule.run(world);
    let mut seen = std::mem::take(&mut world.resource_mut::<Seen>().0);
    seen.sort_unstable();
    seen
}

#[test]
fn row_systems_pass_them_over() {
    let (mut world, _) = world();
    assert_eq!(seen_by(&mut world, note), [0, 2, 4, 6, 8]);
    assert_eq!(seen_by(&mut world, note_disabled), [1, 3, 5, 7, 9]);
    assert_eq!(seen_by(&mut world, note_all), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn conditions_single_and_populated_pass_them_over() {
    fn single(a: Single<'_, '_, &A>, mut seen: ResMut<'_, Seen>) {
        seen.0.push(a.0);
    }
    fn populated(all: Populated<'_, '_, &A>, mut seen: ResMut<'_, Seen>) {
        seen.0.extend(all.iter().map(|a| a.0));
    }
    let mut world = World::new();
    world.init_resource::<Seen>();
    let only = world.spawn((A(1), Disabled)).id();
    assert_eq!(seen_by(&mut world, populated), []);
    assert_eq!(seen_by(&mut world, note.run_if(any_with_component::<A>)), []);
    world.spawn(A(2));
    assert_eq!(seen_by(&mut world, single), [2]);
    world.entity_mut(only).remove::<Disabled>();
    assert_eq!(seen_by(&mut world, populated), [1, 2]);
}

#[test]
fn selections_pass_them_over() {
    let (mut world, _) = world();
    assert_eq!(world.all::<With<S>>().len(), 2);
    assert_eq!(world.all::<(With<S>, With<Disabled>)>().len(), 2);
    world.commands().all::<()>().despawn();
    world.flush();
    assert_eq!(world.len(), 5);
    assert_eq!(world.all::<Allow<Disabled>>().despawn(), 5);
}

/// Three ways to write the same component twice, once of disabled entities: none is a conflict.
#[test]
fn a_query_of_disabled_entities_is_disjoint_with_others() {
    fn plain(mut enabled: Query<'_, '_, &mut A>, mut disabled: Query<'_, '_, &mut A, With<Disabled>>) {
        enabled.iter_mut().for_each(|mut a| a.0 += 100);
        disabled.iter_mut().for_each(|mut a| a.0 += 1000);
    }
    #[system]
    fn rows(a: &mut A, disabled: Query<'_, '_, &A, With<Disabled>>) {
        a.0 += disabled.iter().count() as u32;
    }
    #[system]
    fn disabled_rows(a: &mut A, _: &Disabled, others: Query<'_, '_, &A>) {
        a.0 += others.iter().count() as u32;
    }
    let (mut world, entities) = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((plain, rows, disabled_rows).chain());
    schedule.run(&mut world);
    assert_eq!(world.get::<A>(entities[2]), Some(&A(2 + 100 + 5)));
    assert_eq!(world.get::<A>(entities[3]), Some(&A(3 + 1000 + 5)));
}

/// Queries, systems and selections that were made before take it into account.
#[test]
fn a_component_can_become_a_disabling_one_at_any_time() {
    let mut world = World::new();
    world.init_resource::<Seen>();
    world.spawn(A(1));
    world.spawn((A(2), Prefab));
    let mut query = world.query::<&A>();
    let mut of_prefabs = world.query_filtered::<&A, With<Prefab>>();
    let mut schedule = Schedule::default();
    schedule.add_systems(note);
    schedule.run(&mut world);
    assert_eq!(query.iter(&world).count(), 2);
    assert_eq!(world.resource::<Seen>().0.len(), 2);

    world.register_disabling_component::<Prefab>();
    world.register_disabling_component::<Prefab>();
    assert_eq!(query.iter(&world).map(|a| a.0).collect::<Vec<_>>(), [1]);
    assert_eq!(of_prefabs.iter(&world).map(|a| a.0).collect::<Vec<_>>(), [2]);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0.len(), 3);
    world.spawn((A(3), Prefab, C));
    world.spawn((A(4), Disabled, Prefab));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0.len(), 4);
    assert_eq!(of_prefabs.iter(&world).count(), 2, "the fourth is disabled twice");
    assert_eq!(world.query_filtered::<(), (Allow<Prefab>, Allow<Disabled>)>().iter(&world).count(), 4);
    assert_eq!(world.components().disabling().len(), 2);
}

/// A component that was in no table when the query was made.
#[test]
fn a_query_that_is_older_than_the_component_passes_them_over() {
    let mut world = World::new();
    world.spawn(A(1));
    let mut query = world.query::<&A>();
    assert_eq!(query.iter(&world).count(), 1);
    world.register_disabling_component::<Prefab>();
    world.spawn((A(2), Prefab));
    assert_eq!(query.iter(&world).count(), 1);
    world.shrink_to_fit();
    assert_eq!(query.iter(&world).count(), 1);
}

#[test]
fn an_explanation_says_what_was_left_out() {
    let mut world = World::new();
    world.spawn((A(1), Disabled));
    let explanation = world.explain_query::<&A>();
    assert_eq!(explanation.culprit().expect("nothing matches").term(), "Without<Disabled>, by default");
    assert!(explanation.to_string().ends_with("all of which have `Disabled`"), "{explanation}");
    assert_eq!(world.explain_query_filtered::<&A, Allow<Disabled>>().matched_entities(), 1);
    assert_eq!(World::new().explain_query::<&A>().terms().len(), 1);
}

/// The numbers of the entities that are new for a consumer.
#[derive(Resource, Default)]
struct New {
    changed: Vec<u32>,
    added: Vec<u32>,
    rows: Vec<u32>,
    sparse: Vec<u32>,
    refs: Vec<u32>,
}

fn changed(all: Query<'_, '_, &A, Changed<A>>, mut new: ResMut<'_, New>) {
    new.changed.extend(all.iter().map(|a| a.0));
}
#[derive(Component)]
struct Fresh;

fn added(all: Query<'_, '_, &A, Added<Fresh>>, mut new: ResMut<'_, New>) {
    new.added.extend(all.iter().map(|a| a.0));
}
#[system(changed(A))]
fn changed_rows(a: &A, mut new: ResMut<'_, New>) {
    new.rows.push(a.0);
}
fn changed_sparse(all: Query<'_, '_, &A, Changed<S>>, mut new: ResMut<'_, New>) {
    new.sparse.extend(all.iter().map(|a| a.0));
}
fn changed_refs(all: Query<'_, '_, Ref<'_, A>>, mut new: ResMut<'_, New>) {
    new.refs.extend(all.iter().filter(Ref::is_changed).map(|a| a.0));
}

/// Returns the values that are new for each kind of consumer in a run.
fn run(schedule: &mut Schedule, world: &mut World) -> [Vec<u32>; 5] {
    world.insert_resource(New::default());
    schedule.run(world);
    let New { changed, added, rows, sparse, refs } = std::mem::take(&mut *world.resource_mut::<New>());
    [changed, added, rows, sparse, refs]
}

const NOTHING: [Vec<u32>; 5] = [const { Vec::new() }; 5];

/// As many entities with `A` and `S` as are given, and consumers that have seen them.
fn consumers(count: u32) -> (World, Schedule, Vec<Entity>) {
    let mut world = World::new();
    let ids = (0..count).map(|number| world.spawn((A(number), S(number))).id()).collect();
    let mut schedule = Schedule::default();
    schedule.add_systems((changed, added, changed_rows, changed_sparse, changed_refs));
    run(&mut schedule, &mut world);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    (world, schedule, ids)
}

#[test]
fn what_is_changed_while_an_entity_is_disabled_is_new_once_when_it_is_enabled() {
    for count in [1, 3, 200] {
        for by_command in [false, true] {
            let (mut world, mut schedule, ids) = consumers(count);
            let id = ids[0];
            world.entity_mut(id).insert(Disabled);
            assert_eq!(run(&mut schedule, &mut world), NOTHING);
            world.get_mut::<A>(id).unwrap().0 = 70;
            world.get_mut::<S>(id).unwrap().0 = 7;
            world.entity_mut(id).insert(Fresh);
            for _ in 0..3 {
                assert_eq!(run(&mut schedule, &mut world), NOTHING);
            }
            match by_command {
                true => _ = world.commands().entity(id).remove::<Disabled>(),
                false => _ = world.entity_mut(id).remove::<Disabled>(),
            }
            world.flush();
            assert_eq!(run(&mut schedule, &mut world), [const { [70] }; 5].map(Vec::from), "{count}");
            assert_eq!(run(&mut schedule, &mut world), NOTHING);
            // And what was not changed is not new.
            world.entity_mut(id).insert(Disabled);
            assert_eq!(run(&mut schedule, &mut world), NOTHING);
            world.get_mut::<S>(id).unwrap().0 = 8;
            assert_eq!(run(&mut schedule, &mut world), NOTHING);
            world.entity_mut(id).remove::<Disabled>();
            let only_sparse = [vec![], vec![], vec![], vec![70], vec![]];
            assert_eq!(run(&mut schedule, &mut world), only_sparse);
            world.check_invariants();
        }
    }
}

#[test]
fn what_no_consumer_has_seen_before_an_entity_is_disabled_is_new_when_it_is_enabled() {
    let (mut world, mut schedule, ids) = consumers(3);
    world.get_mut::<A>(ids[1]).unwrap().0 = 71;
    world.increment_change_tick();
    world.entity_mut(ids[1]).insert(Disabled);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    // Enabled and disabled again before a consumer runs.
    world.entity_mut(ids[1]).remove::<Disabled>();
    world.increment_change_tick();
    world.entity_mut(ids[1]).insert(Disabled);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    world.entity_mut(ids[1]).remove::<Disabled>();
    let [changed, _, rows, sparse, refs] = run(&mut schedule, &mut world);
    assert_eq!((changed, rows, sparse, refs), (vec![71], vec![71], vec![], vec![71]));
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
}

fn changed_alone(all: Query<'_, '_, &S, Changed<S>>, mut new: ResMut<'_, New>) {
    new.sparse.extend(all.iter().map(|s| s.0));
}

#[test]
fn a_change_before_an_entity_with_sparse_components_alone_was_disabled_is_new_when_it_is_enabled() {
    let mut world = World::new();
    let id = world.spawn(S(1)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems(changed_alone);
    assert_eq!(run(&mut schedule, &mut world)[3], [1]);
    world.get_mut::<S>(id).unwrap().0 = 7;
    world.entity_mut(id).insert(Disabled);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    world.entity_mut(id).remove::<Disabled>();
    assert_eq!(run(&mut schedule, &mut world)[3], [7]);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    world.check_invariants();
}

#[test]
fn changes_of_many_disabled_entities_are_new_when_all_are_enabled_at_once() {
    for all in [true, false] {
        let (mut world, mut schedule, ids) = consumers(100);
        let some: Vec<Entity> = if all { ids.clone() } else { ids[10..60].to_vec() };
        world.many(&some).insert(Disabled);
        run(&mut schedule, &mut world);
        for id in &some[..5] {
            world.get_mut::<A>(*id).unwrap().0 += 1000;
            world.get_mut::<S>(*id).unwrap().0 += 1000;
        }
        assert_eq!(run(&mut schedule, &mut world), NOTHING);
        match all {
            true => _ = world.all::<With<Disabled>>().remove::<Disabled>(),
            false => _ = world.many(&some).remove::<Disabled>(),
        }
        let first = if all { 1000 } else { 1010 };
        let mut found = run(&mut schedule, &mut world);
        found.iter_mut().for_each(|numbers| numbers.sort_unstable());
        let expected: Vec<u32> = (first..first + 5).collect();
        assert_eq!(found, [expected.clone(), vec![], expected.clone(), expected.clone(), expected]);
        assert_eq!(run(&mut schedule, &mut world), NOTHING);
        world.check_invariants();
    }
}

#[test]
fn changes_are_new_after_another_disabling_component_too() {
    let (mut world, mut schedule, ids) = consumers(3);
    world.register_disabling_component::<Prefab>();
    world.entity_mut(ids[2]).insert(Disabled);
    run(&mut schedule, &mut world);
    world.get_mut::<A>(ids[2]).unwrap().0 = 72;
    run(&mut schedule, &mut world);
    world.entity_mut(ids[2]).insert(Prefab).remove::<Disabled>();
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    world.entity_mut(ids[2]).remove::<Prefab>();
    let [changed, _, rows, sparse, _] = run(&mut schedule, &mut world);
    assert_eq!((changed, rows, sparse), (vec![72], vec![72], vec![]));
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
}

/// Its component puts an entity into a table that no consumer has looked at.
#[derive(Component)]
struct Elsewhere;

#[test]
fn a_change_made_while_an_entity_is_disabled_is_seen_after_it_is_enabled() {
    let (mut world, mut schedule, ids) = consumers(3);
    // No query matches the table before the entity is disabled.
    let id = world.spawn(Elsewhere).id();
    world.increment_change_tick();
    world.entity_mut(id).insert((A(90), Fresh));
    world.increment_change_tick();
    world.entity_mut(id).insert(Disabled);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    world.entity_mut(id).remove::<Disabled>();
    assert_eq!(run(&mut schedule, &mut world), [vec![90], vec![90], vec![90], vec![], vec![90]]);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    // Nor to the one that it is brought to after a change.
    world.get_mut::<A>(ids[1]).unwrap().0 = 71;
    for id in &ids[..2] {
        world.increment_change_tick();
        world.entity_mut(*id).insert(Elsewhere);
        world.increment_change_tick();
        world.entity_mut(*id).insert(Disabled);
    }
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    ids[..2].iter().for_each(|id| _ = world.entity_mut(*id).remove::<Disabled>());
    let [changed, added, rows, _, refs] = run(&mut schedule, &mut world);
    assert_eq!((changed, added, rows, refs), (vec![71], vec![], vec![71], vec![71]));
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
    world.check_invariants();
}

#[test]
fn an_entity_that_is_spawned_disabled_is_new_when_it_is_enabled() {
    let (mut world, mut schedule, _) = consumers(3);
    let id = world.spawn((A(80), Fresh, S(0), Disabled)).id();
    for _ in 0..2 {
        assert_eq!(run(&mut schedule, &mut world), NOTHING);
    }
    world.entity_mut(id).remove::<Disabled>();
    assert_eq!(run(&mut schedule, &mut world), [const { [80] }; 5].map(Vec::from));
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
}

#[test]
fn an_addition_that_no_consumer_has_seen_is_new_after_many_entities_were_disabled_and_got_another_value() {
    let (mut world, mut schedule, _) = consumers(3);
    let ids: Vec<Entity> = (90..93).map(|number| world.spawn((A(number), Fresh)).id()).collect();
    world.increment_change_tick();
    world.many(&ids[..2]).insert_with(|_| (Fresh, Disabled));
    let [_, added, ..] = run(&mut schedule, &mut world);
    assert_eq!(added, [92]);
    world.many(&ids[..2]).remove::<Disabled>();
    let [_, mut added, ..] = run(&mut schedule, &mut world);
    added.sort_unstable();
    assert_eq!(added, [90, 91]);
    assert_eq!(run(&mut schedule, &mut world), NOTHING);
}
