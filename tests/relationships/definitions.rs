//! Components that are sides of a relationship, in all their forms.

use strata_ecs::component::StorageType;
use strata_ecs::prelude::*;

use crate::entities;

#[test]
fn several_fields_are_possible() {
    #[derive(Component)]
    #[relationship(relationship_target = Contains)]
    struct In {
        #[relationship]
        place: Entity,
        since: u32,
    }
    #[derive(Component)]
    #[relationship_target(relationship = In)]
    struct Contains {
        #[relationship]
        things: Vec<Entity>,
        weight: u32,
    }

    let mut world = World::new();
    let [chest] = entities(&mut world);
    let coin = world.spawn(In { place: chest, since: 7 }).id();
    assert_eq!((world.get::<Contains>(chest).unwrap().things.len(), world.get::<In>(coin).unwrap().since), (1, 7));
    world.get_mut::<Contains>(chest).unwrap().weight = 3;
    world.entity_mut(chest).with_related::<In>(());
    assert_eq!(
        (world.get::<Contains>(chest).unwrap().things.len(), world.get::<Contains>(chest).unwrap().weight),
        (2, 3)
    );
}

#[test]
fn parameters_are_possible() {
    use std::marker::PhantomData;

    #[derive(Component)]
    #[relationship(relationship_target = Has<T>)]
    struct Of<T: Send + Sync + 'static>(#[relationship] Entity, PhantomData<T>);
    #[derive(Component)]
    #[relationship_target(relationship = Of<T>)]
    struct Has<T: Send + Sync + 'static>(#[relationship] Vec<Entity>, PhantomData<T>);

    let mut world = World::new();
    let [a, b, owner] = entities(&mut world);
    world.entity_mut(owner).add_one_related::<Of<u32>>(a).add_one_related::<Of<u8>>(b);
    assert!(world.get::<Has<u32>>(owner).unwrap().iter().eq([a]));
    assert!(world.get::<Has<u8>>(owner).unwrap().iter().eq([b]));
    world.check_invariants();
}

#[test]
fn they_are_outside_of_the_tables() {
    assert_eq!((ChildOf::STORAGE_TYPE, Children::STORAGE_TYPE), (StorageType::Sparse, StorageType::Sparse));
    let mut world = World::new();
    let [root, a] = entities(&mut world);
    let before = [root, a].map(|entity| world.entity(entity).location());
    world.entity_mut(a).insert(ChildOf(root));
    assert_eq!([root, a].map(|entity| world.entity(entity).location()), before);
}
