//! Components whose values are replaced and never changed in place.

use strata_ecs::component::{
    ComponentDescriptor, ComponentMutability, Description, Immutable, Mutable, MutableComponent,
};
use strata_ecs::prelude::*;
use strata_ecs::store::{ColumnAccessError, ErasedAccessError};
use strata_ecs::world::ComponentEntry;

#[derive(Component, Debug, PartialEq, Clone)]
#[component(immutable, track = "always")]
struct Parent(u32);

#[derive(Component, Debug, PartialEq, Clone)]
#[component(immutable, storage = "sparse")]
struct Owner(String);

#[derive(Component, Debug, PartialEq)]
#[component(immutable)]
struct Of<T>(T);

#[derive(Component, Debug, PartialEq)]
struct Health(u32);

#[derive(Bundle)]
struct Child {
    parent: Parent,
    owner: Owner,
}

#[derive(QueryData)]
struct Family {
    parent: &'static Parent,
    owner: Option<Ref<'static, Owner>>,
}

fn owner(name: &str) -> Owner {
    Owner(name.into())
}

#[test]
fn the_type_the_descriptor_and_the_info_say_so() {
    fn immutable<T: Component<Mutability = Immutable>>() {
        const { assert!(!T::Mutability::MUTABLE) };
        assert!(!ComponentDescriptor::of::<T>().mutable());
        let mut world = World::new();
        let id = world.register_component::<T>();
        assert!(!world.components().info(id).unwrap().mutable());
    }
    fn mutable<T: Component<Mutability = Mutable>>() {
        fn by_helper<T: MutableComponent>() {
            const { assert!(T::Mutability::MUTABLE) };
        }
        by_helper::<T>();
        assert!(ComponentDescriptor::of::<T>().mutable());
        let mut world = World::new();
        let id = world.register_component::<T>();
        assert!(world.components().info(id).unwrap().mutable());
    }
    immutable::<Parent>();
    immutable::<Owner>();
    immutable::<Of<u32>>();
    mutable::<Health>();
}

#[test]
fn whole_values_come_and_go_as_those_of_other_components() {
    let mut world = World::new();
    let entity = world.spawn(Child { parent: Parent(1), owner: owner("Ann") }).id();
    world.entity_mut(entity).insert((Parent(2), owner("Bob"), Of(2_u8)));
    assert_eq!(world.get(entity), Some(&Parent(2)));
    assert_eq!(world.get(entity), Some(&owner("Bob")));
    world.entity_mut(entity).insert_if_new((Parent(3), owner("Cid"), Health(1)));
    assert_eq!((world.get(entity), world.get(entity)), (Some(&Parent(2)), Some(&Health(1))));
    assert_eq!(world.entity_mut(entity).exchange::<Parent, _>(Parent(4)), Ok(Parent(2)));
    world.commands().entity(entity).insert_if(Parent(5), || true);
    world.flush();
    assert_eq!(world.entity_mut(entity).take::<Parent>(), Some(Parent(5)));
    assert_eq!(world.entity_mut(entity).take::<Owner>(), Some(owner("Bob")));
    let copies: Vec<_> = world.spawn_batch((0..9).map(|number| (Parent(number), owner("x")))).collect();
    world.all::<With<Parent>>().insert(Parent(7));
    assert!(copies.iter().all(|&copy| world.get(copy) == Some(&Parent(7))));
    let copy = world.clone_entity(copies[0]).unwrap();
    assert_eq!((world.get(copy), world.get(copy)), (Some(&Parent(7)), Some(&owner("x"))));
    world.check_invariants();
}

#[test]
fn an_entry_replaces() {
    let mut world = World::new();
    let mut entity = world.spawn_empty();
    assert_eq!(entity.entry::<Parent>().or_insert(Parent(1)).get(), &Parent(1));
    assert_eq!(entity.entry::<Parent>().or_insert(Parent(2)).get(), &Parent(1));
    assert_eq!(entity.entry::<Parent>().insert_entry(Parent(3)).get(), &Parent(3));
    let ComponentEntry::Occupied(mut found) = entity.entry::<Parent>() else { panic!("it was inserted") };
    found.insert(Parent(4));
    assert_eq!(found.take(), Parent(4));
    let id = entity.id();
    world.commands().entity(id).entry::<Parent>().or_insert(Parent(5));
    world.flush();
    assert_eq!(world.get(id), Some(&Parent(5)));
}

#[test]
fn queries_and_systems_read_and_see_what_was_inserted() {
    #[system]
    fn raise(entity: Entity, parent: Ref<'_, Parent>, health: &mut Health, mut commands: Commands<'_, '_>) {
        health.0 += u32::from(parent.is_changed());
        commands.entity(entity).insert(Parent(parent.0 + 1));
    }
    #[derive(Resource, Default)]
    struct Seen(Vec<u32>);
    fn note(changed: Query<'_, '_, Family, Changed<Parent>>, mut seen: ResMut<'_, Seen>) {
        seen.0.extend(changed.iter().map(|family| {
            assert_eq!(family.owner.is_some(), family.parent.0.is_multiple_of(2));
            family.parent.0
        }));
    }

    let mut world = World::new();
    world.insert_resource(Seen::default());
    let entity = world.spawn((Parent(1), Health(0))).id();
    let mut note_again = Schedule::default();
    note_again.add_systems(note);
    note_again.run(&mut world);
    note_again.run(&mut world);
    world.run_system_once(raise).unwrap();
    world.entity_mut(entity).insert(owner("Ann"));
    note_again.run(&mut world);
    note_again.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [1, 2]);
    assert_eq!(world.get(entity), Some(&Health(1)));
    let mut all = world.query::<&Parent>();
    assert_eq!(all.contiguous_iter(&world).flatten().collect::<Vec<_>>(), [&Parent(2)]);
    let ticks = world.entity(entity).get_change_ticks::<Parent>().unwrap();
    assert!(ticks.changed.is_newer_than(ticks.added, world.change_tick()));
}

#[test]
fn borrowing_one_mutably_by_its_id_is_an_error_that_changes_nothing() {
    let mut world = World::new();
    let entity = world.spawn((Parent(1), owner("Ann"), Health(3))).id();
    let [parent, sparse] = [world.component_id::<Parent>().unwrap(), world.component_id::<Owner>().unwrap()];
    let seed = ComponentDescriptor::builder("immutable:seed", Description::<u64>::new()).immutable().build();
    let seed = world.register_component_with_descriptor(seed).unwrap();
    world.entity_mut(entity).insert_by_id(seed, 5_u64).unwrap();
    let before = world.entity(entity).get_change_ticks::<Parent>().unwrap();
    for id in [parent, sparse, seed] {
        let component = world.components().name(id);
        let error = ErasedAccessError::Immutable { entity, component };
        let text = error.to_string();
        let expected = Some(error);
        assert_eq!(world.get_mut_by_id(entity, id).err(), expected);
        assert_eq!(world.entity_mut(entity).get_mut_by_id(id).err(), expected);
        assert_eq!(world.entity_mut(entity).into_mutable().get_mut_by_id(id).err(), expected);
        assert!(world.get_by_id(entity, id).is_ok());
        assert!(text.contains("is immutable: insert another value") && text.contains(component), "{text}");
    }
    let after = world.entity(entity).get_change_ticks::<Parent>().unwrap();
    assert_eq!((before.added, before.changed), (after.added, after.changed));

    let table = world.entity(entity).location().table;
    for id in [parent, seed] {
        let component = world.components().name(id);
        let error = match id {
            id if id == parent => world.column_mut_by_id::<Parent>(table, id).unwrap_err(),
            id => world.column_mut_by_id::<u64>(table, id).unwrap_err(),
        };
        assert_eq!(error, ColumnAccessError::Immutable { component });
        assert!(error.to_string().contains("is immutable: insert other values"), "{error}");
    }
    assert_eq!(world.column_by_id::<Parent>(table, parent), Ok(&[Parent(1)][..]));

    // The errors for an entity without the component and for a despawned entity differ.
    let other = world.spawn_empty().id();
    assert!(matches!(world.get_mut_by_id(other, parent), Err(ErasedAccessError::Missing { .. })));
    world.despawn(other);
    assert!(matches!(world.get_mut_by_id(other, parent), Err(ErasedAccessError::Entity { .. })));
    world.entity_mut(entity).insert_by_id(parent, Parent(2)).unwrap();
    assert_eq!(world.get(entity), Some(&Parent(2)));
}
