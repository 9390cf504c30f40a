//! Worlds that are saved as bytes and loaded, in place of snapshots in memory.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::{BuildError, EntityIdsError, LeftOut};
use strata_save::{LoadError, NotSaved, Problem, SaveError, VerifyError, WorldFormat, components, resources};

use super::histories::{Game, format, step};

#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "health")]
struct Health(u32);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(storage = "sparse", name = "hunts")]
struct Hunts(Entity);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "name")]
struct Title(String);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "score")]
struct Score(u32);

fn small_format() -> WorldFormat {
    WorldFormat::new().with_components(components![Health, Hunts, Title]).with_resources(resources![Score])
}

/// A small world, with an entity that names one which is dead.
fn small() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let ids = [(); 3].map(|()| world.spawn(Health(3)).id());
    world.entity_mut(ids[1]).insert((Title("bob".into()), Hunts(ids[0])));
    world.despawn(ids[0]);
    world.insert_resource(Score(7));
    (world, ids)
}

/// Returns the contents of the small world, as text.
fn look(world: &mut World) -> String {
    world.check_invariants();
    let mut all = world.query::<(Entity, Option<&Health>, Option<&Hunts>, Option<&Title>)>();
    let all: Vec<String> = all.iter(world).map(|one| format!("{one:?}")).collect();
    format!("{all:?} {:?} {:?} {}", world.get_resource::<Score>(), world.change_tick(), world.frame_number())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(48), ..ProptestConfig::default() })]

    #[test]
    fn what_follows_in_a_loaded_world_is_what_would_have_followed(
        before in vec(step(), 0..60),
        other in vec(step(), 0..40),
        after in vec(step(), 0..40),
    ) {
        let mut game = Game::new();
        game.play(&before);
        let format = format(&game.alive);
        let bytes = format.save(&mut game.world).unwrap();

        // There components have other numbers, and other tables have been made.
        let mut loaded = Game::of_another_process();
        loaded.play(&other);
        format.load(&mut loaded.world, &bytes).unwrap();
        loaded.world.check_invariants();
        prop_assert_eq!(&format.save(&mut game.world).unwrap(), &bytes);
        let again = format.save(&mut loaded.world).unwrap();
        let mut third = Game::new();
        format.load(&mut third.world, &again).unwrap();
        let expected = game.play(&after);
        prop_assert_eq!(&loaded.play(&after), &expected);
        prop_assert_eq!(&third.play(&after), &expected);
    }
}

#[test]
fn references_to_the_dead_stay_dead_and_ids_go_on() {
    let (mut world, ids) = small();
    let bytes = small_format().save(&mut world).unwrap();
    let mut loaded = World::new();
    loaded.spawn_batch([Health(9), Health(9)]).for_each(drop);
    small_format().load(&mut loaded, &bytes).unwrap();
    assert_eq!(look(&mut loaded), look(&mut world));
    let hunted = loaded.get::<Hunts>(ids[1]).unwrap().0;
    for world in [&mut world, &mut loaded] {
        let next = world.spawn(Health(1)).id();
        assert_eq!(next.index(), hunted.index());
        assert!(!world.contains(hunted));
    }
    assert_eq!(look(&mut loaded), look(&mut world));
}

/// Loads bytes into a world, which stays as it is.
#[track_caller]
fn refused(bytes: &[u8]) -> LoadError {
    let (mut world, _) = small();
    let before = look(&mut world);
    let error = small_format().load(&mut world, bytes).unwrap_err();
    assert_eq!(look(&mut world), before, "{error}");
    error
}

#[test]
fn each_flipped_bit_and_each_lost_byte_is_noticed() {
    let bytes = small_format().save(&mut small().0).unwrap();
    for at in strata_tests::effort::places(0..bytes.len()) {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(matches!(refused(&damaged), LoadError::Bytes { .. }), "bit {bit} of byte {at}");
        }
        assert!(matches!(refused(&bytes[..at]), LoadError::Bytes { .. }), "{at} bytes");
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert!(matches!(refused(&longer), LoadError::Bytes { problem: Problem::Checksum, .. }));
}

/// Bytes with the checksum that they should have, as an attacker would write it.
pub(crate) fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..12]);
    hasher.update(&bytes[16..]);
    bytes[12..16].copy_from_slice(&hasher.finalize().to_le_bytes());
    bytes
}

#[test]
fn nothing_is_believed_although_the_checksum_is_right() {
    let bytes = small_format().save(&mut small().0).unwrap();
    assert_eq!(signed(bytes.clone()), bytes);
    let mut problems = BTreeSet::new();
    for at in strata_tests::effort::places(16..bytes.len()) {
        for with in [0, 1, 3, 0x7f, 0x80, 0xff] {
            for len in [1, 4, 8] {
                let mut lying = bytes.clone();
                lying[at..].iter_mut().take(len).for_each(|byte| *byte = with);
                let (mut world, _) = small();
                let before = look(&mut world);
                // The bytes may be another world, but never one that contradicts itself.
                match small_format().load(&mut world, &signed(lying)) {
                    Ok(()) => world.check_invariants(),
                    Err(error) => {
                        assert_eq!(look(&mut world), before, "{error}");
                        let text = format!("{error:?}");
                        problems.insert(text.chars().take_while(|char| char.is_alphabetic()).collect::<String>());
                    }
                }
            }
        }
        let mut short = bytes[..at].to_vec();
        short = signed(short);
        refused(&short);
    }
    assert_eq!(problems.into_iter().collect::<Vec<_>>(), ["Build", "Bytes"]);
}

#[test]
fn an_error_says_where_and_of_what() {
    let bytes = small_format().save(&mut small().0).unwrap();
    let without = WorldFormat::new().with_components(components![Health, Title]).with_resources(resources![Score]);
    let Err(LoadError::Bytes { offset, name, problem }) = without.load(&mut World::new(), &bytes) else { panic!() };
    assert_eq!((name.as_deref(), problem), (Some("hunts"), Problem::UnknownName));
    assert!(bytes[..offset].windows(5).any(|name| name == b"hunts"));

    let newer = WorldFormat::new().with_components(components![Health, Title, Hunts].map(|ty| ty.with_version(2)));
    let error = newer.load(&mut World::new(), &bytes).unwrap_err();
    assert!(error.to_string().contains("of `health`: the values were saved in version 1 of the type"), "{error}");

    // The text of the only title is not UTF-8 any more.
    let at = bytes.windows(4).position(|text| text == b"\x03bob").unwrap();
    let mut wrong = bytes.clone();
    wrong[at + 1] = 0xff;
    let error = refused(&signed(wrong));
    let LoadError::Bytes { offset, name, problem } = error else { panic!("{error}") };
    assert_eq!((offset, name.as_deref()), (at, Some("name")));
    assert!(matches!(problem, Problem::Value(_)));
}

#[test]
fn a_component_that_a_table_has_twice_is_refused_before_its_values_are_made() {
    static MADE: AtomicUsize = AtomicUsize::new(0);

    #[derive(Clone)]
    struct Buffer([u64; 64]);
    impl Default for Buffer {
        fn default() -> Self {
            MADE.fetch_add(1, Relaxed);
            Self([0; 64])
        }
    }
    /// It takes no bytes in files.
    #[derive(Component, Clone, Default, Serialize, Deserialize)]
    #[component(name = "bulk", alias = "bulk of before")]
    struct Bulk {
        #[serde(skip)]
        buffer: Buffer,
    }
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "bulk of before")]
    struct OldBulk;
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "bulk")]
    struct NewBulk;

    let format = WorldFormat::new().with_components(components![Bulk]);
    let refused = |bytes: &[u8], name: &str, expected: Problem| {
        MADE.store(0, Relaxed);
        let error = format.load(&mut World::new(), bytes).unwrap_err();
        let LoadError::Bytes { name: found, problem, .. } = &error else { panic!("{error}") };
        assert_eq!((found.as_deref(), problem), (Some(name), &expected), "{error}");
        assert_eq!(MADE.load(Relaxed), 0);
    };

    let mut world = World::new();
    world.spawn_batch((0..100).map(|_| Bulk::default())).for_each(drop);
    assert_eq!(world.query::<&Bulk>().iter(&world).map(|bulk| bulk.buffer.0[0]).sum::<u64>(), 0);
    let bytes = format.save(&mut world).unwrap();
    format.load(&mut World::new(), &bytes).unwrap();
    // The column ends before the numbers of storages, of relations, of kept values, and of resources, whether there are kept ones, and three
    // bytes of consumers; the number of columns is before it.
    let rest = bytes.len() - 4 * 8 - 1 - (8 + 3);
    let column = rest - 18;
    let mut lying = bytes[..column - 8].to_vec();
    lying.extend(1000_u64.to_le_bytes());
    (0..1000).for_each(|_| lying.extend(&bytes[column..rest]));
    lying.extend(&bytes[rest..]);
    refused(&signed(lying), "bulk", Problem::Twice);

    // By both of its names.
    let mut world = World::new();
    world.spawn((OldBulk, NewBulk));
    let bytes = WorldFormat::new().with_components(components![OldBulk, NewBulk]).save(&mut world).unwrap();
    refused(&bytes, "bulk", Problem::Same("bulk of before".to_owned()));
}

#[test]
fn rows_of_ids_that_are_dead_are_refused() {
    let (mut world, ids) = small();
    let bytes = small_format().save(&mut world).unwrap();
    let id = ids[2].to_bits().to_le_bytes();
    let at = bytes.windows(8).rposition(|bits| *bits == id).unwrap();
    let mut other = bytes.clone();
    other[at + 4] = 9;
    let error = refused(&signed(other));
    let LoadError::Build(error) = error else { panic!("{error}") };
    let later = Entity::from_bits(ids[2].to_bits() + (8 << 32));
    assert_eq!(error, BuildError::Ids(EntityIdsError::Unknown(later)));
}

#[test]
fn what_is_not_saved_is_named_and_nothing_is_written() {
    #[derive(Resource, Clone)]
    struct Window;
    #[derive(Component, Clone)]
    struct Unknown;
    #[derive(Relation, Clone)]
    struct Hunting;

    let (mut world, ids) = small();
    world.insert_resource(Window);
    world.spawn(Unknown);
    world.entity_mut(ids[2]).insert(ChildOf(ids[1]));
    world.relate(ids[1], Hunting, ids[2]);
    let file = std::env::temp_dir().join(format!("strata-not-saved-{}", std::process::id()));
    let error = small_format().save_to_file(&mut world, &file).unwrap_err();
    assert!(!file.exists());
    let SaveError::NotSaved(all) = error else { panic!("{error}") };
    let is = |one: &dyn Fn(&NotSaved) -> bool| all.iter().filter(|what| one(what)).count();
    assert_eq!(is(&|one| matches!(one, NotSaved::Resource(name) if name.ends_with("Window"))), 1, "{all:?}");
    assert_eq!(is(&|one| matches!(one, NotSaved::Component(name) if name.ends_with("Unknown"))), 1, "{all:?}");
    assert_eq!(is(&|one| matches!(one, NotSaved::Component(name) if name.ends_with("ChildOf"))), 1, "{all:?}");
    assert_eq!(is(&|one| matches!(one, NotSaved::Component(name) if name.ends_with("Children"))), 1, "{all:?}");
    assert_eq!(is(&|one| matches!(one, NotSaved::Relation(name) if name.ends_with("Hunting"))), 1, "{all:?}");
    assert_eq!(all.len(), 5, "{all:?}");

    // A resource that is left out stays when a world is loaded.
    let format = small_format().without_resource::<Window>();
    let bytes = format.save(&mut small().0).unwrap();
    format.load(&mut world, &bytes).unwrap();
    assert!(world.contains_resource::<Window>());
    let twice = small_format().with_components(components![Health]);
    assert!(matches!(twice.save(&mut world), Err(SaveError::SameName(name)) if name == "health"));
}

fn families() -> WorldFormat {
    small_format().with_components(components![ChildOf, Children])
}

/// A parent with two children that are not in the order in which they came, one of which is a parent too.
fn family() -> (World, [Entity; 4]) {
    let mut world = World::new();
    let ids = [(); 4].map(|()| world.spawn(Health(3)).id());
    let [root, a, b, grandchild] = ids;
    let gone = world.spawn(ChildOf(root)).id();
    [(a, root), (b, root), (grandchild, a)]
        .into_iter()
        .for_each(|(child, of)| _ = world.entity_mut(child).insert(ChildOf(of)));
    world.get_mut::<Children>(root).unwrap().swap(1, 2);
    world.despawn(gone);
    (world, ids)
}

#[test]
fn links_are_loaded_in_their_order_and_work_on() {
    let (mut world, [root, a, b, grandchild]) = family();
    let order = world.get::<Children>(root).unwrap().to_vec();
    let bytes = families().save(&mut world).unwrap();
    let mut loaded = World::new();
    families().load(&mut loaded, &bytes).unwrap();
    loaded.check_invariants();
    assert_eq!(**loaded.get::<Children>(root).unwrap(), *order);
    assert_eq!(loaded.get::<ChildOf>(grandchild), Some(&ChildOf(a)));
    let new = loaded.spawn(ChildOf(root)).id();
    loaded.entity_mut(b).remove::<ChildOf>();
    assert_eq!(**loaded.get::<Children>(root).unwrap(), [a, new]);
    loaded.check_invariants();
    loaded.despawn(root);
    loaded.check_invariants();
    assert_eq!(loaded.query::<Entity>().iter(&loaded).collect::<Vec<_>>(), [b]);
}

#[test]
fn links_are_not_believed() {
    let bytes = families().save(&mut family().0).unwrap();
    let (mut refused, mut loaded) = (0, 0);
    for at in 16..bytes.len() {
        // The first byte of an id is its index, with a bit that says that others follow.
        for with in (0..4).chain(0x80..0x85) {
            let mut lying = bytes.clone();
            lying[at] = with;
            let mut world = World::new();
            match families().load(&mut world, &signed(lying)) {
                Ok(()) => {
                    world.check_invariants();
                    loaded += 1;
                }
                Err(LoadError::Build(BuildError::Link(name, _))) => {
                    assert!(name.ends_with("ChildOf"));
                    assert!(world.is_empty());
                    refused += 1;
                }
                Err(_) => assert!(world.is_empty()),
            }
        }
    }
    assert!(refused >= 18 && loaded >= 18, "{refused} {loaded}");
}

#[test]
fn lists_that_a_program_has_exchanged_are_not_saved() {
    let (mut world, [root, a, ..]) = family();
    let mut children = world.query::<&mut Children>();
    let [mut one, mut other] = children.get_many_mut(&mut world, [root, a]).unwrap();
    std::mem::swap(&mut *one, &mut *other);
    let error = families().save(&mut world).unwrap_err();
    let SaveError::NotSaved(all) = error else { panic!("{error}") };
    let [NotSaved::LeftOut(LeftOut::Side(name))] = all[..] else { panic!("{all:?}") };
    assert!(name.ends_with("ChildOf"));
}

#[test]
fn a_type_that_loses_something_is_named() {
    /// The number is not saved.
    #[derive(Resource, Clone, Serialize, Deserialize)]
    struct Window(#[serde(skip)] u32, bool);
    /// It is another one each time.
    #[derive(Component, Clone, Deserialize)]
    struct Count(u32);
    impl Serialize for Count {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            (self.0 + 1).serialize(serializer)
        }
    }

    let (mut world, ids) = small();
    small_format().verify(&mut world).unwrap();
    families().verify(&mut family().0).unwrap();
    world.insert_resource(Window(3, true));
    let format = small_format().with_resources(resources![Window]).with_components(components![Count]);
    // Data that files do not contain are not compared.
    format.verify(&mut world).unwrap();
    world.entity_mut(ids[2]).insert(Count(1));
    let error = format.verify(&mut world).unwrap_err();
    assert!(matches!(error, VerifyError::Differs(name) if name.ends_with("::Count")), "{error}");
    assert!(matches!(WorldFormat::new().verify(&mut world), Err(VerifyError::Save(_))));
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = std::env::temp_dir().join(format!("strata-saves-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (file, (mut world, ids)) = (folder.join("game.save"), small());
    small_format().save_to_file(&mut world, &file).unwrap();
    world.get_mut::<Health>(ids[2]).unwrap().0 = 8;
    small_format().save_to_file(&mut world, &file).unwrap();
    // The folder contains no other file.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let mut loaded = World::new();
    small_format().load_from_file(&mut loaded, &file).unwrap();
    assert_eq!(look(&mut loaded), look(&mut world));
    assert!(matches!(small_format().load_from_file(&mut loaded, folder.join("no")), Err(LoadError::Io(_))));
    // A folder is in the way of the new file.
    fs::create_dir(folder.join("taken")).unwrap();
    assert!(matches!(small_format().save_to_file(&mut world, folder.join("taken")), Err(SaveError::Io(_))));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    fs::remove_dir_all(&folder).unwrap();
}
