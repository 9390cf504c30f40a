//! Values in postcard's encoding, from bytes that may be hostile.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{LoadError, Problem, Recorder, Replay, SaveError, WorldFormat, components, resources};
use strata_tests::alloc;

use super::saves::signed;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum Kind {
    Unit,
    New(i32),
    Pair(u8, Box<Kind>),
    Struct { text: String, other: Option<char> },
}

/// All kinds of types in `serde`, except elements that take no bytes, because postcard would not limit the number of them that it reads.
#[derive(Resource, Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "everything")]
#[resource(name = "everything")]
struct Everything {
    unsigned: (u8, u16, u32, u64, u128),
    signed: (i8, i16, i32, i64, i128),
    floats: (f32, f64),
    other: (bool, char, (), [u16; 3]),
    kinds: Vec<Kind>,
    map: BTreeMap<String, Option<Option<u64>>>,
}

fn kind() -> impl Strategy<Value = Kind> {
    let leaf = prop_oneof![
        Just(Kind::Unit),
        any::<i32>().prop_map(Kind::New),
        (any::<String>(), any::<Option<char>>()).prop_map(|(text, other)| Kind::Struct { text, other }),
    ];
    leaf.prop_recursive(4, 8, 1, |kind| {
        (any::<u8>(), kind).prop_map(|(number, kind)| Kind::Pair(number, Box::new(kind)))
    })
}

fn everything() -> impl Strategy<Value = Everything> {
    let numbers = (any::<(u8, u16, u32, u64, u128)>(), any::<(i8, i16, i32, i64, i128)>(), any::<(f32, f64)>());
    let other = (any::<(bool, char, (), [u16; 3])>(), vec(kind(), 0..4));
    let map = btree_map(any::<String>(), any::<Option<Option<u64>>>(), 0..4);
    (numbers, other, map).prop_map(|((unsigned, signed, floats), (other, kinds), map)| {
        let floats = (if floats.0.is_nan() { 0.5 } else { floats.0 }, if floats.1.is_nan() { 0.5 } else { floats.1 });
        Everything { unsigned, signed, floats, other, kinds, map }
    })
}

fn format() -> WorldFormat {
    WorldFormat::new().with_components(components![Everything]).with_resources(resources![Everything])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(12), ..ProptestConfig::default() })]

    #[test]
    fn values_are_as_postcard_has_them(value in everything()) {
        let expected = postcard::to_allocvec(&value).unwrap();
        let mut world = World::new();
        let id = world.spawn(value.clone()).id();
        world.insert_resource(value.clone());
        let bytes = format().save(&mut world).unwrap();
        prop_assert_eq!(bytes.windows(expected.len()).filter(|window| *window == expected).count(), 2);
        let mut loaded = World::new();
        format().load(&mut loaded, &bytes).unwrap();
        prop_assert_eq!(loaded.get(id), Some(&value));
        prop_assert_eq!(loaded.resource::<Everything>(), &value);

        let place = bytes.windows(expected.len()).position(|window| window == expected).unwrap();
        // Neither of them reads what the other one refuses.
        for at in strata_tests::effort::places(0..expected.len()) {
            for with in [0, 1, 0x7f, 0x80, 0xff] {
                let mut lying = expected.clone();
                lying[at] = with;
                // Where a value ends has to agree, too.
                let other = postcard::take_from_bytes::<Everything>(&lying);
                let other = other.ok().filter(|(_, left)| left.is_empty());
                let own = [&bytes[..place], &lying[..], &bytes[place + expected.len()..]].concat();
                let mut loaded = World::new();
                let is_read = format().load(&mut loaded, &signed(own)).is_ok();
                prop_assert_eq!(is_read, other.is_some(), "{} at {}", with, at);
                let same = |value: &Everything| format!("{:?}", loaded.get::<Everything>(id).unwrap()) == format!("{value:?}");
                prop_assert!(other.is_none_or(|(value, _)| same(&value)));
            }
        }
    }
}

/// Elements that take no bytes, but memory.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
struct Empty {
    #[serde(skip)]
    room: [u64; 8],
}
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "units")]
struct Units(Vec<()>);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "empties")]
struct Empties(Vec<Empty>);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "lists")]
struct Lists(Vec<Vec<u64>>);

/// A varint of ten bytes, of 2^60 and more.
const HUGE: [u8; 10] = [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xf0, 0x01];

/// Bytes in which the only list of a component, of three elements, says that it has more, and where it does.
fn with_lying_list(bytes: &[u8], own: &[u8], lie: &[u8]) -> (Vec<u8>, usize) {
    let block = [&(own.len() as u64).to_le_bytes()[..], own].concat();
    let at = bytes.windows(block.len()).rposition(|window| window == block).unwrap();
    let len = (lie.len() + own.len() - 1) as u64;
    let lying = [&bytes[..at], &len.to_le_bytes(), lie, &own[1..], &bytes[at + block.len()..]].concat();
    (signed(lying), at + 8)
}

#[test]
fn a_lying_length_takes_neither_time_nor_memory() {
    let format = WorldFormat::new().with_components(components![Units, Empties, Lists]);
    let list = [3, 1, 1, 1, 1, 1, 1];
    let cases: [(&str, &[u8], fn(&mut World)); 3] = [
        ("units", &[3], |world| _ = world.spawn(Units(vec![(); 3]))),
        ("empties", &[3], |world| _ = world.spawn(Empties(vec![Empty::default(); 3]))),
        ("lists", &list, |world| _ = world.spawn(Lists(vec![vec![1]; 3]))),
    ];
    for (name, own, spawn) in cases {
        let mut world = World::new();
        spawn(&mut world);
        let bytes = format.save(&mut world).unwrap();
        let (lying, at) = with_lying_list(&bytes, own, &HUGE);
        let mut loaded = World::new();
        let (result, requested) = alloc::requesting(|| format.load(&mut loaded, &lying));
        let LoadError::Bytes { offset, name: found, problem } = result.unwrap_err() else { panic!() };
        assert_eq!((offset, found.as_deref()), (at, Some(name)));
        assert!(matches!(problem, Problem::Value(_)));
        assert!(requested < 32 << 20, "{name}: {requested} bytes");
        assert!(loaded.is_empty());
    }
}

#[test]
fn many_lying_lengths_have_one_budget() {
    // Each of them would be read by itself.
    let format = WorldFormat::new().with_components(components![Units]);
    let mut world = World::new();
    world.spawn_batch((0..1000).map(|_| Units(vec![(); 1000]))).for_each(drop);
    let error = format.save(&mut world).unwrap_err();
    assert!(matches!(&error, SaveError::Value(name, _) if name.ends_with("Units")), "{error}");
    let mut world = World::new();
    world.spawn_batch((0..60).map(|_| Units(vec![(); 1000]))).for_each(drop);
    let mut bytes = format.save(&mut world).unwrap();
    format.load(&mut World::new(), &bytes).unwrap();
    for at in strata_tests::effort::places(0..bytes.len() - 1) {
        if bytes[at..at + 2] == [0xe8, 0x07] {
            bytes[at + 1] = 0x7f;
        }
    }
    let error = format.load(&mut World::new(), &signed(bytes)).unwrap_err();
    let LoadError::Bytes { name, problem: Problem::Value(why), .. } = error else { panic!("{error}") };
    assert_eq!(name.as_deref(), Some("units"));
    assert!(why.contains("elements that take no bytes"), "{why}");
}

/// A value that can be within itself.
#[derive(Component, Resource, Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[component(name = "tree")]
#[resource(name = "tree")]
struct Tree(Vec<Tree>);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "chain")]
enum Chain {
    End,
    Link { next: Option<Box<Chain>> },
}

fn tree(depth: usize) -> Tree {
    (0..depth).fold(Tree(Vec::new()), |tree, _| Tree(vec![tree]))
}

fn chain(length: usize) -> Chain {
    (0..length).fold(Chain::End, |chain, _| Chain::Link { next: Some(Box::new(chain)) })
}

#[test]
fn values_within_values_are_read_as_deep_as_they_are_written() {
    let format = WorldFormat::new().with_components(components![Tree, Chain]);
    let mut world = World::new();
    let id = world.spawn((tree(127), chain(64))).id();
    let bytes = format.save(&mut world).unwrap();
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    assert_eq!((loaded.get(id), loaded.get(id)), (Some(&tree(127)), Some(&chain(64))));
    let too_deep: [fn(&mut World); 2] = [|world| _ = world.spawn(tree(128)), |world| _ = world.spawn(chain(65))];
    for spawn in too_deep {
        let mut world = World::new();
        spawn(&mut world);
        assert!(matches!(format.save(&mut world), Err(SaveError::Value(..))));
    }

    // Bytes that go deeper than any stack.
    let lie = vec![1; 1 << 20];
    let mut world = World::new();
    world.spawn(tree(2));
    let bytes = format.save(&mut world).unwrap();
    let (lying, _) = with_lying_list(&bytes, &[1, 1, 0], &lie);
    let error = format.load(&mut World::new(), &lying).unwrap_err();
    let LoadError::Bytes { name, problem: Problem::Value(why), .. } = error else { panic!("{error}") };
    assert_eq!((name.as_deref(), why.contains("within each other")), (Some("tree"), true), "{why}");
}

#[test]
fn inputs_of_replays_are_not_believed_either() {
    let mut world = World::new();
    let format = WorldFormat::new().with_resources(resources![Tree]);
    let mut recorder = Recorder::<Tree>::new(&format, &mut world).unwrap();
    recorder.next(&mut world, tree(2)).unwrap();
    let bytes = recorder.finish(&mut world).unwrap().to_bytes().unwrap();
    assert_eq!(Replay::<Tree>::from_bytes(&bytes).unwrap().inputs(), [tree(2)]);
    let (lying, _) = with_lying_list(&bytes, &[1, 1, 0], &vec![1; 1 << 20]);
    assert!(Replay::<Tree>::from_bytes(&lying).is_err());
}
