//! Derived query data and filters that ask for changes.

use super::*;

#[derive(QueryData)]
#[query_data(derive(Clone, Copy))]
struct Report {
    entity: Entity,
    a: Ref<'static, A>,
    s: Option<Ref<'static, S>>,
}

#[derive(QueryData)]
#[query_data(mutable)]
struct Step {
    a: Mut<'static, A>,
    b: Option<Ref<'static, B>>,
}

#[derive(QueryData)]
enum Newest {
    Sparse(Ref<'static, S>, Entity),
    Table { b: Ref<'static, B>, entity: Entity },
    Other(Entity),
}

#[derive(QueryFilter)]
struct Fresh<T: Component> {
    added: Added<T>,
}

#[derive(QueryFilter)]
struct Touched(Or<(Changed<A>, Fresh<S>)>, Without<Tag>);

/// The entities of a query, in order.
fn sorted(entities: impl Iterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<Entity> = entities.collect();
    entities.sort_unstable();
    entities
}

/// A world with four entities, of which everything has been seen.
fn world() -> (World, [Entity; 4]) {
    let mut world = World::new();
    // The first to ask begins the bookkeeping.
    let _ = (world.query::<Report>(), world.query_filtered::<Step, Touched>(), world.query::<Newest>());
    let entities = [
        world.spawn((A(0), S(0))).id(),
        world.spawn((A(1), B(String::from("1")))).id(),
        world.spawn(A(2)).id(),
        world.spawn((A(3), Tag)).id(),
    ];
    world.clear_trackers();
    (world, entities)
}

#[test]
fn fields_know_whether_they_have_changed() {
    let (mut world, entities) = world();
    let mut reports = world.query::<Report>();
    assert!(reports.iter(&world).all(|report| !report.a.is_changed() && report.s.is_none_or(|s| !s.is_changed())));
    world.get_mut::<A>(entities[2]).unwrap().0 = 20;
    world.get_mut::<S>(entities[0]).unwrap().0 = 20;
    let changed = sorted(reports.iter(&world).filter(|report| report.a.is_changed()).map(|report| report.entity));
    assert_eq!(changed, [entities[2]]);
    let report = reports.get(&world, entities[0]).unwrap();
    assert!(report.s.is_some_and(|s| s.is_changed() && !s.is_added() && s.0 == 20));
}

#[test]
fn the_read_only_form_of_mut_reads() {
    let (mut world, entities) = world();
    let mut steps = world.query::<Step>();
    assert_eq!(steps.iter(&world).filter(|step| step.a.0 == 1).count(), 1);
    for mut step in steps.iter_mut(&mut world) {
        if step.b.is_some_and(|b| !b.is_changed()) {
            step.a.0 += 1;
        }
    }
    let mut changed = world.query_filtered::<Entity, Changed<A>>();
    assert_eq!(sorted(changed.iter(&world)), [entities[1]]);
}

#[test]
fn the_fields_of_a_variant_know_it_too() {
    let (mut world, entities) = world();
    world.entity_mut(entities[1]).insert(B(String::from("new")));
    world.entity_mut(entities[2]).insert(S(5));
    let mut newest = world.query::<Newest>();
    let mut seen = Vec::new();
    for item in newest.iter(&world) {
        seen.push(match item {
            NewestItem::Sparse(s, entity) => (entity, s.is_added()),
            NewestItem::Table { b, entity } => (entity, b.is_changed() && !b.is_added()),
            NewestItem::Other(entity) => (entity, false),
        });
    }
    seen.sort_unstable();
    let expected: Vec<(Entity, bool)> = entities.into_iter().zip([false, true, true, false]).collect();
    assert_eq!(seen, expected);
}

#[test]
fn derived_filters_ask_for_changes() {
    let (mut world, entities) = world();
    let mut touched = world.query_filtered::<Entity, Touched>();
    assert!(touched.is_empty(&world));
    for entity in [entities[1], entities[3]] {
        world.get_mut::<A>(entity).unwrap().0 += 1;
    }
    world.get_mut::<S>(entities[0]).unwrap().0 += 1;
    assert_eq!(sorted(touched.iter(&world)), [entities[1]]);
    world.entity_mut(entities[2]).insert(S(1));
    assert_eq!(sorted(touched.iter(&world)), [entities[1], entities[2]]);
    let mut fresh = world.query_filtered::<Entity, (Fresh<S>, With<A>)>();
    assert_eq!(sorted(fresh.iter(&world)), [entities[2]]);
    world.clear_trackers();
    assert!(touched.is_empty(&world) && fresh.is_empty(&world));
}
