//! Clones, and entities that move to other worlds.

use strata_ecs::store::CloneError;
use strata_tests::drops;
use strata_tests::panics::expect_panic;

use super::*;

#[test]
fn an_entity_is_cloned_with_components_made_at_run_time() {
    let mut world = World::new();
    let [table, sparse, table_tag, sparse_tag] = all_storages(&mut world);
    let mut entity = world.spawn(Health(3));
    entity.insert_by_id(table, String::from("a")).unwrap().insert_by_id(sparse, String::from("b")).unwrap();
    entity.insert_by_id(table_tag, ()).unwrap().insert_by_id(sparse_tag, ()).unwrap();
    let entity = entity.id();
    let copy = world.clone_entity(entity).unwrap();
    assert_eq!(world.entity(copy).components().count(), 5);
    assert_eq!(
        (text_of(&world, copy, table).unwrap().as_str(), text_of(&world, copy, sparse).unwrap().as_str()),
        ("a", "b")
    );
    world.get_mut_by_id(copy, table).unwrap().downcast_mut::<String>().unwrap().push('c');
    assert_eq!(text_of(&world, entity, table).unwrap(), "a");

    let unique = register(&mut world, held("worlds:unique"));
    world.entity_mut(entity).insert_by_id(unique, Held(Token::new())).unwrap();
    let error = world.clone_entity(entity).unwrap_err();
    assert_eq!(error, CloneError::NotClone { entity, components: vec!["worlds:unique"] });
    world.check_invariants();
}

#[test]
fn entities_move_to_worlds_that_know_their_components_and_to_others() {
    drops::reset();
    let builders = || {
        STORAGES.map(|storage| {
            let name = if storage == StorageType::Table { "worlds:table" } else { "worlds:sparse" };
            held(name).storage(storage)
        })
    };
    let mut knowing = World::new();
    knowing.register_component::<Tag>();
    let known = builders().map(|builder| register(&mut knowing, builder));
    for mut to in [World::new(), knowing] {
        let mut world = World::new();
        let ids = builders().map(|builder| register(&mut world, builder));
        let entity = world.spawn(Health(3)).id();
        ids.iter().for_each(|id| _ = world.entity_mut(entity).insert_by_id(*id, Held(Token::new())).unwrap());
        let map = world.all::<()>().move_to(&mut to);
        let moved = map.get(entity).unwrap();
        for name in ["worlds:table", "worlds:sparse"] {
            let id = to.components().get_id_by_name(name).unwrap();
            assert!(to.get_by_id(moved, id).unwrap().downcast_ref::<Held>().is_some());
            if to.component_id::<Tag>().is_some() {
                assert!(known.contains(&id));
            }
        }
        assert_eq!((to.get(moved), drops::alive()), (Some(&Health(3)), 2));
        world.check_invariants();
        to.check_invariants();
        drop(to);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_world_with_another_definition_refuses_entities_and_nothing_moves() {
    let (mut world, mut other) = (World::new(), World::new());
    let id = register(&mut world, text("worlds:other"));
    let entity = world.spawn_empty().insert_by_id(id, String::from("a")).unwrap().id();
    world.spawn(Health(1));
    register(&mut other, unit("worlds:other"));
    let message = expect_panic(|| world.all::<()>().move_to(&mut other));
    assert!(message.contains("`worlds:other`"), "{message}");
    assert_eq!((world.len(), other.len()), (2, 0));
    assert_eq!(text_of(&world, entity, id).unwrap(), "a");
    world.check_invariants();
    other.check_invariants();
}

#[test]
fn numbers_survive_shrinking() {
    let mut world = World::new();
    let [table, sparse, ..] = all_storages(&mut world);
    let entity = world.spawn_empty().insert_by_id(table, String::from("a")).unwrap().id();
    world.entity_mut(entity).insert_by_id(sparse, String::from("b")).unwrap();
    world.spawn(Health(1)).insert_by_id(table, String::new()).unwrap().despawn_now();
    world.shrink_to_fit();
    world.entity_mut(entity).insert_by_id(sparse, String::from("c")).unwrap().remove_by_id(table).unwrap();
    assert_eq!((text_of(&world, entity, table), text_of(&world, entity, sparse).unwrap().as_str()), (None, "c"));
    world.check_invariants();
}

trait DespawnNow {
    fn despawn_now(&mut self);
}

impl DespawnNow for EntityWorldMut<'_> {
    fn despawn_now(&mut self) {
        let entity = self.id();
        self.world_scope(|world| world.despawn(entity));
    }
}
