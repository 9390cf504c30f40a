//! Spawning, changing and despawning through the world.

use std::collections::HashSet;

use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Position {
    x: f32,
    y: f32,
}
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Health(u32);
#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component, Debug, PartialEq)]
struct Frozen;
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Stunned;

fn at(x: f32) -> Position {
    Position { x, y: -x }
}

#[test]
fn a_spawned_entity_has_what_it_was_given_and_nothing_else() {
    let mut world = World::new();
    let entity = world.spawn((at(1.0), Health(10))).id();
    assert_eq!(world.get::<Position>(entity), Some(&at(1.0)));
    assert_eq!(world.get::<Health>(entity), Some(&Health(10)));
    assert!(world.get::<Frozen>(entity).is_none());
    assert!(world.get::<Stunned>(entity).is_none());
}

#[test]
fn spawn_returns_a_handle_that_goes_on() {
    let mut world = World::new();
    let entity = world.spawn(at(1.0)).insert(Health(1)).insert((Frozen, Stunned)).remove::<Frozen>().id();
    let entity_ref = world.entity(entity);
    assert!(entity_ref.contains::<Position>());
    assert!(entity_ref.contains::<Health>());
    assert!(entity_ref.contains::<Stunned>());
    assert!(!entity_ref.contains::<Frozen>());
}

#[test]
fn the_handle_reads_and_writes() {
    let mut world = World::new();
    let mut entity = world.spawn((at(1.0), Health(1)));
    assert_eq!(entity.get::<Health>(), Some(&Health(1)));
    entity.get_mut::<Health>().expect("present").0 += 5;
    assert_eq!(entity.get::<Health>(), Some(&Health(6)));
    assert!(entity.get_mut::<Frozen>().is_none());
    assert!(entity.contains::<Position>());
    assert_eq!(entity.world().len(), 1);
    let id = entity.id();
    entity.despawn();
    assert!(!world.contains(id));
    assert!(world.is_empty());
}

#[test]
fn an_entity_reference_reads_without_a_unique_borrow() {
    let mut world = World::new();
    let first = world.spawn(Health(1)).id();
    let second = world.spawn(Health(2)).id();
    let (one, two) = (world.entity(first), world.entity(second));
    assert_eq!(one.id(), first);
    assert_eq!((one.get::<Health>(), two.get::<Health>()), (Some(&Health(1)), Some(&Health(2))));
    assert!(!one.contains::<Name>());
}

#[test]
fn get_mut_writes_in_place() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    {
        let mut health = world.get_mut::<Health>(entity).expect("present");
        health.0 = 7;
        *health = Health(health.0 + 1);
    }
    assert_eq!(world.get::<Health>(entity), Some(&Health(8)));
}

#[test]
fn mut_gives_its_reference_on_request() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    let mut health = world.get_mut::<Health>(entity).expect("present");
    health.reborrow().0 = 2;
    health.bypass_change_detection().0 += 1;
    assert!(!health.set_if_neq(Health(3)));
    assert!(health.set_if_neq(Health(4)));
    let plain: &mut Health = health.into_inner();
    plain.0 += 1;
    assert_eq!(world.get::<Health>(entity), Some(&Health(5)));
}

#[test]
fn try_spawn_spawns_when_memory_suffices() {
    let mut world = World::new();
    let entity = world.try_spawn((at(2.0), Stunned)).expect("there is memory").id();
    assert!(world.entity(entity).contains::<Stunned>());
    world.check_invariants();
}

#[test]
fn a_batch_spawns_each_item_once_and_in_order() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..1000).map(|value| (Health(value), at(value as f32)))).collect();
    assert_eq!(entities.len(), 1000);
    assert_eq!(entities.iter().collect::<HashSet<_>>().len(), 1000);
    for (value, entity) in (0..).zip(&entities) {
        assert_eq!(world.get::<Health>(*entity), Some(&Health(value)));
    }
    assert_eq!(world.len(), 1000);
    world.check_invariants();
}

#[test]
fn a_batch_is_spawned_even_if_its_ids_are_not_asked_for() {
    let mut world = World::new();
    world.spawn_batch((0..10).map(Health));
    world.spawn_batch((10..20).map(Health));
    world.spawn_batch((20..30).map(Health)).next();
    assert_eq!(world.query::<&Health>().iter(&world).count(), 30);
    world.check_invariants();
}

#[test]
fn an_empty_batch_spawns_nothing() {
    let mut world = World::new();
    assert_eq!(world.spawn_batch(std::iter::empty::<Health>()).count(), 0);
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn a_batch_of_sparse_and_owning_components_is_spawned() {
    let mut world = World::new();
    let names = ["ann", "bob", "cay"].map(|name| (Name(String::from(name)), Stunned));
    let entities: Vec<Entity> = world.spawn_batch(names).collect();
    assert_eq!(world.get::<Name>(entities[1]), Some(&Name(String::from("bob"))));
    assert!(entities.iter().all(|entity| world.entity(*entity).contains::<Stunned>()));
    world.check_invariants();
}

#[test]
fn a_batch_goes_on_in_a_table_that_has_rows_and_in_free_indexes() {
    let mut world = World::new();
    let first: Vec<Entity> = world.spawn_batch((0..10).map(Health)).collect();
    for entity in first.iter().step_by(2) {
        world.despawn(*entity);
    }
    let second: Vec<Entity> = world.spawn_batch((10..30).map(Health)).collect();
    for (value, entity) in (10..).zip(&second) {
        assert_eq!(world.get::<Health>(*entity), Some(&Health(value)));
    }
    for (value, entity) in (0..).zip(&first) {
        assert_eq!(world.get::<Health>(*entity).copied(), (value % 2 == 1).then_some(Health(value)));
    }
    assert_eq!(world.len(), 25);
    world.check_invariants();
}

#[test]
fn inserting_what_is_there_overwrites_it() {
    let mut world = World::new();
    let entity = world.spawn((Health(1), Name(String::from("old")))).id();
    world.entity_mut(entity).insert(Name(String::from("new")));
    assert_eq!(world.get::<Name>(entity), Some(&Name(String::from("new"))));
    assert_eq!(world.get::<Health>(entity), Some(&Health(1)));
    world.check_invariants();
}

#[test]
fn removing_what_is_not_there_does_nothing() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    world.entity_mut(entity).remove::<Name>().remove::<Stunned>().remove::<(Frozen, Stunned)>();
    assert_eq!(world.entity_mut(entity).take::<Name>(), None);
    assert_eq!(world.get::<Health>(entity), Some(&Health(1)));
    world.check_invariants();
}

#[test]
fn a_removal_keeps_the_other_values_and_the_other_entities() {
    let mut world = World::new();
    let entities: Vec<Entity> = (0..5).map(|value| world.spawn((Health(value), at(value as f32))).id()).collect();
    world.entity_mut(entities[1]).remove::<Position>();
    world.entity_mut(entities[4]).remove::<Health>();
    for (value, entity) in (0..).zip(&entities) {
        assert_eq!(world.get::<Health>(*entity).is_some(), value != 4);
        assert_eq!(world.get::<Position>(*entity).is_some(), value != 1);
        if let Some(health) = world.get::<Health>(*entity) {
            assert_eq!(health.0, value);
        }
        if let Some(position) = world.get::<Position>(*entity) {
            assert_eq!(position.x, value as f32);
        }
    }
    world.check_invariants();
}

#[test]
fn an_entity_that_lost_everything_still_lives() {
    let mut world = World::new();
    let entity = world.spawn((Health(1), Stunned)).id();
    world.entity_mut(entity).remove::<(Health, Stunned)>();
    assert!(world.contains(entity));
    world.entity_mut(entity).insert(Health(2));
    assert_eq!(world.get::<Health>(entity), Some(&Health(2)));
    world.check_invariants();
}

#[test]
fn adding_and_removing_again_and_again_changes_nothing() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..50).map(Health)).collect();
    for _ in 0..20 {
        for entity in &entities {
            world.entity_mut(*entity).insert(Frozen);
        }
        for entity in entities.iter().rev() {
            world.entity_mut(*entity).remove::<Frozen>();
        }
    }
    for (value, entity) in (0..).zip(&entities) {
        assert_eq!(world.get::<Health>(*entity), Some(&Health(value)));
    }
    world.check_invariants();
}

#[test]
fn spawn_at_makes_an_entity_with_an_id_of_another_world() {
    let mut other = World::new();
    other.spawn_batch((0..10).map(Health)).count();
    let id = other.spawn((Health(4), Stunned)).id();
    let mut world = World::new();
    let local = world.spawn(Health(1)).id();
    assert_eq!(world.spawn_at(id, (Health(4), Stunned)).expect("the index is free here").id(), id);
    assert_eq!(world.get::<Health>(id), Some(&Health(4)));
    assert_eq!(world.get::<Health>(local), Some(&Health(1)));
    assert_eq!(world.len(), 2);
    let mut ids: Vec<Entity> = world.spawn_batch((0..20).map(Health)).collect();
    ids.extend([local, id]);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 22);
    world.check_invariants();
}

#[test]
fn get_entity_returns_errors_and_never_panics() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    assert!(world.get_entity(entity).is_ok());
    world.get_entity_mut(entity).expect("alive").insert(Frozen);
    world.despawn(entity);
    assert!(world.get_entity(entity).is_err());
    assert!(world.get_entity_mut(entity).is_err());
}

#[test]
fn try_despawn_says_which_entity_is_gone() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    assert!(world.try_despawn(entity).is_ok());
    let error = world.try_despawn(entity).expect_err("it is gone");
    assert!(error.to_string().contains(&format!("{entity}")), "{error}");
}

#[test]
fn iter_entities_reads_components() {
    let mut world = World::new();
    world.spawn_batch((0..5).map(Health));
    world.spawn(Frozen);
    let sum: u32 = world.iter_entities().filter_map(|entity| entity.get::<Health>().map(|health| health.0)).sum();
    assert_eq!(sum, 10);
}

#[test]
fn a_query_asks_the_world_for_one_type() {
    let mut world = World::new();
    world.spawn_batch((0..5).map(Health));
    let mut all = world.query::<&mut Health>();
    for mut health in all.iter_mut(&mut world) {
        health.0 *= 2;
    }
    let mut values: Vec<u32> = all.iter(&world).map(|health| health.0).collect();
    values.sort_unstable();
    assert_eq!(values, [0, 2, 4, 6, 8]);
}

#[test]
fn try_query_works_on_a_shared_world_once_its_types_are_known() {
    fn count(world: &World) -> Option<usize> {
        world.try_query::<&Health>().map(|mut query| query.iter(world).count())
    }
    let mut world = World::new();
    assert_eq!(count(&world), None);
    world.spawn_batch((0..3).map(Health));
    assert_eq!(count(&world), Some(3));
}

#[test]
fn the_world_can_be_sent_to_and_shared_between_threads() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(Health)).collect();
    let mut world = std::thread::spawn(move || {
        world.spawn(Health(100));
        world
    })
    .join()
    .expect("no panic");
    let sums: Vec<u32> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                let (world, entities) = (&world, &entities);
                scope.spawn(move || {
                    entities.iter().map(|entity| world.get::<Health>(*entity).map_or(0, |health| health.0)).sum()
                })
            })
            .collect();
        readers.into_iter().map(|reader| reader.join().expect("no panic")).collect()
    });
    assert_eq!(sums, [4950; 4]);
    assert_eq!(world.query::<&Health>().iter(&world).count(), 101);
}

#[test]
fn the_panic_for_a_despawned_entity_comes_before_any_change() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    world.despawn(entity);
    let text = expect_panic(|| world.entity_mut(entity).insert(Frozen).id());
    assert!(text.contains(&format!("{entity}")), "{text}");
    assert_eq!(world.len(), 0);
    world.check_invariants();
}

#[test]
fn worlds_are_made_by_default_and_printed() {
    let mut world = World::default();
    world.spawn(Health(1));
    assert!(!format!("{world:?}").is_empty());
}

/// A world of which the values can be changed, and nothing else; and what can be asked by name.
mod deferred {
    use strata_ecs::component::ComponentIdFor;
    use strata_ecs::entity::EntityHashSet;
    use strata_ecs::name::{Name, NameOrEntity};
    use strata_ecs::prelude::*;
    use strata_ecs::world::DeferredWorld;

    #[derive(Component, Debug, PartialEq)]
    struct Health(u32);
    #[derive(Resource, Debug, PartialEq)]
    struct Score(u32);

    #[test]
    fn values_change_and_structure_waits() {
        let mut world = World::new();
        world.insert_resource(Score(0));
        let ids = [1, 2].map(|n| world.spawn(Health(n)).id());
        let mut state = world.query::<&mut Health>();
        let mut deferred = DeferredWorld::from(&mut world);
        deferred.resource_mut::<Score>().0 += 5;
        deferred.get_mut::<Health>(ids[0]).unwrap().0 += 1;
        deferred.entity_mut(ids[1]).get_mut::<Health>().unwrap().0 += 1;
        for (_, mut entity) in deferred.entity_mut(&EntityHashSet::from(ids)) {
            entity.get_mut::<Health>().unwrap().0 *= 10;
        }
        deferred.query(&mut state).iter_mut().for_each(|mut health| health.0 += 1);
        assert!(deferred.get_entity_mut([ids[0], ids[0]]).is_err());
        let late = deferred.reborrow().commands().spawn(Health(0)).id();
        assert!(!deferred.contains(late) && deferred.len() == 2, "what a world can be asked it can be asked");
        world.flush();
        let healths: Vec<u32> = world.query::<&Health>().iter(&world).map(|health| health.0).collect();
        assert_eq!((healths, world.resource::<Score>()), (vec![21, 31, 0], &Score(5)));
    }

    #[test]
    fn the_number_of_a_component_is_a_parameter() {
        fn number(health: ComponentIdFor<'_, Health>) -> strata_ecs::component::ComponentId {
            health.get()
        }
        let mut worlds = [World::new(), World::new()];
        worlds[1].spawn(Score2);
        for world in &mut worlds {
            let id = world.run_system_once(number).unwrap();
            assert_eq!(Some(id), world.components().component_id::<Health>());
        }
    }

    #[derive(Component)]
    struct Score2;

    #[test]
    fn an_entity_prints_as_its_name_or_its_id() {
        let mut world = World::new();
        let [named, other] = [world.spawn(Name::new("a")).id(), world.spawn_empty().id()];
        world.get_mut::<Name>(named).unwrap().mutate(|name| name.push('b'));
        let mut query = world.query::<NameOrEntity>();
        let all: Vec<String> = query.iter(&world).map(|item| item.to_string()).collect();
        assert!(all.contains(&"ab".to_owned()) && all.contains(&other.to_string()), "{all:?}");
        assert_eq!(world.get::<Name>(named), Some(&Name::from("ab")));
    }
}
