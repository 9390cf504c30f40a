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
    // Nor of a query that is made of one that was given something, nor of a single entity.
    let query = QueryBuilder::<FilteredEntityMut<'_, '_>>::new(&mut world).data::<&mut Health>().build();
    let mut query = query.transmute::<FilteredEntityRef<'_, '_>>(&world);
    assert!(query.get(&world, a).unwrap().get::<Health>().is_none());
    assert!(world.entity(a).get_components::<FilteredEntityRef<'_, '_>>().unwrap().get::<Health>().is_none());
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
    // Others may stand beside it.
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
