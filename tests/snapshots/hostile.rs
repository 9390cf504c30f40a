//! Bytes that are made to do harm, with the right checksum: deltas, what is said of consumers, and files whose entities come to a living
//! world. Nothing panics, and what is refused changes nothing.

use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{ApplyError, LoadError, Problem, Replica, WorldFormat, components};
use strata_tests::alloc;

use super::consumers;
use super::deltas;
use super::fuzz::{self, Random, mutate, tries};
use super::saves::signed;

/// The state of consumers as in a file: schedules, removals, and ticks of spawns.
type Kept = (u8, String, Vec<u64>, Vec<u8>);
type SystemData = (String, u32, bool, u32, Vec<Kept>);
type ScheduleData = (String, bool, Vec<(String, u64)>, Vec<SystemData>);
type RemovalData = (String, u32, bool, u64, u64, Vec<u64>, Vec<u8>);
type ConsumersData = (Vec<ScheduleData>, Vec<RemovalData>, Option<(Vec<u32>, u32, u32)>);

/// A number that is likely to be wrong.
fn number(random: &mut Random, known: u64) -> u64 {
    const NUMBERS: [u64; 10] =
        [0, 1, 7, 1 << 16, 1 << 26, 1 << 31, u32::MAX as u64, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX];
    match random.below(3) {
        0 => known.wrapping_add([1, u64::MAX, 2, 100][random.below(4)]),
        1 => NUMBERS[random.below(NUMBERS.len())],
        _ => NUMBERS[random.below(NUMBERS.len())].wrapping_sub(random.below(4) as u64),
    }
}

/// Changes one thing that is said of consumers.
fn lie(data: &mut ConsumersData, random: &mut Random) {
    fn some<'l, T>(list: &'l mut [T], random: &mut Random) -> Option<&'l mut T> {
        let at = random.below(list.len());
        list.get_mut(at)
    }
    fn rearrange<T: Clone>(list: &mut Vec<T>, random: &mut Random) {
        if list.is_empty() {
            return;
        }
        let (one, other) = (random.below(list.len()), random.below(list.len()));
        match random.below(4) {
            0 => list.push(list[one].clone()),
            1 => drop(list.remove(one)),
            2 => list[one] = list[other].clone(),
            _ => list.swap(one, other),
        }
    }
    let (schedules, removals, spawns) = data;
    match random.below(12) {
        0 => rearrange(schedules, random),
        1 => rearrange(removals, random),
        2 => {
            if let Some((ticks, others, newest)) = spawns {
                match random.below(4) {
                    0 => rearrange(ticks, random),
                    1 => *others = number(random, (*others).into()) as u32,
                    2 => *newest = number(random, (*newest).into()) as u32,
                    _ => some(ticks, random).into_iter().for_each(|tick| *tick = number(random, (*tick).into()) as u32),
                }
            }
        }
        3 | 4 => {
            let Some((_, version, of_values, first, limit, entities, bytes)) = some(removals, random) else { return };
            match random.below(7) {
                0 => *version = number(random, (*version).into()) as u32,
                1 => *of_values ^= true,
                2 => *first = number(random, *first),
                3 => *limit = number(random, *limit),
                4 => rearrange(entities, random),
                5 => some(entities, random).into_iter().for_each(|bits| *bits = number(random, *bits)),
                _ => rearrange(bytes, random),
            }
        }
        _ => {
            let Some((_, has_run, held, systems)) = some(schedules, random) else { return };
            match random.below(8) {
                0 => *has_run ^= true,
                1 => rearrange(held, random),
                2 => some(held, random).into_iter().for_each(|(_, from)| *from = number(random, *from)),
                3 => rearrange(systems, random),
                _ => {
                    let Some((_, nth, is_condition, expected, kept)) = some(systems, random) else { return };
                    match random.below(8) {
                        0 => *nth = number(random, (*nth).into()) as u32,
                        1 => *is_condition ^= true,
                        2 => *expected = number(random, (*expected).into()) as u32,
                        3 => rearrange(kept, random),
                        _ => {
                            let Some((kind, _, numbers, bytes)) = some(kept, random) else { return };
                            match random.below(5) {
                                0 => *kind = random.below(6) as u8,
                                1 => rearrange(bytes, random),
                                2 => rearrange(numbers, random),
                                _ => some(numbers, random).into_iter().for_each(|own| *own = number(random, *own)),
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn lies_about_consumers_are_refused_or_make_a_world() {
    let format = consumers::format();
    let mut files = Vec::new();
    for turns in [5, 7, 12, 30] {
        let mut world = consumers::game(false);
        consumers::play(&mut world, 0..turns);
        let bytes = format.save(&mut world).unwrap();
        // The part with consumers is the last one, with its length before it.
        let with_nothing = format.clone().with_new_consumers().save(&mut world).unwrap();
        let nothing = postcard::to_extend(&ConsumersData::default(), Vec::new()).unwrap().len();
        let at = with_nothing.len() - nothing - 8;
        let len = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        assert_eq!(at + 8 + len, bytes.len());
        let data: ConsumersData = postcard::from_bytes(&bytes[at + 8..]).unwrap();
        files.push((bytes[..at].to_vec(), data));
    }
    let (mut loaded, mut refused) = (0, 0);
    tries(600, |random| {
        let (before, data) = &files[random.below(files.len())];
        let mut data = data.clone();
        (0..1 + random.below(3)).for_each(|_| lie(&mut data, random));
        let block = postcard::to_extend(&data, Vec::<u8>::new()).unwrap();
        let bytes = [&before[..], &(block.len() as u64).to_le_bytes(), &block].concat();
        let mut target = consumers::game(true);
        let (result, requested) = alloc::requesting(|| {
            let result = format.load(&mut target, &signed(bytes));
            if result.is_ok() {
                consumers::play(&mut target, 7..13);
                format.save(&mut target).unwrap();
            }
            result
        });
        assert!(requested < 64 << 20, "{requested} bytes");
        *(if result.is_ok() { &mut loaded } else { &mut refused }) += 1;
    });
    assert!(loaded.min(refused) > strata_tests::effort::rounds(50), "{loaded} loaded, {refused} refused");
}

#[test]
fn changed_deltas_are_refused_or_applied() {
    let (mut taken, mut refused) = (0, 0);
    let format = deltas::format();
    let (follower, before, bytes, full) = {
        let (format, mut follower, bytes) = deltas::small();
        let before = follower.world.snapshot().unwrap();
        let full = {
            let mut world = World::new();
            format.start_journal(&mut world, 8).unwrap();
            let ids: Vec<Entity> = world.spawn_batch((0..3).map(|_| ())).collect();
            world.entity_mut(ids[0]).insert((ChildOf(ids[1]), deltas::Rare(3), deltas::Wide([2; 3])));
            world.relate(ids[1], deltas::Hunts(3), ids[2]);
            format.full_delta(&mut world).unwrap().bytes
        };
        (follower, before, bytes, full)
    };
    let (replica, mut world) = (follower.replica, follower.world);
    tries(2000, |random| {
        let (own, other) = if random.below(3) == 0 { (&full, &bytes) } else { (&bytes, &full) };
        let mut changed = own.clone();
        mutate(&mut changed, other, random);
        let mut replica = replica.clone();
        let (result, requested) = alloc::requesting(|| replica.apply(&format, &mut world, &signed(changed)));
        assert!(requested < (64 << 20), "{requested} bytes");
        match result {
            Ok(_) => {
                world.check_invariants();
                world.restore(&before).unwrap();
                taken += 1;
            }
            Err(_) => refused += 1,
        }
    });
    assert!(
        taken > strata_tests::effort::rounds(20) && refused > strata_tests::effort::rounds(50),
        "{taken} {refused}"
    );
}

#[test]
fn entities_of_changed_files_come_or_do_not() {
    let files = fuzz::corpus();
    let format = fuzz::all();
    let (mut taken, mut refused) = (0, 0);
    tries(800, |random| {
        let mut bytes = files[random.below(files.len())].clone();
        if random.below(8) != 0 {
            mutate(&mut bytes, &files[random.below(files.len())], random);
        }
        let bytes = signed(bytes);
        let mut world = fuzz::world(random.below(9) as u64);
        let before = format.save(&mut world).unwrap();
        let keeping = random.below(2) == 0;
        let policy = if keeping { format.clone().keeping_ids() } else { format.clone() };
        match policy.skipping_unknown().load_entities(&mut world, &bytes) {
            Ok(map) => {
                world.check_invariants();
                assert!(
                    map.iter().all(|(source, own)| world.contains(own) && (keeping || source != Entity::PLACEHOLDER))
                );
                taken += 1;
            }
            Err(_) => {
                refused += 1;
                assert!(format.save(&mut world).unwrap() == before);
            }
        }
    });
    assert!(taken.min(refused) > strata_tests::effort::rounds(50), "{taken} {refused}");
}

/// A type may be named any number of times, and its values may take memory but no bytes.
#[test]
fn a_delta_has_one_column_of_a_component() {
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "empty")]
    struct Empty {
        #[serde(skip)]
        room: [Option<u64>; 16],
    }
    let format = WorldFormat::new().with_components(components![Empty]);
    let mut world = World::new();
    format.start_journal(&mut world, 1 << 10).unwrap();
    let ids: Vec<Entity> = world.spawn_batch((0..300).map(|_| Empty { room: [None; 16] })).collect();
    let mut replica = Replica::new();
    let full = format.full_delta(&mut world).unwrap();
    let mut there = World::new();
    replica.apply(&format, &mut there, &full.bytes).unwrap();
    ids.iter().for_each(|id| world.get_mut::<Empty>(*id).unwrap().room[0] = Some(1));
    let delta = format.delta_since(&mut world, &full.position).unwrap();
    let bytes = delta.bytes;
    let name = [&5_u64.to_le_bytes()[..], b"empty", &1_u32.to_le_bytes()].concat();
    let at = bytes.windows(name.len()).position(|part| part == name).unwrap();
    // The name before it says how many there are; the columns are at the end.
    const COUNT: u64 = 400;
    let column = [&0_u32.to_le_bytes()[..], &[1, 2], &0_u64.to_le_bytes()].concat();
    let of_column = bytes.windows(column.len()).rposition(|part| part == column).unwrap();
    let columns: Vec<u8> =
        (0..COUNT as u32).flat_map(|number| [&number.to_le_bytes()[..], &column[4..]].concat()).collect();
    let lying = [
        &bytes[..at - 8],
        &COUNT.to_le_bytes(),
        &name.repeat(COUNT as usize),
        &bytes[at + name.len()..of_column - 8],
        &COUNT.to_le_bytes(),
        &columns,
        &bytes[of_column + column.len()..],
    ]
    .concat();
    let (result, requested) = alloc::requesting(|| replica.apply(&format, &mut there, &signed(lying)));
    let error = result.unwrap_err();
    assert!(matches!(&error, ApplyError::Load(LoadError::Bytes { problem: Problem::Twice, .. })), "{error}");
    assert!(requested < 4 << 20, "{requested} bytes");
    replica.apply(&format, &mut there, &bytes).unwrap();
}
