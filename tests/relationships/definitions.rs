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

#[derive(Component, PartialEq, Debug)]
#[relationship(relationship_target = Crew)]
struct Serves {
    #[relationship]
    ship: Entity,
    since: u32,
}

#[derive(Component)]
#[relationship_target(relationship = Serves)]
struct Crew {
    #[relationship]
    sailors: Vec<Entity>,
    pay: u32,
}

/// A world in which links are made by the fast path, and a world in which observers run for them.
fn silent_and_watched() -> [World; 2] {
    let mut watched = World::new();
    watched.add_observer(|_: On<Insert<Serves>>| {});
    watched.add_observer(|_: On<Remove<Crew>>| {});
    [World::new(), watched]
}

#[test]
fn other_fields_stay_when_another_target_is_named() {
    for mut world in silent_and_watched() {
        let [a, b] = entities(&mut world);
        let sailor = world.spawn(Serves { ship: a, since: 7 }).id();
        let other = world.spawn(Serves { ship: a, since: 9 }).id();
        let look = |world: &mut World, ship: Entity| {
            world.check_invariants();
            assert_eq!(world.get::<Serves>(sailor), Some(&Serves { ship, since: 7 }));
            assert!(world.get::<Crew>(ship).unwrap().iter().any(|one| one == sailor));
        };
        world.entity_mut(b).add_related::<Serves>(&[sailor]);
        look(&mut world, b);
        world.entity_mut(a).insert_related::<Serves>(0, &[sailor]);
        look(&mut world, a);
        assert!(world.get::<Crew>(a).unwrap().iter().eq([sailor, other]));
        world.entity_mut(b).replace_related::<Serves>(&[sailor]);
        look(&mut world, b);
        world.entity_mut(a).replace_related_with_difference::<Serves>(&[other], &[sailor], &[sailor]);
        look(&mut world, a);
        assert!(world.get::<Serves>(other).is_none());
        world.commands().entity(b).add_related::<Serves>(&[sailor, other]);
        world.flush();
        look(&mut world, b);
        assert_eq!(world.get::<Serves>(other), Some(&Serves { ship: b, since: 0 }));
        // One that is not a target yet, and one that cannot be.
        world.entity_mut(b).add_related::<Serves>(&[b]);
        assert!(world.take_command_errors().0.len() == 1 && world.get::<Serves>(b).is_none());
        look(&mut world, b);
    }
}

#[test]
fn other_fields_of_the_list_stay_while_there_are_sources() {
    for mut world in silent_and_watched() {
        let [ship, a, b, c] = entities(&mut world);
        world.entity_mut(ship).add_related::<Serves>(&[a]);
        world.get_mut::<Crew>(ship).unwrap().pay = 3;
        let crew = |world: &mut World| {
            world.check_invariants();
            world.get::<Crew>(ship).map(|crew| (crew.iter().collect::<Vec<_>>(), crew.pay))
        };
        world.entity_mut(ship).replace_related::<Serves>(&[b, c]);
        assert_eq!(crew(&mut world), Some((vec![b, c], 3)));
        world.entity_mut(ship).replace_related_with_difference::<Serves>(&[b, c], &[a], &[a]);
        assert_eq!(crew(&mut world), Some((vec![a], 3)));
        world.entity_mut(ship).insert_related::<Serves>(0, &[c, b]).remove_related::<Serves>(&[a, c]);
        assert_eq!(crew(&mut world), Some((vec![b], 3)));
        world.entity_mut(ship).with_related::<Serves>(());
        assert_eq!(crew(&mut world).map(|(sailors, pay)| (sailors.len(), pay)), Some((2, 3)));
        world.entity_mut(ship).replace_related::<Serves>(&[]);
        assert_eq!(crew(&mut world), None);
    }
}

#[test]
fn the_list_goes_with_the_last_source_that_a_hook_takes() {
    let mut world = World::new();
    world.register_component_hooks::<Crew>().on_discard(|mut world, context| {
        if let Some(mut crew) = world.get_mut::<Crew>(context.entity) {
            crew.sailors.clear();
        }
    });
    world.register_component_hooks::<Serves>().on_remove(|mut world, context| {
        let ship = world.get::<Serves>(context.entity).unwrap().ship;
        if let Some(mut crew) = world.get_mut::<Crew>(ship) {
            crew.sailors.retain(|&sailor| sailor != context.entity);
        }
        world.commands().entity(context.entity).try_despawn();
    });
    let [ship, a, b] = entities(&mut world);
    world.entity_mut(ship).add_related::<Serves>(&[a, b]);
    world.entity_mut(a).remove::<Serves>();
    assert!(world.get::<Crew>(ship).unwrap().iter().eq([b]));
    world.despawn(b);
    assert!(world.get::<Crew>(ship).is_none());
    world.check_invariants();
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
