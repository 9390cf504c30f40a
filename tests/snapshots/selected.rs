//! Files with those entities of a world that match a filter.

use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{NotSaved, SaveError, WorldFormat, components, relations, resources};

#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "number")]
struct Number(u32);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "target", storage = "sparse")]
struct Target(Entity);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Sees(u8);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "selected score")]
struct Score(u32);
/// Neither `Clone` nor in the format.
#[derive(Component)]
struct Saved;
/// Likewise.
#[derive(Component)]
struct Sprite;

fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Number, Target, ChildOf, Children])
        .with_relations(relations![Sees])
        .with_resources(resources![Score])
}

fn selecting() -> WorldFormat {
    format().with_known_only().with_only_entities::<With<Saved>>()
}

/// Saves the selected entities and loads them.
fn loaded(world: &mut World) -> World {
    let bytes = selecting().save(world).unwrap();
    world.check_invariants();
    let mut loaded = World::new();
    selecting().load(&mut loaded, &bytes).unwrap();
    loaded.check_invariants();
    loaded
}

#[test]
fn entities_that_match_keep_ids_values_and_resources() {
    let mut world = World::new();
    world.insert_resource(Score(3));
    let ids: Vec<Entity> = world.spawn_batch((0..10).map(Number)).collect();
    for &id in ids.iter().step_by(3) {
        world.entity_mut(id).insert(Saved);
    }
    world.entity_mut(ids[1]).insert(Sprite);
    world.entity_mut(ids[3]).insert((Target(ids[6]), ChildOf(ids[9])));
    world.relate(ids[0], Sees(4), ids[3]);
    let loaded = loaded(&mut world);
    assert_eq!(loaded.len(), 4);
    for (at, &id) in ids.iter().enumerate() {
        assert_eq!(loaded.get(id), (at % 3 == 0).then_some(&Number(at as u32)));
    }
    assert_eq!(loaded.get(ids[3]), Some(&Target(ids[6])));
    assert_eq!(loaded.get::<Children>(ids[9]).unwrap().to_vec(), [ids[3]]);
    assert_eq!(*loaded.get_pair::<Sees>(ids[0], ids[3]).unwrap(), Sees(4));
    assert_eq!(loaded.resource::<Score>(), &Score(3));
    assert_eq!(world.len(), 10);
}

#[test]
fn what_names_an_entity_that_is_left_out_names_a_dead_one() {
    let mut world = World::new();
    let [other, free] = [1, 2].map(|number| world.spawn(Number(number)).id());
    let kept = world.spawn((Target(other), Saved)).id();
    world.relate(kept, Sees(1), other);
    world.despawn(free);
    let mut loaded = loaded(&mut world);
    assert_eq!(loaded.get(kept), Some(&Target(other)));
    assert!(loaded.get_pair::<Sees>(kept, other).is_none());
    let later: Vec<Entity> = loaded.spawn_batch((0..100).map(Number)).collect();
    assert!(!loaded.contains(other) && !later.contains(&other));
    assert!(later.iter().any(|id| id.index() == other.index()));
}

#[test]
fn a_child_stays_without_its_parent_and_a_parent_without_its_child() {
    let mut world = World::new();
    let [parent, child, other] = [1, 2, 3].map(|number| world.spawn(Number(number)).id());
    world.entity_mut(parent).add_children(&[other, child]);
    let grandchild = world.spawn((Saved, ChildOf(other))).id();
    world.entity_mut(child).insert(Saved);
    let part = loaded(&mut world);
    assert!(part.contains(child) && part.get::<ChildOf>(child).is_none());
    assert!(part.contains(grandchild) && part.get::<ChildOf>(grandchild).is_none());
    world.entity_mut(child).remove::<Saved>();
    world.entity_mut(parent).insert(Saved);
    world.entity_mut(other).insert(Saved);
    let part = loaded(&mut world);
    assert_eq!(part.get::<Children>(parent).unwrap().to_vec(), [other]);
    assert_eq!(part.get::<Children>(other).unwrap().to_vec(), [grandchild]);
}

#[test]
fn no_hook_is_called() {
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "hooked", on_remove = |_, _| panic!("removed"), on_discard = |_, _| panic!("discarded"))]
    struct Hooked(Option<Entity>);

    let format = selecting().with_components(components![Hooked]);
    let mut world = World::new();
    let left_out = world.spawn(Hooked(None)).id();
    world.spawn((Hooked(Some(left_out)), Saved));
    world.spawn((Number(1), Hooked(None), ChildOf(left_out), Saved));
    let bytes = format.save(&mut world).unwrap();
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    assert_eq!(loaded.query::<&Hooked>().iter(&loaded).count(), 2);
}

#[test]
fn what_the_format_does_not_know_is_named_of_all_entities() {
    let mut world = World::new();
    world.spawn(Sprite);
    let format = format().with_only_entities::<With<Number>>();
    let Err(SaveError::NotSaved(all)) = format.save(&mut world) else { unreachable!() };
    assert!(matches!(&all[..], [NotSaved::Component(name)] if name.ends_with("Sprite")));
}

#[test]
fn none_and_all() {
    let mut world = World::new();
    world.spawn_batch((0..5).map(Number));
    assert_eq!(loaded(&mut world).len(), 0);
    let all = format().with_only_entities::<()>();
    assert_eq!(all.save(&mut world).unwrap(), format().save(&mut world).unwrap());
    all.verify(&mut world).unwrap();
    selecting().verify(&mut world).unwrap();
}

#[test]
fn a_text_has_the_selected_entities_alone() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..4).map(Number)).collect();
    world.entity_mut(ids[2]).insert((Saved, Target(ids[1])));
    let mut text = Vec::new();
    selecting().serialize(&mut world, &mut serde_json::Serializer::new(&mut text)).unwrap();
    let mut loaded = World::new();
    selecting().deserialize(&mut loaded, &mut serde_json::Deserializer::from_slice(&text)).unwrap();
    assert_eq!(loaded.len(), 1);
    assert_eq!(loaded.get::<Number>(ids[2]), Some(&Number(2)));
    assert!(!loaded.contains(loaded.get::<Target>(ids[2]).unwrap().0));
    assert_eq!(world.len(), 4);
}
