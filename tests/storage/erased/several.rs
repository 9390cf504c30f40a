//! The values of several components of an entity, by their ids.

use strata_ecs::change_detection::MutUntyped;
use strata_ecs::ptr::Ptr;
use strata_ecs::world::ErasedAccessError;
use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Debug, PartialEq)]
#[component(immutable)]
struct Rank(u32);

/// An entity with a table-stored and a sparse component, and the ids of both.
fn entity(world: &mut World) -> (Entity, ComponentId, ComponentId) {
    let ids = (world.register_component::<Health>(), world.register_component::<Aside>());
    (world.spawn((Health(3), Aside("left".into()))).id(), ids.0, ids.1)
}

#[test]
fn arrays_and_slices_of_ids_give_the_values_in_their_order() {
    let mut world = World::new();
    let (id, health, aside) = entity(&mut world);
    let entity = world.entity(id);
    let [a, b]: [Ptr<'_>; 2] = entity.get_by_id([aside, health]).unwrap();
    assert_eq!((a.deref::<Aside>(), b.deref::<Health>()), (&Aside("left".into()), &Health(3)));
    let [same, again] = entity.get_by_id(&[health, health]).unwrap();
    assert_eq!(same.try_eq(again), Some(true));
    assert_eq!(same.as_ptr(), again.as_ptr());
    let all: Vec<Ptr<'_>> = entity.get_by_id(&[health, aside][..]).unwrap();
    assert_eq!((all.len(), all[0].deref::<Health>()), (2, &Health(3)));
    let none: Vec<Ptr<'_>> = entity.get_by_id(&[][..]).unwrap();
    assert!(none.is_empty());
}

#[test]
fn values_of_different_components_are_borrowed_mutably_together() {
    let mut world = World::new();
    let (id, health, aside) = entity(&mut world);
    let mut entity = world.entity_mut(id);
    let [mut a, mut b]: [MutUntyped<'_>; 2] = entity.get_mut_by_id([health, aside]).unwrap();
    let (health_value, aside_value) = (a.as_mut().deref_mut::<Health>(), b.as_mut().deref_mut::<Aside>());
    health_value.0 += 1;
    aside_value.0.push('!');
    let mut listed = entity.get_mut_by_id(&[aside, health][..]).unwrap();
    listed[1].downcast_mut::<Health>().unwrap().0 += 1;
    let mut mutable = entity.into_mutable();
    let [one] = mutable.get_mut_by_id(&[health]).unwrap();
    one.deref_mut::<Health>().0 += 1;
    assert_eq!(world.get(id), Some(&Health(6)));
    assert_eq!(world.get(id), Some(&Aside("left!".into())));
}

#[test]
fn a_missing_component_is_an_error_that_names_it_and_nothing_is_borrowed() {
    let mut world = World::new();
    let (id, health, aside) = entity(&mut world);
    world.entity_mut(id).remove::<Aside>();
    let errors = [
        world.entity(id).get_by_id([health, aside]).unwrap_err(),
        world.entity(id).get_by_id(&[health, aside][..]).unwrap_err(),
        world.entity_mut(id).get_mut_by_id([health, aside]).unwrap_err(),
        world.entity_mut(id).get_mut_by_id(&[health, aside][..]).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, ErasedAccessError::Missing { entity, component }
            if entity == id && component.ends_with("Aside")));
    }
}

#[test]
fn a_component_that_is_asked_for_twice_is_borrowed_mutably_in_no_case() {
    let mut world = World::new();
    let (id, health, aside) = entity(&mut world);
    let expected = ErasedAccessError::AliasedMutability { entity: id, id: health };
    let mut entity = world.entity_mut(id);
    assert_eq!(entity.get_mut_by_id([health, aside, health]).unwrap_err(), expected);
    assert_eq!(entity.get_mut_by_id(&[health, health][..]).unwrap_err(), expected);
    // As well if the entity lacks it.
    entity.remove::<Health>();
    let error = entity.into_mutable().get_mut_by_id([health, health]).unwrap_err();
    assert_eq!(error, expected);
    assert!(error.to_string().contains(&format!("{id}")) && error.to_string().contains("twice"), "{error}");
}

#[test]
fn an_immutable_component_among_several_is_an_error() {
    let mut world = World::new();
    let (health, rank) = (world.register_component::<Health>(), world.register_component::<Rank>());
    let mut entity = world.spawn((Health(3), Rank(1)));
    let error = entity.get_mut_by_id([health, rank]).unwrap_err();
    assert!(matches!(error, ErasedAccessError::Immutable { component, .. } if component.ends_with("Rank")));
    assert_eq!(entity.get_by_id([rank]).unwrap()[0].deref::<Rank>(), &Rank(1));
}

#[test]
fn only_values_that_were_borrowed_to_write_count_as_changed() {
    let mut world = World::new();
    let (health, aside) = (world.register_component::<Health>(), world.register_component::<Aside>());
    let mut changed = world.query::<(Ref<'_, Health>, Ref<'_, Aside>)>();
    let id = world.spawn((Health(3), Aside("left".into()))).id();
    world.clear_trackers();
    let is_changed = |world: &mut World, query: &mut QueryState<(Ref<'_, Health>, Ref<'_, Aside>)>| {
        let (health, aside) = query.single(world).unwrap();
        (health.is_changed(), aside.is_changed())
    };
    assert_eq!(is_changed(&mut world, &mut changed), (false, false));
    let mut entity = world.entity_mut(id);
    let [a, mut b] = entity.get_mut_by_id([health, aside]).unwrap();
    assert_eq!(a.as_ref().deref::<Health>(), &Health(3));
    let _ = b.as_mut();
    assert_eq!(is_changed(&mut world, &mut changed), (false, true));
    world.clear_trackers();
    let mut entity = world.entity_mut(id);
    let _ = entity.get_mut_by_id(health).unwrap().deref_mut::<Health>();
    assert_eq!(is_changed(&mut world, &mut changed), (true, false));
}

#[test]
fn a_value_of_another_type_is_refused_with_both_names() {
    let mut world = World::new();
    let (id, health, _) = entity(&mut world);
    let panic = expect_panic(|| {
        let _ = world.entity(id).get_by_id(health).unwrap().deref::<Shield>();
    });
    assert!(panic.contains("Health") && panic.contains("Shield"), "{panic}");
    let panic = expect_panic(|| {
        let _ = world.get_mut_by_id(id, health).unwrap().deref_mut::<Shield>();
    });
    assert!(panic.contains("Health") && panic.contains("Shield"), "{panic}");
}
