//! The operations that count as removals, and the order in which removals are recorded.

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component, Debug, PartialEq)]
struct Mana(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Burning(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Flying;

type All = (Health, Burning, Flying);

/// A world with an entity that has everything, and others around its row.
fn world() -> (World, Entity) {
    let mut world = World::new();
    let all = |n| (Health(n), Mana(n), Burning(n), Flying);
    let ids: Vec<Entity> = world.spawn_batch((0..3).map(all)).collect();
    (world, ids[1])
}

/// Returns the number of removals that an operation records for each kind of component, and the removed values.
fn removed_by(operation: impl FnOnce(&mut World, Entity)) -> ([usize; 3], [Option<u32>; 2]) {
    let (mut world, entity) = world();
    let mut health = world.removed_reader::<Health>();
    let mut burning = world.removed_reader::<Burning>();
    let mut flying = world.removed_reader::<Flying>();
    let mut healths = world.removed_value_reader::<Health>();
    let mut burnings = world.removed_value_reader::<Burning>();
    let mut flyings = world.removed_value_reader::<Flying>();
    operation(&mut world, entity);
    world.check_invariants();
    let all = [
        health.read(&world).collect::<Vec<_>>(),
        burning.read(&world).collect::<Vec<_>>(),
        flying.read(&world).collect::<Vec<_>>(),
    ];
    assert!(all.iter().flatten().all(|&gone| gone == entity));
    let mut values = [None; 2];
    for (gone, health) in healths.read(&world) {
        assert_eq!((gone, values[0].replace(health.0)), (entity, None));
    }
    for (gone, burning) in burnings.read(&world) {
        assert_eq!((gone, values[1].replace(burning.0)), (entity, None));
    }
    assert_eq!(flyings.read(&world).count() != 0, values[1].is_some(), "a tag is a value like others");
    (all.map(|all| all.len()), values)
}

const ONCE: ([usize; 3], [Option<u32>; 2]) = ([1; 3], [Some(1); 2]);
const ONCE_TAKEN: ([usize; 3], [Option<u32>; 2]) = ([1; 3], [None; 2]);
const NEVER: ([usize; 3], [Option<u32>; 2]) = ([0; 3], [None; 2]);

fn commands(world: &mut World, record: impl FnOnce(&mut Commands<'_, '_>)) {
    let mut queue = CommandQueue::default();
    record(&mut Commands::new(&mut queue, world));
    queue.apply(world);
}

#[test]
fn every_way_to_lose_a_component_counts_once() {
    assert_eq!(removed_by(|world, entity| _ = world.entity_mut(entity).remove::<All>()), ONCE);
    assert_eq!(removed_by(|world, entity| _ = world.entity_mut(entity).retain::<Mana>()), ONCE);
    assert_eq!(removed_by(|world, entity| _ = world.entity_mut(entity).clear()), ONCE);
    assert_eq!(removed_by(|world, entity| _ = world.entity_mut(entity).replace::<All, _>(Mana(7))), ONCE);
    assert_eq!(removed_by(|world, entity| _ = world.despawn(entity)), ONCE);
    assert_eq!(removed_by(|world, entity| _ = world.many(&[entity]).remove::<All>()), ONCE);
    assert_eq!(removed_by(|world, entity| _ = world.many(&[entity]).despawn()), ONCE);
    assert_eq!(
        removed_by(|world, entity| commands(world, |commands| _ = commands.entity(entity).remove::<All>())),
        ONCE
    );
    assert_eq!(removed_by(|world, entity| commands(world, |commands| commands.entity(entity).despawn())), ONCE);
    let step_by_step = |world: &mut World, entity: Entity| {
        world.entity_mut(entity).remove::<Flying>().remove::<Health>().remove::<Burning>().remove::<All>();
        world.despawn(entity);
    };
    assert_eq!(removed_by(step_by_step), ONCE);
}

#[test]
fn the_value_of_what_is_taken_is_the_takers() {
    let take = |world: &mut World, entity: Entity| {
        let (health, burning, Flying) = world.entity_mut(entity).take::<All>().unwrap();
        assert_eq!((health.0, burning.0), (1, 1));
    };
    assert_eq!(removed_by(take), ONCE_TAKEN);
    let exchange = |world: &mut World, entity: Entity| {
        assert_eq!(world.entity_mut(entity).exchange::<All, _>(Mana(7)).map(|(health, ..)| health.0), Ok(1));
    };
    assert_eq!(removed_by(exchange), ONCE_TAKEN);
    let take_all = |world: &mut World, entity: Entity| {
        assert_eq!(world.entity_mut(entity).take_all().get(), Some(&Health(1)));
    };
    assert_eq!(removed_by(take_all), ONCE_TAKEN);
    let take_nothing = |world: &mut World, entity: Entity| {
        assert_eq!(world.entity_mut(entity).remove::<Mana>().take::<(Health, Mana)>(), None);
    };
    assert_eq!(removed_by(take_nothing), NEVER);
}

#[test]
fn what_moves_to_another_world_is_removed_from_the_first_only() {
    let moves = |world: &mut World, entity: Entity| {
        let mut other = World::new();
        let reader = other.removed_reader::<Health>();
        let map = world.many(&[entity]).move_to(&mut other);
        assert_eq!((map.len(), reader.len(&other)), (1, 0));
    };
    assert_eq!(removed_by(moves), ONCE_TAKEN);
}

#[test]
fn what_is_replaced_is_not_removed() {
    let everything = || (Health(5), Burning(5), Flying);
    assert_eq!(removed_by(|world, entity| _ = world.entity_mut(entity).insert(everything())), NEVER);
    assert_eq!(removed_by(|world, entity| _ = world.entity_mut(entity).replace::<All, _>(everything())), NEVER);
    assert_eq!(removed_by(|world, entity| drop(world.entity_mut(entity).exchange::<All, _>(everything()))), NEVER);
    let one_operation = |world: &mut World, entity: Entity| {
        commands(world, |commands| _ = commands.entity(entity).remove::<All>().insert(everything()));
    };
    assert_eq!(removed_by(one_operation), NEVER);
    let two_operations = |world: &mut World, entity: Entity| {
        world.entity_mut(entity).remove::<All>().insert(everything());
    };
    assert_eq!(removed_by(two_operations), ONCE);
}

#[test]
fn what_commands_insert_and_remove_again_an_entity_never_had() {
    let mut world = World::new();
    let entity = world.spawn(Mana(1)).id();
    let (health, flying) = (world.removed_reader::<Health>(), world.removed_reader::<Flying>());
    commands(&mut world, |commands| {
        commands.entity(entity).insert((Health(1), Flying)).remove::<(Health, Flying)>();
        commands.spawn((Health(2), Flying)).remove::<Health>().despawn();
        commands.entity(entity).insert(Health(3)).despawn();
    });
    assert_eq!((health.len(&world), flying.len(&world)), (0, 0));
    assert!(world.is_empty());
}

#[test]
fn the_value_is_that_from_before_the_operation() {
    let inserts_first = |world: &mut World, entity| {
        let everything = (Health(8), Burning(8), Flying);
        commands(world, |commands| _ = commands.entity(entity).insert(everything).remove::<All>());
    };
    assert_eq!(removed_by(inserts_first), ONCE);
}

#[test]
fn clearing_and_despawning_all_go_through_the_tables() {
    for clear in [false, true] {
        let mut world = World::new();
        let later: Vec<Entity> = world.spawn_batch((0..3).map(|n| (Health(n), Flying))).collect();
        let earlier: Vec<Entity> = world.spawn_batch((0..20).map(|n| (Mana(n), Health(n)))).collect();
        let mut reader = world.removed_value_reader::<Health>();
        let mut flying = world.removed_reader::<Flying>();
        if clear {
            world.clear_entities()
        } else {
            _ = world.all::<()>().despawn()
        }
        world.check_invariants();
        let expected = later.iter().chain(&earlier).copied().zip((0..3).chain(0..20));
        assert!(reader.read(&world).map(|(entity, health)| (entity, health.0)).eq(expected));
        assert_eq!(flying.read(&world).collect::<Vec<_>>(), later);
    }
}

#[test]
fn selected_entities_come_in_the_order_of_their_rows() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..40).map(|n| (Health(n), Mana(n)))).collect();
    let mut reader = world.removed_value_reader::<Health>();
    let chosen: Vec<Entity> = [30, 2, 39, 7, 20].map(|n| ids[n]).to_vec();
    world.many(&chosen).remove::<Health>();
    let read: Vec<u32> = reader.read(&world).map(|(_, health)| health.0).collect();
    assert_eq!(read, [2, 7, 20, 30, 39]);
    world.many(&[ids[9], ids[4]]).despawn();
    let read: Vec<u32> = reader.read(&world).map(|(_, health)| health.0).collect();
    assert_eq!(read, [4, 9]);
}

#[test]
fn commands_that_are_carried_out_together_keep_their_order() {
    for despawn in [false, true] {
        let mut world = World::new();
        let mut ids: Vec<Entity> = world.spawn_batch((0..40).map(|n| (Health(n), Mana(n)))).collect();
        let mut reader = world.removed_value_reader::<Health>();
        ids.retain(|id| id.index() % 3 != 0);
        ids.reverse();
        commands(&mut world, |commands| {
            for &id in &ids {
                if despawn { commands.entity(id).despawn() } else { _ = commands.entity(id).remove::<Health>() }
            }
        });
        assert!(reader.read(&world).map(|(id, health)| (id, health.0)).eq(ids.iter().map(|id| (*id, id.index()))));
    }
}

#[test]
fn tables_that_come_later_are_watched_too() {
    let mut world = World::new();
    let mut reader = world.removed_reader::<Health>();
    let entity = world.spawn((Health(1), Mana(1))).id();
    world.despawn(entity);
    world.shrink_to_fit();
    let other = world.spawn((Health(1), Mana(1))).id();
    world.despawn(other);
    assert_eq!(reader.read(&world).collect::<Vec<_>>(), [entity, other]);
}

#[test]
fn an_entity_that_loses_a_component_twice_comes_twice() {
    let mut world = World::new();
    let entity = world.spawn((Health(1), Flying)).id();
    let (mut health, mut flying) = (world.removed_reader::<Health>(), world.removed_reader::<Flying>());
    for _ in 0..2 {
        world.entity_mut(entity).remove::<(Health, Flying)>().insert((Health(2), Flying));
    }
    assert_eq!(health.read(&world).collect::<Vec<_>>(), [entity; 2]);
    assert_eq!(flying.read(&world).collect::<Vec<_>>(), [entity; 2]);
}

#[test]
fn seventeen_sparse_components_share_the_bits_of_a_summary() {
    macro_rules! tags {
        ($($T:ident)*) => {
            $(#[derive(Component)]
            #[component(storage = "sparse")]
            struct $T;)*

            fn spawn(world: &mut World) -> Entity {
                $(world.register_component::<$T>();)*
                world.spawn_empty().id()
            }
        };
    }
    tags!(T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15 T16 T17 T18);
    let mut world = World::new();
    let [a, b] = [(); 2].map(|()| spawn(&mut world));
    let mut reader = world.removed_reader::<T17>();
    let other = world.removed_reader::<T2>();
    world.entity_mut(a).insert((T1, T17));
    world.entity_mut(b).insert(T1);
    world.entity_mut(a).remove::<T1>();
    world.despawn(a);
    world.despawn(b);
    assert_eq!(reader.read(&world).collect::<Vec<_>>(), [a]);
    assert!(other.is_empty(&world));
}
