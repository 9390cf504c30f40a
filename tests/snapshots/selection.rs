//! Data that are left out of files or skipped in files: the result is as if they had been removed before.

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{LoadError, NotSaved, Problem, SaveError, WorldFormat, components, relations, resources};

use super::saves::signed;

#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "health")]
struct Health(u32);
#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain, name = "place")]
#[repr(C)]
struct Place([f32; 2]);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "title")]
struct Title(String);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(storage = "sparse", name = "rare")]
struct Rare(u8);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(storage = "sparse", name = "tag")]
struct Tag;
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Hunting(u8);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "score")]
struct Score(u32);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "level")]
struct Level(u32);

/// All but `Title`, `Rare`, links and pairs.
fn part() -> WorldFormat {
    WorldFormat::new().with_components(components![Health, Place, Tag]).with_resources(resources![Score])
}

fn all() -> WorldFormat {
    part()
        .with_components(components![Title, Rare, ChildOf, Children])
        .with_relations(relations![Hunting])
        .with_resources(resources![Level])
}

/// Bits say which components an entity has; some end again.
fn world(entities: &[(u8, bool)]) -> (World, QueryState<Entity, Changed<Health>>) {
    let mut world = World::new();
    let tracked = world.query_filtered::<Entity, Changed<Health>>();
    let mut ids: Vec<Entity> = Vec::new();
    for (at, &(bits, ends)) in entities.iter().enumerate() {
        let mut entity = world.spawn_empty();
        let has = |bit: u8| bits >> bit & 1 == 1;
        let value = at as u32;
        if has(0) {
            entity.insert(Health(value));
        }
        if has(1) {
            entity.insert(Place([value as f32, 0.5]));
        }
        if has(2) {
            entity.insert(Title(value.to_string()));
        }
        if has(3) {
            entity.insert(Rare(at as u8));
        }
        if has(4) {
            entity.insert(Tag);
        }
        let id = entity.id();
        if let Some(&other) = ids.last() {
            if has(5) {
                world.entity_mut(id).insert(ChildOf(other));
            }
            if has(6) {
                world.relate(id, Hunting(at as u8), other);
            }
        }
        if ends {
            world.despawn(id);
        } else {
            ids.push(id);
        }
        world.increment_change_tick();
    }
    world.insert_resource(Score(7));
    world.insert_resource(Level(3));
    (world, tracked)
}

/// Returns the contents of the world, by table and row. Tables without entities do not count.
fn look(world: &mut World) -> Vec<String> {
    world.check_invariants();
    let rows = world.tables().iter().filter(|table| !table.is_empty()).flat_map(|table| {
        let row = |id: &Entity| {
            let entity = world.entity(*id);
            let ticks = (entity.get_change_ticks::<Health>(), entity.get_change_ticks::<Place>().map(|_| ()));
            let pairs = world.get_pair::<Hunting>(*id, *id).is_some();
            format!(
                "{id} {:?} {ticks:?} {:?} {:?} {:?} {:?} {:?} {:?} {pairs}",
                entity.get::<Health>(),
                entity.get::<Place>(),
                entity.get::<Title>(),
                entity.get::<Rare>(),
                entity.get::<Tag>(),
                entity.get::<ChildOf>(),
                entity.get::<Children>(),
            )
        };
        table.entities().iter().map(row).collect::<Vec<_>>()
    });
    let mut all: Vec<String> = rows.collect();
    all.push(format!("{:?}", world.query_filtered::<Entity, With<Tag>>().iter(world).collect::<Vec<_>>()));
    all.push(format!("{:?} {:?}", world.get_resource::<Score>(), world.change_tick()));
    all.push(format!("{:?}", world.spawn_batch([Health(1), Health(2), Health(3)]).collect::<Vec<_>>()));
    all
}

/// Removes from all entities what is not in the part, table by table.
fn removed(world: &mut World) {
    let tables: Vec<Vec<Entity>> = world.tables().iter().map(|table| table.entities().to_vec()).collect();
    let tick = world.change_tick();
    for ids in tables {
        world.many(&ids).remove::<(Title, Rare, ChildOf, Children)>();
    }
    assert_eq!(world.change_tick(), tick);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(64), ..ProptestConfig::default() })]

    #[test]
    fn what_is_left_out_is_as_if_it_had_been_removed(entities in vec((any::<u8>(), proptest::bool::weighted(0.2)), 0..40)) {
        let (mut expected, _tracked) = world(&entities);
        removed(&mut expected);
        let expected = look(&mut expected);

        // When the world is saved: by name, and because nothing else is known.
        let (mut saved, _tracked) = world(&entities);
        let by_name = part()
            .without_component::<Title>()
            .without_component::<Rare>()
            .without_component::<ChildOf>()
            .without_component::<Children>()
            .without_relation::<Hunting>()
            .without_resource::<Level>();
        let bytes = by_name.save(&mut saved).unwrap();
        prop_assert_eq!(&part().with_known_only().save(&mut saved).unwrap(), &bytes);
        let mut loaded = World::new();
        part().load(&mut loaded, &bytes).unwrap();
        prop_assert_eq!(&look(&mut loaded), &expected);

        // When a program loads it that does not know them.
        let bytes = all().save(&mut saved).unwrap();
        let refused = part().load(&mut loaded, &bytes).unwrap_err();
        let is_unknown = matches!(refused, LoadError::Bytes { problem: Problem::UnknownName, .. });
        prop_assert!(is_unknown, "{}", refused);
        part().skipping_unknown().load(&mut loaded, &bytes).unwrap();
        prop_assert_eq!(&look(&mut loaded), &expected);

        // Nothing is left out of what is known.
        let mut again = World::new();
        all().skipping_unknown().load(&mut again, &bytes).unwrap();
        prop_assert_eq!(&all().with_known_only().save(&mut again).unwrap(), &bytes);
    }
}

#[test]
fn tables_that_become_one_keep_their_values_and_ticks() {
    let mut world = World::new();
    let _tracked = world.query_filtered::<Entity, Changed<Health>>();
    let with_title = world.spawn((Health(1), Place([1.0, 2.0]), Title("a".into()))).id();
    world.increment_change_tick();
    let without = world.spawn((Health(2), Place([3.0, 4.0]))).id();
    let format = part().without_component::<Title>();
    let bytes = format.save(&mut world).unwrap();
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    loaded.check_invariants();
    for id in [with_title, without] {
        let (own, other) = (world.entity(id), loaded.entity(id));
        assert_eq!(own.get::<Place>(), other.get::<Place>());
        assert_eq!(own.get::<Health>(), other.get::<Health>());
        assert_eq!(own.get_change_ticks::<Health>(), other.get_change_ticks::<Health>());
    }
    // The rows of the table that lost a component are after the rows of the table that lost none.
    let rows: Vec<Entity> = loaded.query_filtered::<Entity, With<Place>>().iter(&loaded).collect();
    assert_eq!(rows, [without, with_title]);
}

#[test]
fn what_is_left_out_needs_neither_clone_nor_serde() {
    #[derive(Component)]
    struct Socket;
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Handle(u64);
    #[derive(Resource)]
    struct Window;

    let mut world = World::new();
    let id = world.spawn((Health(3), Socket, Handle(1))).id();
    assert_eq!(world.get::<Handle>(id).map(|handle| handle.0), Some(1));
    world.insert_resource(Window);
    let error = part().without_resource::<Window>().save(&mut world).unwrap_err();
    let SaveError::NotSaved(what) = error else { panic!("{error}") };
    assert!(matches!(what[..], [NotSaved::Component(_), NotSaved::Component(_)]), "{what:?}");
    let bytes = part().with_known_only().save(&mut world).unwrap();
    world.get_mut::<Health>(id).unwrap().0 = 4;
    part().with_known_only().load(&mut world, &bytes).unwrap();
    // Resources that are not known stay.
    assert!(world.contains_resource::<Window>());
    assert_eq!((world.get(id), world.get::<Socket>(id).is_some()), (Some(&Health(3)), false));
    // Without that they go, since the saved world had none.
    assert!(part().load(&mut world, &bytes).is_ok());
    assert!(!world.contains_resource::<Window>());
}

#[test]
fn what_could_not_be_loaded_is_not_saved() {
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(clone = "never")]
    struct Once(u8);
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(clone = "never", storage = "sparse")]
    struct Seldom(u8);

    let format = part().with_components(components![Once, Seldom]);
    let mut world = World::new();
    let id = world.spawn((Health(3), Once(1), Seldom(2))).id();
    let error = format.save(&mut world).unwrap_err();
    let SaveError::NotSaved(what) = error else { panic!("{error}") };
    assert!(matches!(what[..], [NotSaved::NotClone(_), NotSaved::NotClone(_)]), "{what:?}");
    // Tables and storages without values are no obstacle.
    world.entity_mut(id).remove::<(Once, Seldom)>();
    let bytes = format.save(&mut world).unwrap();
    format.load(&mut world, &bytes).unwrap();
    assert_eq!(world.get(id), Some(&Health(3)));
}

#[test]
fn a_relationship_is_saved_with_both_sides_or_not_at_all() {
    let mut world = World::new();
    let parent = world.spawn(Health(1)).id();
    let child = world.spawn((Health(2), ChildOf(parent))).id();
    let both = part().with_components(components![ChildOf, Children]);
    for format in [both.clone().without_component::<ChildOf>(), both.without_component::<Children>()] {
        let bytes = format.save(&mut world).unwrap();
        let mut loaded = World::new();
        format.load(&mut loaded, &bytes).unwrap();
        loaded.check_invariants();
        assert!(loaded.get::<ChildOf>(child).is_none() && loaded.get::<Children>(parent).is_none());
    }
    let one = part().with_components(components![Children]).with_known_only();
    let error = one.save(&mut world).unwrap_err();
    assert!(matches!(&error, SaveError::NotSaved(what) if matches!(what[..], [NotSaved::OtherSide(_)])), "{error}");
}

#[test]
fn a_relationship_of_which_one_side_is_unknown_is_passed_over() {
    let mut world = World::new();
    let parent = world.spawn(Health(1)).id();
    let child = world.spawn((Health(2), ChildOf(parent))).id();
    let bytes = part().with_components(components![ChildOf, Children]).save(&mut world).unwrap();
    for one in [components![ChildOf], components![Children]] {
        let format = part().with_components(one);
        let error = format.load(&mut World::new(), &bytes).unwrap_err();
        assert!(matches!(error, LoadError::Bytes { problem: Problem::UnknownName, .. }), "{error}");
        let mut loaded = World::new();
        format.skipping_unknown().load(&mut loaded, &bytes).unwrap();
        loaded.check_invariants();
        assert!(loaded.get::<ChildOf>(child).is_none() && loaded.get::<Children>(parent).is_none());
        assert_eq!([parent, child].map(|id| loaded.get::<Health>(id).unwrap().0), [1, 2]);
    }
}

#[test]
fn files_of_which_parts_are_passed_over_are_not_believed() {
    let bytes =
        all().save(&mut world(&[(0x7f, false), (0x55, false), (3, true), (0x2e, false), (0x60, false)]).0).unwrap();
    let format = part().skipping_unknown();
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    let mut counts = [0; 2];
    for at in strata_tests::effort::places(16..bytes.len()) {
        for with in [0, 1, 2, 0x7f, 0xff] {
            let mut lying = bytes.clone();
            lying[at] = with;
            let mut world = World::new();
            match format.load(&mut world, &signed(lying)) {
                Ok(()) => {
                    world.check_invariants();
                    counts[0] += 1;
                }
                Err(_) => {
                    assert!(world.is_empty());
                    counts[1] += 1;
                }
            }
        }
        assert!(format.load(&mut World::new(), &signed(bytes[..at].to_vec())).is_err());
    }
    assert!(counts.iter().all(|count| *count > strata_tests::effort::rounds(100)), "{counts:?}");
}
