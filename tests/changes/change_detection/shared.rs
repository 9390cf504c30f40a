//! Two queries that are alive at the same time and share the ticks of one column: a sparse component or a tag keeps their
//! rows apart.

use std::sync::Arc;

use strata_ecs::pool::ThreadPoolBuilder;
use strata_ecs::prelude::*;

use super::parts::{Aside, Health, Other, Tag};

const ENTITIES: u32 = 640;

/// Entities with `Health` and `Aside`, of which every second one has `Tag`. Their numbers are their healths.
fn scene() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let pool = ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started");
    world.set_thread_pool(Arc::new(pool));
    let entities: Vec<Entity> = (0..ENTITIES)
        .map(|number| {
            let mut entity = world.spawn((Health(number), Aside(u64::from(number)), Other(0)));
            if number % 2 == 1 {
                entity.insert(Tag);
            }
            entity.id()
        })
        .collect();
    (world, entities)
}

/// Changes some entities of both kinds, the last one first.
fn change(world: &mut World, entities: &[Entity]) {
    for &entity in entities.iter().rev().step_by(13) {
        world.get_mut::<Health>(entity).expect("present").0 += 1;
        world.get_mut::<Aside>(entity).expect("present").0 += 1;
    }
}

/// How many of them there are with and without `Tag`.
fn expected(entities: &[Entity]) -> [usize; 2] {
    let numbers = (0..entities.len()).rev().step_by(13);
    let (tagged, others): (Vec<_>, Vec<_>) = numbers.partition(|number| number % 2 == 1);
    [tagged.len(), others.len()]
}

#[derive(Resource, Default, Debug, PartialEq)]
struct Outcome {
    tagged: usize,
    others: usize,
}

/// Runs a system once so that it watches, and then again after a change.
fn run_after_change<M>(system: impl IntoScheduleConfigs<strata_ecs::schedule::ScheduleSystem, M>) -> Outcome {
    let (mut world, entities) = scene();
    world.init_resource::<Outcome>();
    let mut schedule = Schedule::default();
    schedule.add_systems(system);
    schedule.run(&mut world);
    // A log begins where changes come after a look.
    for _ in 0..2 {
        schedule.run(&mut world);
        change(&mut world, &entities);
        *world.resource_mut::<Outcome>() = Outcome::default();
        schedule.run(&mut world);
        let [tagged, others] = expected(&entities);
        assert_eq!(*world.resource::<Outcome>(), Outcome { tagged, others });
        world.check_invariants();
    }
    world.remove_resource::<Outcome>().expect("present")
}

#[test]
fn rows_that_are_given_out_mutably_come_once_whatever_another_query_of_the_column_does() {
    fn system(
        mut others: Query<(Entity, &mut Aside), (Changed<Aside>, Without<Tag>)>,
        mut tagged: Query<&mut Aside, (Changed<Aside>, With<Tag>)>,
        mut outcome: ResMut<Outcome>,
    ) {
        let mut iter = others.iter_mut();
        let mut items: Vec<(Entity, Mut<Aside>)> = iter.by_ref().take(7).collect();
        tagged.par_iter_mut().for_each(|mut aside| aside.0 += 1);
        outcome.tagged = tagged.iter_mut().count();
        items.extend(iter);
        let mut ids: Vec<Entity> = items.iter().map(|item| item.0).collect();
        ids.sort_unstable();
        assert!(ids.is_sorted_by(|a, b| a < b), "an entity was given out twice, mutably");
        outcome.others = items.len();
    }
    run_after_change(system);
}

#[test]
fn rows_of_a_table_come_once_whatever_another_query_of_the_column_does() {
    fn system(
        others: Query<Entity, (Changed<Health>, Without<Tag>)>,
        mut tagged: Query<&mut Health, With<Tag>>,
        mut outcome: ResMut<Outcome>,
    ) {
        let mut iter = others.iter();
        let mut ids: Vec<Entity> = iter.by_ref().take(7).collect();
        tagged.par_iter_mut().for_each(|mut health| health.0 = 3);
        let again: Vec<Entity> = others.iter().collect();
        ids.extend(iter);
        assert_eq!(ids, again);
        ids.sort_unstable();
        assert!(ids.is_sorted_by(|a, b| a < b), "an entity came twice");
        *outcome = Outcome { others: ids.len(), tagged: expected(&vec![Entity::PLACEHOLDER; ENTITIES as usize])[0] };
    }
    run_after_change(system);
}

/// The values of other rows that the rows read.
#[derive(Component, Default)]
struct Sum(u64);

#[system(par, changed(Aside), with(Tag))]
fn rows(aside: &mut Aside, sum: &mut Sum, others: Query<(Entity, &Aside), (Changed<Aside>, Without<Tag>)>) {
    let mut seen: Vec<Entity> = others.iter().map(|(entity, _)| entity).collect();
    aside.0 += 1;
    sum.0 = seen.len() as u64;
    seen.sort_unstable();
    assert!(seen.is_sorted_by(|a, b| a < b), "an entity came twice");
}

#[test]
fn tasks_of_a_row_system_see_each_of_the_other_rows_once() {
    let (mut world, entities) = scene();
    entities.iter().for_each(|&entity| {
        world.entity_mut(entity).insert(Sum(0));
    });
    let mut schedule = Schedule::default();
    schedule.add_systems(rows);
    for _ in 0..10 {
        schedule.run(&mut world);
        change(&mut world, &entities);
        schedule.run(&mut world);
        let [tagged, others] = expected(&entities);
        let sums: Vec<u64> = world.query::<&Sum>().iter(&world).map(|sum| sum.0).filter(|&sum| sum != 0).collect();
        assert!(sums.len() >= tagged && sums.iter().all(|&sum| sum == others as u64 || sum == u64::from(ENTITIES) / 2));
        world.check_invariants();
    }
}
