//! Values of types that a program does not know, which are kept as bytes and written back.

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{
    LoadError, NotSaved, Problem, SaveError, UnknownComponents, UnknownResources, UnknownValue, WorldFormat,
    components, relations, resources,
};

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
#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain, name = "weight")]
#[repr(C)]
struct Weight(u16);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "mark")]
struct Mark;
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Hunting(u8);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "score")]
struct Score(u32);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "level")]
struct Level(String);

/// The format of the program without the mod.
fn part() -> WorldFormat {
    WorldFormat::new().with_components(components![Health, Place]).with_resources(resources![Score])
}

fn all() -> WorldFormat {
    part().with_components(components![Title, Rare, Weight, Mark]).with_resources(resources![Level])
}

fn loaded(format: &WorldFormat, bytes: &[u8]) -> World {
    let mut world = World::new();
    format.load(&mut world, bytes).unwrap();
    world.check_invariants();
    world
}

/// Inserts what bits say.
fn insert(world: &mut World, id: Entity, bits: u8, value: u32) {
    let has = |bit: u8| bits >> bit & 1 == 1;
    let mut entity = world.entity_mut(id);
    if has(0) {
        entity.insert(Health(value));
    }
    if has(1) {
        entity.insert(Place([value as f32, 0.5]));
    }
    if has(2) {
        entity.insert(Title("x".repeat(value as usize % 5)));
    }
    if has(3) {
        entity.insert(Rare(value as u8));
    }
    if has(4) {
        entity.insert(Weight(value as u16));
    }
    if has(5) {
        entity.insert(Mark);
    }
}

fn world(entities: &[u8]) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids: Vec<Entity> = entities.iter().map(|_| world.spawn_empty().id()).collect();
    ids.iter().zip(entities).zip(1..).for_each(|((id, bits), value)| insert(&mut world, *id, *bits, value));
    world.insert_resource(Score(7));
    world.insert_resource(Level("two".to_owned()));
    (world, ids)
}

/// Returns the components of each living entity.
fn look(world: &World, ids: &[Entity]) -> Vec<String> {
    let entity = |id: &Entity| {
        let entity = world.get_entity(*id).ok()?;
        Some(format!(
            "{id} {:?} {:?} {:?} {:?} {:?} {:?}",
            entity.get::<Health>(),
            entity.get::<Place>(),
            entity.get::<Title>(),
            entity.get::<Rare>(),
            entity.get::<Weight>(),
            entity.get::<Mark>(),
        ))
    };
    ids.iter().filter_map(entity).collect()
}

/// A change of an entity by a program without the mod.
#[derive(Clone, Copy, Debug)]
enum Change {
    Despawn(usize),
    /// Moves it to another table.
    Insert(usize),
    Remove(usize),
    Clone(usize),
    Save,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..20_usize).prop_map(Change::Despawn),
        (0..20_usize).prop_map(Change::Insert),
        (0..20_usize).prop_map(Change::Remove),
        (0..20_usize).prop_map(Change::Clone),
        Just(Change::Save),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(96), ..ProptestConfig::default() })]

    /// The same is done with the mod and without it.
    #[test]
    fn what_is_unknown_comes_back_whatever_happens_to_its_entity(
        entities in vec(any::<u8>(), 1..20),
        changes in vec(change(), 0..12),
    ) {
        let (mut with, mut ids) = world(&entities);
        let keeping = part().keeping_unknown();
        let mut without = loaded(&keeping, &all().save(&mut with).unwrap());
        for change in changes {
            let id = |at: usize| ids[at % ids.len()];
            match change {
                Change::Despawn(at) => {
                    prop_assert_eq!(with.despawn(id(at)), without.despawn(id(at)));
                }
                Change::Insert(at) if with.contains(id(at)) => {
                    [&mut with, &mut without].into_iter().for_each(|world| insert(world, id(at), 3, at as u32));
                }
                Change::Remove(at) if with.contains(id(at)) => {
                    [&mut with, &mut without].into_iter().for_each(|world| _ = world.entity_mut(id(at)).remove::<(Health, Place)>());
                }
                Change::Clone(at) if with.contains(id(at)) => {
                    let clones = [&mut with, &mut without].map(|world| world.entity_mut(id(at)).clone_and_spawn().unwrap());
                    prop_assert_eq!(clones[0], clones[1]);
                    ids.push(clones[0]);
                }
                Change::Save => {
                    // A world with kept values is the same one again, to the byte.
                    let bytes = keeping.save(&mut without).unwrap();
                    keeping.verify(&mut without).unwrap();
                    without = loaded(&keeping, &bytes);
                }
                _ => {}
            }
        }
        prop_assert!(without.query::<&Title>().iter(&without).next().is_none());
        let bytes = keeping.save(&mut without).unwrap();
        let mut back = loaded(&all(), &bytes);
        prop_assert_eq!(look(&back, &ids), look(&with, &ids));
        prop_assert_eq!(back.get_resource::<Level>(), with.get_resource::<Level>());
        prop_assert!(back.query::<&UnknownComponents>().iter(&back).next().is_none());
        prop_assert!(!back.contains_resource::<UnknownResources>());
        prop_assert_eq!(back.spawn_empty().id(), with.spawn_empty().id());
        // Values that are known again are saved as before.
        all().verify(&mut back).unwrap();
    }
}

#[test]
fn kept_values_say_what_they_are() {
    let (mut with, ids) = world(&[0b1_0101, 0]);
    let without = loaded(&part().keeping_unknown(), &all().save(&mut with).unwrap());
    let values = without.get::<UnknownComponents>(ids[0]).unwrap().values();
    let shown: Vec<_> = values.iter().map(|value| (value.name(), value.version(), value.bytes())).collect();
    assert_eq!(shown, [("title", 1, &b"\x01x"[..]), ("weight", 1, &[1, 0])]);
    assert!(without.get::<UnknownComponents>(ids[1]).is_none());
    let resources = without.resource::<UnknownResources>().values();
    assert_eq!(resources.iter().map(UnknownValue::name).collect::<Vec<_>>(), ["level"]);
}

#[test]
fn rows_come_behind_those_that_were_there_as_if_the_values_were_inserted() {
    let (mut with, ids) = world(&[0b101, 1, 0b101, 1, 0b101]);
    let keeping = part().keeping_unknown();
    let mut without = loaded(&keeping, &all().save(&mut with).unwrap());
    without.despawn(ids[2]);
    let back = loaded(&all(), &keeping.save(&mut without).unwrap());
    let tables: Vec<&[Entity]> =
        back.tables().iter().filter(|table| !table.is_empty()).map(|table| table.entities()).collect();
    assert_eq!(tables, [&[ids[1], ids[3]][..], &[ids[0], ids[4]]]);
}

#[test]
fn a_program_that_keeps_nothing_says_so() {
    let (mut with, ids) = world(&[0xff, 0xff]);
    let bytes = all().save(&mut with).unwrap();
    let error = part().load(&mut World::new(), &bytes).unwrap_err();
    assert!(matches!(error, LoadError::Bytes { problem: Problem::UnknownName, .. }), "{error}");

    let mut without = loaded(&part().keeping_unknown(), &bytes);
    let error = part().save(&mut without).unwrap_err();
    assert!(matches!(&error, SaveError::NotSaved(what) if what[..] == [NotSaved::Unknown]), "{error}");
    // By name, or by policy, they are left out.
    let named = part().without_component::<UnknownComponents>().without_resource::<UnknownResources>();
    for format in [named, part().with_known_only()] {
        let mut back = loaded(&all(), &format.save(&mut without).unwrap());
        assert!(back.get::<Title>(ids[0]).is_none() && back.get::<Health>(ids[0]).is_some());
        assert!(!back.contains_resource::<Level>());
        all().verify(&mut back).unwrap();
    }
    // A program can drop some of them itself.
    without.get_mut::<UnknownComponents>(ids[0]).unwrap().retain(|value| value.name() != "title");
    without.resource_mut::<UnknownResources>().retain(|_| false);
    let bytes = part().keeping_unknown().with_known_only().save(&mut without).unwrap();
    let back = loaded(&all(), &bytes);
    assert!(back.get::<Title>(ids[0]).is_none() && back.get::<Mark>(ids[0]).is_some());
    assert!(back.get::<Title>(ids[1]).is_some() && !back.contains_resource::<Level>());
    // A file in which they are kept is no other one to a program that does not know them either.
    let bytes = part().keeping_unknown().save(&mut without).unwrap();
    let error = part().load(&mut World::new(), &bytes).unwrap_err();
    assert!(matches!(error, LoadError::Bytes { problem: Problem::UnknownName, .. }), "{error}");
    let mut skipped = loaded(&part().skipping_unknown(), &bytes);
    part().save(&mut skipped).unwrap();
}

#[test]
fn what_was_kept_in_an_older_version_is_upgraded() {
    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(name = "name", version = 2, alias = "title", upgrade = from_title)]
    struct Name {
        of: String,
    }
    fn from_title(title: Title) -> Name {
        Name { of: title.0 }
    }

    let (mut with, ids) = world(&[0b101]);
    let keeping = part().keeping_unknown();
    let mut without = loaded(&keeping, &all().save(&mut with).unwrap());
    let bytes = keeping.save(&mut without).unwrap();
    let later = loaded(&part().with_components(components![Name]).keeping_unknown(), &bytes);
    assert_eq!(later.get(ids[0]), Some(&Name { of: "x".to_owned() }));
}

#[test]
fn what_has_another_end_cannot_be_kept() {
    let relations = part().with_components(components![ChildOf, Children]).with_relations(relations![Hunting]);
    let (mut world, ids) = world(&[1, 1]);
    world.remove_resource::<Level>();
    // That a format could save them is no obstacle.
    let bytes = relations.save(&mut world).unwrap();
    loaded(&part().keeping_unknown(), &bytes);

    world.entity_mut(ids[0]).insert(ChildOf(ids[1]));
    let linked = relations.save(&mut world).unwrap();
    world.entity_mut(ids[0]).remove::<ChildOf>();
    world.relate(ids[0], Hunting(1), ids[1]);
    let related = relations.save(&mut world).unwrap();
    for bytes in [linked, related] {
        let error = part().keeping_unknown().load(&mut World::new(), &bytes).unwrap_err();
        assert!(matches!(error, LoadError::Bytes { name: Some(_), problem: Problem::NotKept, .. }), "{error}");
        let loaded = loaded(&part().keeping_unknown().skipping_unknown(), &bytes);
        assert!(ids.iter().all(|id| loaded.get::<UnknownComponents>(*id).is_none()));
    }
}

#[test]
fn components_that_a_file_does_not_have_are_missing() {
    // The file is older than the mod: no entity has what it does not name, and nothing else is said of it.
    let (mut world, ids) = world(&[3]);
    world.remove_resource::<Level>();
    let bytes = part().save(&mut world).unwrap();
    let mut later = World::new();
    later.insert_resource(Level("of before".to_owned()));
    let other = later.spawn((Health(9), Title("of before".to_owned()))).id();
    all().load(&mut later, &bytes).unwrap();
    assert_eq!(look(&later, &ids), look(&world, &ids));
    assert!(later.get::<Title>(other).is_none() && !later.contains_resource::<Level>());
    assert!(later.query::<&Title>().iter(&later).next().is_none());
}

#[test]
fn kept_values_are_not_believed() {
    let (mut with, _) = world(&[0xff, 0b1_0101, 0b10_1001]);
    let keeping = part().keeping_unknown();
    let first = all().save(&mut with).unwrap();
    let kept = keeping.save(&mut loaded(&keeping, &first)).unwrap();
    let mut counts = [0; 2];
    for (bytes, format) in [(&first, &keeping), (&kept, &keeping), (&kept, &all())] {
        for at in strata_tests::effort::places(16..bytes.len()) {
            for with in [0, 1, 2, 3, 0x7f, 0xff] {
                let mut lying = bytes.clone();
                lying[at] = with;
                let mut world = World::new();
                match format.load(&mut world, &signed(lying)) {
                    Ok(()) => {
                        world.check_invariants();
                        format.save(&mut world).unwrap();
                        counts[0] += 1;
                    }
                    Err(error) => {
                        assert!(world.is_empty(), "{error}");
                        counts[1] += 1;
                    }
                }
            }
            assert!(format.load(&mut World::new(), &signed(bytes[..at].to_vec())).is_err());
        }
    }
    assert!(counts.iter().all(|count| *count > strata_tests::effort::rounds(100)), "{counts:?}");
}

#[test]
fn an_entity_has_one_value_of_an_unknown_component() {
    // The storage of the component is there twice, which only a program that knows it would notice otherwise.
    let (mut with, ids) = world(&[0b1000]);
    with.remove_resource::<Level>();
    with.remove_resource::<Score>();
    let bytes = all().save(&mut with).unwrap();
    // Entities, number, stamp, ticks, form, and a block of one byte. Behind it are lists of nothing, and three bytes of consumers.
    let (len, end) = (8 + 8 + 4 + 4 + 1 + 1 + 8 + 1, bytes.len() - 3 * 8 - 1 - (8 + 3));
    let storage = &bytes[end - len..end];
    assert_eq!(storage[8..16], ids[0].to_bits().to_le_bytes());
    let twice = [&bytes[..end - len - 8], &2_u64.to_le_bytes(), storage, storage, &bytes[end..]].concat();
    for format in [all(), part().keeping_unknown()] {
        let mut loaded = World::new();
        let error = format.load(&mut loaded, &signed(twice.clone())).unwrap_err();
        let is_twice = match &error {
            LoadError::Bytes { name, problem, .. } => name.as_deref() == Some("rare") && *problem == Problem::Twice,
            error => matches!(error, LoadError::Build(_)),
        };
        assert!(is_twice && loaded.is_empty(), "{error}");
    }
}

/// Entities inside of them would name whatever has their ids in the other world.
#[test]
fn unknown_values_do_not_come_into_a_world_that_lives() {
    let mut world = World::new();
    world.spawn((Health(1), Title("captain".to_owned())));
    let bytes = all().save(&mut world).unwrap();
    let mut other = World::new();
    let refused = part().keeping_unknown().load_entities(&mut other, &bytes).unwrap_err();
    assert!(matches!(refused, LoadError::Bytes { problem: Problem::UnknownName, .. }), "{refused:?}");
    assert!(other.is_empty());
    part().keeping_unknown().skipping_unknown().load_entities(&mut other, &bytes).unwrap();
    assert_eq!(other.query::<&UnknownComponents>().iter(&other).count(), 0);
    assert_eq!(other.query::<&Health>().iter(&other).count(), 1);
}
