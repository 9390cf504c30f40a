//! Files that are changed at random, with the checksum made right: each of them is refused, and the world is as before, or it is a world.
//!
//! As a test it tries a few. For minutes of it: `STRATA_FUZZ_MINUTES=10 cargo test --release -p strata-tests --test snapshots fuzz`. The
//! changes follow from a number that is printed and can be given, `STRATA_FUZZ_SEED`. A file that makes it fail is written to the folder for
//! temporary files, and becomes a named test.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{Recorder, Replay, WorldFormat, components, relations, resources};
use strata_tests::{alloc, effort};

use super::saves::signed;

#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain, name = "place")]
#[repr(C)]
struct Place([f32; 2]);
#[derive(Component, Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[component(name = "title")]
struct Title(String);
#[derive(Component, Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[component(storage = "sparse", name = "rare")]
struct Rare(Option<u64>, Vec<()>);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "tag")]
struct Tag;
#[derive(Component, Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[component(name = "tree", version = 2, upgrade = from_first)]
enum Tree {
    Leaf(Entity),
    Node(Vec<Tree>, char),
}
#[derive(Component, Clone, Serialize, Deserialize)]
#[component(name = "tree")]
struct FirstTree(BTreeMap<String, u16>);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(exclusive)]
struct Hunting(i32);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(symmetric)]
struct Knows;
#[derive(Resource, Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[resource(name = "score")]
struct Score(BTreeMap<u8, Vec<u8>>);
#[derive(Resource, Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[resource(name = "input")]
struct Input(Vec<Tree>);

fn from_first(FirstTree(entries): FirstTree) -> Tree {
    Tree::Node(Vec::new(), entries.into_keys().next().and_then(|key| key.chars().next()).unwrap_or('-'))
}

fn part() -> WorldFormat {
    WorldFormat::new().with_components(components![Place, ChildOf, Children]).with_resources(resources![Score])
}

pub(super) fn all() -> WorldFormat {
    part()
        .with_components(components![Title, Rare, Tag, Tree])
        .with_relations(relations![Hunting, Knows])
        .with_resources(resources![Input])
}

/// The formats that files are loaded by.
fn formats() -> [WorldFormat; 4] {
    let first =
        part().with_components(components![Title, Rare, Tag, FirstTree]).with_relations(relations![Hunting, Knows]);
    [
        all(),
        part().keeping_unknown().skipping_unknown(),
        first.with_resources(resources![Input]),
        part().with_components(components![Tree]).skipping_unknown(),
    ]
}

/// Numbers that follow from one: SplitMix64.
pub(super) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

pub(super) fn world(seed: u64) -> World {
    let mut random = Random(seed);
    let mut world = World::new();
    let tracked = world.query_filtered::<Entity, (Changed<Place>, Changed<Rare>)>();
    let ids: Vec<Entity> = (0..8).map(|_| world.spawn_empty().id()).collect();
    for &id in &ids {
        let bits = random.next();
        let has = |bit: u32| bits >> bit & 1 == 1;
        let mut entity = world.entity_mut(id);
        if has(0) {
            entity.insert(Place([bits as f32, 0.5]));
        }
        if has(1) {
            entity.insert(Title("title".repeat(bits as usize % 3)));
        }
        if has(2) {
            entity.insert(Rare(has(8).then_some(bits), vec![(); bits as usize % 4]));
        }
        if has(3) {
            entity.insert(Tag);
        }
        if has(4) {
            entity.insert(Tree::Node(vec![Tree::Leaf(ids[2]), Tree::Node(Vec::new(), 'é')], 'x'));
        }
        let [other, third] = [16, 24].map(|shift| ids[(bits >> shift) as usize % ids.len()]);
        if has(5) && other > id {
            entity.insert(ChildOf(other));
        }
        if has(6) && other != id {
            world.relate(id, Hunting(bits as i32), other);
        }
        if has(7) && third != id {
            world.relate(id, Knows, third);
        }
        world.increment_change_tick();
    }
    world.despawn(ids[random.below(8)]);
    world.insert_resource(Score(BTreeMap::from([(3, vec![1, 2]), (9, Vec::new())])));
    world.insert_resource(Input(vec![Tree::Leaf(ids[1])]));
    drop(tracked);
    world
}

/// Files of worlds, some with what a program has kept.
pub(super) fn corpus() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for seed in 0..6 {
        let bytes = all().save(&mut world(seed)).unwrap();
        let keeping = part().with_relations(relations![Hunting, Knows]).keeping_unknown();
        let mut without = World::new();
        keeping.load(&mut without, &bytes).unwrap();
        files.push(keeping.save(&mut without).unwrap());
        files.push(bytes);
    }
    let mut old = World::new();
    old.spawn(FirstTree(BTreeMap::from([("key".to_owned(), 300)])));
    files.push(WorldFormat::new().with_components(components![FirstTree]).save(&mut old).unwrap());
    files
}

/// Changes some bytes.
pub(super) fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    const NUMBERS: [u64; 12] = [0, 1, 2, 7, 8, 16, 255, 1 << 16, 1 << 31, u32::MAX as u64, 1 << 60, u64::MAX];
    for _ in 0..1 + random.below(4) {
        // The bytes before this position are checked before all others.
        let at = 16 + random.below(bytes.len() - 16);
        let to = (at + 1 + random.below(24)).min(bytes.len());
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes[at] = bytes[at].wrapping_add([1, 255][random.below(2)]),
            3 => {
                let number = NUMBERS[random.below(NUMBERS.len())].wrapping_add(random.below(3) as u64);
                let len = [1, 4, 8][random.below(3)];
                bytes[at..].iter_mut().zip(number.to_le_bytes()).take(len).for_each(|(byte, with)| *byte = with);
            }
            4 => drop(bytes.drain(at..to)),
            5 => {
                let own = bytes[at..to].to_vec();
                let place = 16 + random.below(bytes.len() - 16);
                drop(bytes.splice(place..place, own));
            }
            6 => {
                let from = random.below(other.len());
                let part = other[from..(from + 1 + random.below(64)).min(other.len())].to_vec();
                let end = if random.below(2) == 0 { at } else { (at + part.len()).min(bytes.len()) };
                drop(bytes.splice(at..end, part));
            }
            _ => bytes.truncate(at + random.below(bytes.len() - at)),
        }
        if bytes.len() < 20 {
            bytes.resize(20, 0);
        }
    }
}

/// Calls a function this number of times, or for the requested time. The random numbers of a call follow from a seed, which is printed if
/// the call panics.
pub(super) fn tries(count: u32, mut one: impl FnMut(&mut Random)) {
    let number = |name: &str| env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let minutes = number("STRATA_FUZZ_MINUTES");
    let (begin, mut seed) = (Instant::now(), number("STRATA_FUZZ_SEED").unwrap_or(1) << 32);
    let end = seed + u64::from(effort::rounds(count));
    while minutes.map_or(seed < end, |minutes| begin.elapsed() < Duration::from_secs(60 * minutes)) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| one(&mut Random(seed)))) {
            eprintln!("with Random({seed})");
            resume_unwind(payload);
        }
        seed += 1;
    }
    eprintln!("{} tries", seed & u64::from(u32::MAX));
}

/// Loads a file by each format. Whether one of them took it.
fn load(bytes: &[u8]) -> bool {
    let mut is_loaded = false;
    for format in formats() {
        let mut world = World::new();
        let (result, requested) = alloc::requesting(|| format.load(&mut world, bytes));
        assert!(requested < (64 << 20) + 4096 * bytes.len(), "{requested} bytes for {}", bytes.len());
        match result {
            Ok(()) => {
                world.check_invariants();
                is_loaded = true;
                if let Ok(again) = format.save(&mut world) {
                    let mut second = World::new();
                    format.load(&mut second, &again).unwrap();
                    assert!(format.save(&mut second).unwrap() == again);
                }
                let id = world.spawn(Title("new".to_owned())).id();
                world.despawn(id);
                world.clear_entities();
                world.check_invariants();
            }
            Err(error) => assert!(world.is_empty(), "{error}"),
        }
    }
    is_loaded
}

#[test]
fn changed_files_are_refused_or_loaded() {
    let number = |name: &str| env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let minutes = number("STRATA_FUZZ_MINUTES");
    let seed = number("STRATA_FUZZ_SEED").unwrap_or(1);
    let (begin, mut random, mut files) = (Instant::now(), Random(seed), corpus());
    let (mut count, mut loaded, own) = (0_u64, 0_u64, files.len());
    loop {
        let is_over = match minutes {
            Some(minutes) => begin.elapsed() >= Duration::from_secs(60 * minutes),
            None => count == 1500,
        };
        if is_over {
            break;
        }
        let mut bytes = files[random.below(files.len())].clone();
        let other = files[random.below(files.len())].clone();
        mutate(&mut bytes, &other, &mut random);
        bytes = signed(bytes);
        match catch_unwind(AssertUnwindSafe(|| load(&bytes))) {
            Ok(is_loaded) => {
                loaded += u64::from(is_loaded);
                // Bytes that are still a valid world are changed further.
                if is_loaded && bytes.len() < 8192 {
                    let place = own + random.below(64);
                    if place < files.len() { files[place] = bytes } else { files.push(bytes) }
                }
            }
            Err(payload) => {
                let file = env::temp_dir().join(format!("strata-fuzz-{}-{count}.save", process::id()));
                fs::write(&file, &bytes).unwrap();
                eprintln!("seed {seed}, file {count}: {}", file.display());
                resume_unwind(payload);
            }
        }
        count += 1;
    }
    eprintln!("seed {seed}: {count} files, {loaded} of them are worlds");
    assert!(minutes.is_some() || (loaded > 50 && loaded < count), "{loaded} of {count}");
}

#[test]
fn changed_replays_are_refused_or_read() {
    let format = all();
    let mut world = world(3);
    let mut recorder = Recorder::<Input>::new(&format, &mut world).unwrap().with_states().with_checksum_every(1);
    let ids: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    for _ in 0..3 {
        recorder.next(&mut world, Input(vec![Tree::Leaf(ids[0])])).unwrap();
    }
    let bytes = recorder.finish(&mut world).unwrap().to_bytes().unwrap();
    let (mut random, mut read) = (Random(7), 0);
    for _ in 0..1500 {
        let mut changed = bytes.clone();
        mutate(&mut changed, &bytes, &mut random);
        if let Ok(replay) = Replay::<Input>::from_bytes(&signed(changed)) {
            assert!(Replay::<Input>::from_bytes(&replay.to_bytes().unwrap()).is_ok());
            read += 1;
        }
    }
    assert!(read > 50, "{read}");
}
