//! Filtered entities: components that a query was given when it was made.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::system::{ParamBuilder, QueryParamBuilder, SystemParamBuilder};
use strata_ecs::world::{FilteredEntityMut, FilteredEntityRef};

use super::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component, Debug, PartialEq)]
struct Mana(u32);
#[derive(Component, Debug, PartialEq)]
struct Name(&'static str);
#[derive(Component, Debug, PartialEq)]
#[component(immutable)]
struct Parent(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside;

fn refusal<T>(build: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(build)).map(drop).unwrap_err();
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

fn filled() -> (World, [Entity; 2]) {
    let mut world = World::new();
    let ids = [world.spawn((Health(1), Mana(2), Name("a"))).id(), world.spawn((Health(3), Name("b"))).id()];
    (world, ids)
}

#[test]
fn what_was_added_is_given_and_nothing_else() {
    let (mut world, [a, b]) = filled();
    let [health, mana, name] =
        [world.register_component::<Health>(), world.register_component::<Mana>(), world.register_component::<Name>()];
    let mut query = QueryBuilder::<FilteredEntityMut<'_, '_>>::new(&mut world)
        .mut_id(health)
        .optional(|builder| _ = builder.ref_id(mana))
        .with_id(name)
        .build();
    let mut entity = query.get_mut(&mut world, a).unwrap();
    assert_eq!((entity.get(), entity.get()), (Some(&Health(1)), Some(&Mana(2))));
    assert_eq!((entity.get::<Name>(), entity.get_by_id(name).is_some()), (None, false));
    assert!(entity.contains::<Name>() && entity.contains_id(name));
    assert!(entity.get_mut::<Mana>().is_none() && entity.get_mut_by_id(mana).is_none());
    assert!(entity.get_mut::<Name>().is_none() && entity.get_mut_by_id(name).is_none());
    entity.get_mut::<Health>().unwrap().0 += 10;
    entity.get_mut_by_id(health).unwrap().downcast_mut::<Health>().unwrap().0 += 100;
    assert_eq!(entity.get_by_id(health).unwrap().downcast_ref(), Some(&Health(111)));
    assert_eq!(entity.into_mut::<Health>().unwrap().0, 111);
    // To read, from a shared world.
    let entity = query.get(&world, b).unwrap();
    assert_eq!((entity.get(), entity.get::<Mana>(), entity.get::<Name>()), (Some(&Health(3)), None, None));
    assert_eq!(format!("{entity:?}").matches("Health").count(), 1);
    assert!(!format!("{entity:?}").contains("Name"));
}

#[test]
fn without_a_builder_nothing_is_given() {
    let (mut world, [a, _]) = filled();
    let mut query = world.query::<FilteredEntityMut<'_, '_>>();
    let mut entity = query.get_mut(&mut world, a).unwrap();
    assert!(entity.get::<Health>().is_none() && entity.get_mut::<Health>().is_none() && entity.contains::<Health>());
    // Nor of a single entity.
    assert!(world.entity(a).get_components::<FilteredEntityRef<'_, '_>>().unwrap().get::<Health>().is_none());
}

#[test]
fn a_query_that_is_made_of_others_gives_what_these_borrow() {
    let (mut world, [a, b]) = filled();
    let query = world.query::<(&mut Health, Option<&Mana>)>();
    let mut whole = query.transmute::<(Entity, FilteredEntityMut<'_, '_>)>(&world);
    let (id, mut entity) = whole.get_mut(&mut world, a).unwrap();
    assert_eq!((id, entity.get(), entity.get::<Name>()), (a, Some(&Mana(2)), None));
    assert!(entity.get_mut::<Mana>().is_none());
    entity.get_mut::<Health>().unwrap().0 += 10;
    // From this query again, read-only, and a smaller part of it together with another part of the data.
    let mut less = whole.transmute::<FilteredEntityRef<'_, '_>>(&world);
    assert_eq!(less.get(&world, a).unwrap().get(), Some(&Health(11)));
    let mut beside = whole.transmute::<(&mut Health, FilteredEntityMut<'_, '_>, Option<&Mana>)>(&world);
    let (_, mut entity, _) = beside.get_mut(&mut world, a).unwrap();
    assert_eq!((entity.get::<Health>(), entity.get()), (None, Some(&Mana(2))));
    assert!(entity.get_mut::<Mana>().is_none());
    // From two queries.
    let names = world.query_filtered::<&Name, With<Mana>>();
    let mut both: QueryState<FilteredEntityMut<'_, '_>> = query.join_filtered(&world, &names);
    let mut entity = both.get_mut(&mut world, a).unwrap();
    assert_eq!(entity.get_mut::<Health>().unwrap().0, 11);
    assert_eq!(entity.get(), Some(&Name("a")));
    assert!(both.get(&world, b).is_err());
    // From a query that borrows all components, no component is accessible.
    let mut all = world.query::<EntityMut<'_>>().transmute::<FilteredEntityRef<'_, '_>>(&world);
    assert!(all.get(&world, a).unwrap().get::<Health>().is_none());
}

#[test]
fn a_lens_gives_what_its_query_borrows() {
    fn hurt(mut healths: Query<'_, '_, (&mut Health, &Name)>) {
        let mut lens = healths.transmute_lens::<FilteredEntityMut<'_, '_>>();
        for mut entity in &mut lens.query() {
            assert!(entity.get::<Mana>().is_none() && entity.get_mut::<Name>().is_none());
            entity.get_mut::<Health>().unwrap().0 += 1;
        }
        let mut lens = healths.transmute_lens::<FilteredEntityRef<'_, '_>>();
        assert_eq!(lens.query().iter().map(|entity| entity.get::<Health>().unwrap().0).sum::<u32>(), 6);
    }
    let (mut world, _) = filled();
    world.run_system_once(hurt).unwrap();
}

#[test]
fn only_one_of_several_filtered_entities_has_what_was_added() {
    type Two<'a> = (FilteredEntityMut<'a, 'a>, Option<FilteredEntityMut<'a, 'a>>, (FilteredEntityMut<'a, 'a>,), Entity);
    let (mut world, [a, _]) = filled();
    let mut query = QueryBuilder::<Two<'_>>::new(&mut world).data::<&mut Health>().build();
    let (mut first, second, (mut third,), _) = query.get_mut(&mut world, a).unwrap();
    let mut health = first.get_mut::<Health>().unwrap();
    assert!(second.unwrap().get_mut::<Health>().is_none());
    assert!(third.get_mut::<Health>().is_none() && third.get::<Health>().is_none());
    health.0 += 1;
}

#[test]
fn what_was_added_is_borrowed() {
    let (mut world, _) = filled();
    // By the query itself.
    let text =
        refusal(|| QueryBuilder::<(FilteredEntityMut<'_, '_>, &Health)>::new(&mut world).data::<&mut Health>().build());
    assert!(text.contains("borrows") && text.contains("Health"), "{text}");
    let text = refusal(|| {
        QueryBuilder::<FilteredEntityMut<'_, '_>>::new(&mut world).data::<&mut Health>().data::<&Health>().build()
    });
    assert!(text.contains("Health"), "{text}");
    // By the system.
    type Both =
        (Query<'static, 'static, FilteredEntityMut<'static, 'static>>, Query<'static, 'static, &'static Health>);
    let text = refusal(|| {
        let writes = QueryParamBuilder::new(|builder| _ = builder.data::<&mut Health>());
        let _: SystemState<Both> = (writes, ParamBuilder).build_state(&mut world);
    });
    assert!(text.contains("both borrow component") && text.contains("Health"), "{text}");
    // Further parameters are possible.
    let writes = QueryParamBuilder::new(|builder| _ = builder.data::<&mut Mana>());
    let mut state: SystemState<Both> = (writes, ParamBuilder).build_state(&mut world);
    let (mut filtered, healths) = state.get_mut(&mut world).unwrap();
    for mut entity in &mut filtered {
        let health = healths.get(entity.id()).unwrap().0;
        entity.get_mut::<Mana>().unwrap().0 += health;
    }
    assert_eq!(world.query::<&Mana>().single(&world), Ok(&Mana(3)));
}

#[test]
fn changes_are_noted_and_immutable_components_are_not_changed() {
    let (mut world, [a, b]) = filled();
    world.entity_mut(b).insert(Parent(1));
    let parent = world.component_id::<Parent>().unwrap();
    let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    let mut query = QueryBuilder::<FilteredEntityMut<'_, '_>>::new(&mut world)
        .data::<&mut Health>()
        .optional(|builder| _ = builder.mut_id(parent))
        .build();
    world.clear_trackers();
    assert_eq!(changed.iter(&world).count(), 0);
    query.get_mut(&mut world, a).unwrap().get_mut::<Health>().unwrap().0 += 1;
    assert_eq!(changed.iter(&world).collect::<Vec<_>>(), [a]);
    let mut entity = query.get_mut(&mut world, b).unwrap();
    assert!(entity.get_mut_by_id(parent).is_none());
    assert_eq!(entity.get(), Some(&Parent(1)));
}

#[test]
fn sparse_components_and_all_of_them_are_not_given() {
    let (mut world, [a, _]) = filled();
    world.entity_mut(a).insert(Aside);
    let aside = world.component_id::<Aside>().unwrap();
    let text = refusal(|| QueryBuilder::<FilteredEntityMut<'_, '_>>::new(&mut world).ref_id(aside).build());
    assert!(text.contains("is a sparse component"), "{text}");
    let mut query = QueryBuilder::<FilteredEntityRef<'_, '_>>::new(&mut world).data::<EntityRef<'_>>().build();
    assert!(query.get(&world, a).unwrap().get::<Health>().is_none());
}

#[test]
fn each_task_of_a_parallel_loop_gets_rows_of_its_own() {
    let mut world = World::new();
    world.spawn_batch((0..5000).map(Health));
    let mut query = QueryBuilder::<FilteredEntityMut<'_, '_>>::new(&mut world).data::<&mut Health>().build();
    query.par_iter_mut(&mut world).for_each(|mut entity| entity.get_mut::<Health>().unwrap().0 += 1);
    let sum: u32 = query.iter(&world).map(|entity| entity.get::<Health>().unwrap().0).sum();
    assert_eq!(sum, (1..=5000).sum());
}

#[test]
fn every_view_of_an_entity_is_made_a_narrower_one() {
    fn health<'w, 's>(entity: impl Into<FilteredEntityRef<'w, 's>>) -> u32 {
        entity.into().get::<Health>().map_or(0, |health| health.0)
    }
    fn heal<'w, 's>(entity: impl Into<FilteredEntityMut<'w, 's>>) -> u32 {
        let mut health = entity.into().into_mut::<Health>().unwrap();
        health.0 += 1;
        health.0
    }
    let (mut world, [a, b]) = filled();
    let id = world.component_id::<Health>().unwrap();
    let mut entity = world.entity_mut(a);
    assert_eq!((health(&entity), heal(&mut entity), heal(EntityMut::from(&mut entity))), (1, 2, 3));
    let mut entity = EntityMut::from(entity);
    assert_eq!((heal(&mut entity), health(&entity), EntityRef::from(&entity).id()), (4, 4, a));
    assert_eq!(heal(EntityMut::from(&mut entity)), 5);
    let of_borrowed = |entity: &EntityRef<'_>| health(entity);
    assert_eq!((health(EntityRef::from(entity)), health(world.entity(b)), of_borrowed(&world.entity(b))), (5, 3, 3));
    assert_eq!(health(EntityRef::from(world.entity_mut(a))), 5);
    let mut entity = FilteredEntityMut::from(world.entity_mut(a));
    assert_eq!((heal(&mut entity), health(&entity)), (6, 6));
    assert!(entity.get_mut_by_id(id).is_some() && entity.get::<Aside>().is_none());
    assert_eq!(health(entity), 6);
}

#[test]
fn ticks_are_those_of_what_is_given() {
    let (mut world, [a, _]) = filled();
    let [health, name] = [world.register_component::<Health>(), world.register_component::<Name>()];
    let _watchers = (world.query_filtered::<(), Changed<Health>>(), world.query_filtered::<(), Changed<Name>>());
    let mut query = QueryBuilder::<FilteredEntityMut<'_, '_>>::new(&mut world).mut_id(health).build();
    let mut entity = query.get_mut(&mut world, a).unwrap();
    let before = entity.get_change_ticks::<Health>().unwrap();
    entity.get_mut::<Health>().unwrap().0 = 5;
    let after = entity.get_change_ticks_by_id(health).unwrap();
    assert!(
        before.added == after.added
            && after.changed == entity.as_readonly().get_ref::<Health>().unwrap().last_changed()
    );
    assert_eq!((entity.get_change_ticks::<Name>(), entity.get_change_ticks_by_id(name)), (None, None));
}
