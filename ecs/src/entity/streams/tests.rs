//! Compares streams with a model that hands out positions one by one. Tasks reserve ids in random orders.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::entity::{IdForecasts, SystemKey, id_window};

/// Marsaglia's xorshift, which is good enough for shuffling.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }
}

/// The actions of one task, in order.
#[derive(Clone, Debug)]
enum Use {
    One,
    /// The number of ids that each part takes, and the window of the parts.
    SplitStream(Vec<usize>, u32),
}

/// Returns the numbers of each of several streams. The numbers from `first` on are divided: first windows, then chunks of length `chunk` in
/// rotation.
fn deal(first: u64, windows: &[u32], needed: &[usize], chunk: u64) -> Vec<Vec<u64>> {
    let mut next = first;
    let mut streams: Vec<Vec<u64>> = vec![Vec::new(); windows.len()];
    for (stream, &window) in streams.iter_mut().zip(windows) {
        stream.extend(next..next + u64::from(window));
        next += u64::from(window);
    }
    while streams.iter().zip(needed).any(|(stream, &needed)| stream.len() < needed) {
        for stream in &mut streams {
            stream.extend(next..next + chunk);
            next += chunk;
        }
    }
    streams.iter_mut().zip(needed).for_each(|(stream, &needed)| stream.truncate(needed));
    streams
}

/// Returns the numbers that a task takes from its stream, in the order in which they become pending, and the end of the stream.
fn numbers(uses: &[Use]) -> (Vec<u64>, u64) {
    let (mut taken, mut next) = (Vec::new(), 0);
    for one in uses {
        match one {
            Use::One => {
                taken.push(next);
                next += 1;
            }
            Use::SplitStream(parts, window) => {
                let windows = vec![*window; parts.len()];
                let dealt: Vec<u64> = deal(next, &windows, parts, 8).concat();
                next = dealt.iter().map(|nth| nth + 1).max().unwrap_or(next);
                taken.extend(dealt);
            }
        }
    }
    (taken, next)
}

/// Returns the ids that each task gets, in the order in which they become pending.
fn expected(entities: &Entities, windows: &[u32], tasks: &[Vec<Use>]) -> Vec<Vec<Entity>> {
    let numbers: Vec<_> = tasks.iter().map(|uses| numbers(uses)).collect();
    let all: Vec<u32> = windows.iter().copied().chain([0]).collect();
    let needed: Vec<usize> = numbers.iter().map(|(_, end)| *end as usize).chain([0]).collect();
    let dealt = deal(0, &all, &needed, 64);
    let end = dealt.iter().flatten().map(|position| position + 1).max().unwrap_or(0);
    let fresh = entities.slots.len() as u32..;
    let indexes: Vec<u32> = entities.free.iter().rev().copied().chain(fresh).take(end as usize).collect();
    let id = |position: u64| {
        let index = indexes[position as usize];
        let slot = entities.slots.get(index as usize);
        Entity::new(index, slot.map_or(entities.first_generation, |slot| NonZeroU32::new(slot.generation).unwrap()))
    };
    let ids = |(task, (taken, _)): (usize, &(Vec<u64>, u64))| {
        taken.iter().map(|&nth| id(dealt[task][nth as usize])).collect()
    };
    numbers.iter().enumerate().map(ids).collect()
}

/// A running task. The parts of a split reserve one id at a time, in any order, until all of them have finished.
struct Task<'w> {
    ids: IdSource<'w>,
    uses: Vec<Use>,
    split: Option<(SplitStream<'w>, Vec<usize>, Vec<Vec<Entity>>)>,
    got: Vec<Entity>,
}

impl Task<'_> {
    /// Runs one step. False at the end.
    fn step(&mut self, random: &mut Random) -> bool {
        if let Some((split, left, got)) = &mut self.split {
            let open: Vec<usize> = (0..left.len()).filter(|&part| left[part] > 0).collect();
            if open.is_empty() {
                let most = got.iter().map(Vec::len).max().unwrap_or(0);
                assert_eq!(split.most() as usize, most);
                self.got.extend(got.concat());
                self.split = None;
                return true;
            }
            let part = open[random.below(open.len())];
            left[part] -= 1;
            let id = split.part(part as u32).reserve().unwrap();
            assert_eq!(self.ids.locate(id), Err(EntityError::Reserved(id)));
            got[part].push(id);
            return true;
        }
        if self.uses.is_empty() {
            return false;
        }
        match self.uses.remove(0) {
            Use::One => self.got.push(self.ids.reserve().unwrap()),
            Use::SplitStream(parts, window) => {
                let got = vec![Vec::new(); parts.len()];
                self.split = Some((self.ids.split(parts.len() as u32, window), parts, got));
            }
        }
        true
    }
}

/// Returns the visible state of the allocator.
fn state(entities: &Entities) -> (Vec<u32>, Vec<(u32, u32)>) {
    let slots = entities.slots.iter().map(|slot| (slot.generation, slot.table.0));
    (entities.free.clone(), slots.collect())
}

/// Runs the tasks interleaved in some order, and returns the ids of each task and the ids that became pending.
fn run(entities: &mut Entities, windows: &[u32], tasks: &[Vec<Use>], seed: u64) -> (Vec<Vec<Entity>>, Vec<Entity>) {
    let mut random = Random(seed);
    entities.open_streams(windows.iter().copied());
    let mut running: Vec<Task<'_>> = (0..)
        .zip(tasks)
        .map(|(number, uses)| Task { ids: entities.stream(number), uses: uses.clone(), split: None, got: Vec::new() })
        .collect();
    let mut open: Vec<usize> = (0..tasks.len()).collect();
    while !open.is_empty() {
        let at = random.below(open.len());
        if !running[open[at]].step(&mut random) {
            open.remove(at);
        }
    }
    let got = running.into_iter().map(|task| task.got).collect();
    for (number, uses) in (0..).zip(tasks) {
        assert_eq!(entities.stream(number).taken(), numbers(uses).1);
    }
    let mut pending = Vec::new();
    entities.close_streams(&mut pending).unwrap();
    (got, pending)
}

/// Returns the expected free list after a run.
fn expected_free(before: &Entities, taken: &[Entity]) -> Vec<u32> {
    let taken: BTreeSet<u32> = taken.iter().map(|id| id.index()).collect();
    let bound = before.slots.len() as u32;
    let end = taken.last().map_or(bound, |&last| bound.max(last + 1));
    before.free.iter().copied().chain((bound..end).rev()).filter(|index| !taken.contains(index)).collect()
}

fn place(entities: &mut Entities, ids: &[Entity]) {
    for (row, &id) in (0..).zip(ids) {
        entities.place(id, Location { table: TableId::EMPTY, row });
    }
}

/// Entities of which some were freed, in some order.
fn with_holes(random: &mut Random, count: usize) -> Entities {
    let mut entities = Entities::default();
    let mut ids = Vec::new();
    entities.allocate_rows(count, Location { table: TableId::EMPTY, row: 0 }, &mut ids);
    for _ in 0..random.below(count + 1) {
        let id = ids.swap_remove(random.below(ids.len()));
        entities.free(id);
    }
    entities
}

fn some_uses(random: &mut Random) -> Vec<Use> {
    let count = [0, 0, 3, 40, 200][random.below(5)];
    let mut uses: Vec<Use> = (0..random.below(count + 1)).map(|_| Use::One).collect();
    for _ in 0..random.below(4).saturating_sub(1) {
        let parts = (0..random.below(5)).map(|_| random.below(150)).collect();
        uses.insert(random.below(uses.len() + 1), Use::SplitStream(parts, random.below(40) as u32));
    }
    uses
}

#[test]
fn ids_depend_on_what_each_task_reserves_and_not_on_the_order() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..30 {
        let seed = round * 7 + 1;
        let twin = || with_holes(&mut Random(seed), 1 + round as usize * 10);
        let (mut one, mut other) = (twin(), twin());
        for _ in 0..6 {
            let tasks: Vec<Vec<Use>> = (0..random.below(6)).map(|_| some_uses(&mut random)).collect();
            let windows: Vec<u32> = tasks.iter().map(|_| [0, 1, 16, 100][random.below(4)]).collect();
            let ids = expected(&one, &windows, &tasks);
            let free = expected_free(&one, &ids.concat());
            let (got, pending) = run(&mut one, &windows, &tasks, random.below(1 << 30) as u64 + 1);
            let (again, _) = run(&mut other, &windows, &tasks, random.below(1 << 30) as u64 + 1);
            assert_eq!(got, ids);
            assert_eq!(again, ids);
            assert_eq!(pending, ids.concat());
            assert_eq!(pending.iter().collect::<BTreeSet<_>>().len(), pending.len());
            assert_eq!(one.free, free);
            assert_eq!(state(&one), state(&other));
            for entities in [&mut one, &mut other] {
                place(entities, &pending);
                entities.check_invariants();
            }
            let mut ends = pending;
            for _ in 0..random.below(ends.len() + 1) {
                let id = ends.swap_remove(random.below(ends.len()));
                one.free(id);
                other.free(id);
            }
        }
    }
}

#[test]
fn nothing_changes_if_no_id_is_reserved() {
    let mut entities = with_holes(&mut Random(5), 20);
    let before = state(&entities);
    let mut pending = Vec::new();
    for windows in [vec![], vec![0], vec![64; 100]] {
        entities.open_streams(windows.into_iter());
        assert_eq!(entities.stream(0).split(0, 8).most(), 0);
        entities.close_streams(&mut pending).unwrap();
        assert_eq!((state(&entities), pending.len()), (before.clone(), 0));
        entities.check_invariants();
    }
    let bytes = entities.allocated_bytes();
    entities.open_streams([3; 100].into_iter());
    entities.close_streams(&mut pending).unwrap();
    assert_eq!(entities.allocated_bytes(), bytes);
    entities.shrink_to_fit();
    assert!(entities.allocated_bytes() < bytes);
}

#[test]
fn ids_without_a_stream_belong_to_no_stream() {
    let mut entities = with_holes(&mut Random(5), 20);
    entities.open_streams([3, 0].into_iter());
    let mut ids = Vec::new();
    for _ in 0..70 {
        ids.push(entities.stream(0).reserve().unwrap());
        ids.push(entities.reserve().unwrap());
        ids.extend(entities.reserve_many(5).unwrap());
        ids.extend(entities.reserve_many(0).unwrap());
        ids.push(entities.stream(1).reserve().unwrap());
        // This stream does not exist, so the shared one is used.
        ids.push(entities.stream(9).reserve().unwrap());
    }
    let unknown = Entity::new(5000, entities.first_generation);
    assert!(ids.iter().all(|&id| entities.why_not(id) == EntityError::Reserved(id)));
    assert_eq!(entities.why_not(unknown), EntityError::Unknown(unknown));
    let last = ids.iter().map(|id| id.index()).max().unwrap() + 1;
    let mine: BTreeSet<u32> = ids.iter().map(|id| id.index()).collect();
    for index in (20..last + 70).filter(|index| !mine.contains(index)) {
        let id = Entity::new(index, entities.first_generation);
        assert_eq!(entities.why_not(id), EntityError::Unknown(id));
    }
    let mut pending = Vec::new();
    entities.close_streams(&mut pending).unwrap();
    assert_eq!(pending.iter().collect::<BTreeSet<_>>(), ids.iter().collect());
    assert_eq!(pending.len(), 70 * 9);
    place(&mut entities, &pending);
    entities.check_invariants();
}

#[test]
fn running_out_of_indexes_in_a_stream_is_an_error_and_changes_nothing() {
    let mut entities = Entities::with_limit(100);
    for _ in 0..3 {
        entities.open_streams([10, 0].into_iter());
        let counts: Vec<usize> =
            [0, 1].iter().map(|&task| iter::from_fn(|| entities.stream(task).reserve().ok()).count()).collect();
        // The second stream begins after a chunk of the first, which has not used all of it.
        assert_eq!(counts, [10 + 64, 26]);
        assert_eq!(entities.stream(0).reserve(), Err(EntityIdsExhausted));
        assert_eq!(entities.reserve(), Err(EntityIdsExhausted));
        assert!(entities.reserve_many(1).is_err());
        let split = entities.stream(1).split(2, 5);
        assert_eq!(split.part(0).reserve(), Err(EntityIdsExhausted));
        drop(split);
        let mut pending = Vec::new();
        entities.close_streams(&mut pending).unwrap();
        assert_eq!(pending.len(), 100);
        place(&mut entities, &pending);
        entities.check_invariants();
        assert_eq!(entities.allocate(), Err(EntityIdsExhausted));
        pending.iter().for_each(|&id| entities.free(id));
    }
}

#[test]
fn a_stream_that_is_split_gives_common_ids_and_a_part_is_not_split_again() {
    let mut entities = Entities::default();
    entities.open_streams([100].into_iter());
    let ids = entities.stream(0);
    let first = ids.reserve().unwrap();
    let split = ids.split(2, 4);
    let part = split.part(1);
    let inner = part.split(3, 4);
    let second = ids.split(2, 4);
    let got = [part.reserve(), inner.part(2).reserve(), ids.reserve(), second.part(1).reserve()]
        .map(|id| id.unwrap().index());
    // The part begins after one id and the other part; the shared stream after the window and a chunk.
    assert_eq!((first.index(), got), (0, [5, 6, 164, 165]));
    drop((inner, second));
    assert_eq!(part.reserve().unwrap().index(), 7);
    drop(split);
    assert_eq!(ids.reserve().unwrap().index(), 8);
    let mut pending = Vec::new();
    entities.close_streams(&mut pending).unwrap();
    let indexes: Vec<u32> = pending.iter().map(|id| id.index()).collect();
    assert_eq!(indexes, [0, 5, 6, 7, 8, 164, 165]);
    assert_eq!(entities.free[entities.free.len() - 4..], [4, 3, 2, 1]);
    // Without streams nothing can be split.
    place(&mut entities, &pending);
    let split = entities.stream(0).split(2, 4);
    assert_eq!([split.part(0), split.part(1)].map(|ids| ids.reserve().unwrap().index()), [1, 2]);
}

#[test]
fn a_split_that_was_forgotten_is_closed_with_its_stream() {
    let mut entities = Entities::default();
    entities.open_streams([8].into_iter());
    let split = entities.stream(0).split(2, 2);
    let ids = [split.part(1).reserve().unwrap(), split.part(0).reserve().unwrap()];
    mem::forget(split);
    let mut pending = Vec::new();
    entities.close_streams(&mut pending).unwrap();
    assert_eq!(pending, [ids[1], ids[0]]);
    place(&mut entities, &pending);
    entities.check_invariants();
}

#[cfg(feature = "std")]
#[test]
fn threads_get_the_ids_that_one_would() {
    use std::thread;

    let uses: Vec<usize> = vec![300, 0, 7, 1000];
    let (windows, parts) = ([256, 0, 16, 64], [500, 20, 0]);
    let tasks: Vec<Vec<Use>> = uses
        .iter()
        .map(|&count| iter::repeat_n(Use::One, count).chain([Use::SplitStream(parts.to_vec(), 32), Use::One]).collect())
        .collect();
    let mut one = with_holes(&mut Random(3), 700);
    let mut many = with_holes(&mut Random(3), 700);
    let (expected, expected_pending) = run(&mut one, &windows, &tasks, 77);
    many.open_streams(windows.into_iter());
    let entities = &many;
    let task = |number: usize| {
        let ids = entities.stream(number as u32);
        let mut got: Vec<Entity> = (0..uses[number]).map(|_| ids.reserve().unwrap()).collect();
        let split = ids.split(3, 32);
        thread::scope(|scope| {
            let part = |part: usize| (0..parts[part]).map(|_| split.part(part as u32).reserve().unwrap()).collect();
            let running: [_; 3] = core::array::from_fn(|number| scope.spawn(move || -> Vec<Entity> { part(number) }));
            running.into_iter().for_each(|part| got.extend(part.join().unwrap()));
        });
        drop(split);
        got.push(ids.reserve().unwrap());
        got
    };
    let got: Vec<Vec<Entity>> = thread::scope(|scope| {
        let running: [_; 4] = core::array::from_fn(|number| scope.spawn(move || task(number)));
        running.into_iter().map(|task| task.join().unwrap()).collect()
    });
    let mut pending = Vec::new();
    many.close_streams(&mut pending).unwrap();
    assert_eq!(got, expected);
    assert_eq!(pending, expected_pending);
    assert_eq!(state(&many), state(&one));
}

#[test]
fn windows_that_fit_keep_the_ids_of_a_task_together() {
    let mut entities = Entities::default();
    let mut forecasts = IdForecasts::default();
    let system = forecasts.register(SystemKey::new(None::<u32>, "spawn", 0));
    for round in 0..3 {
        entities.open_streams([id_window(forecasts.wanted(system)), 0].into_iter());
        let ids: Vec<u32> = (0..100).map(|_| entities.stream(0).reserve().unwrap().index()).collect();
        assert_eq!(ids.windows(2).all(|pair| pair[0] + 1 == pair[1]), round > 0);
        forecasts.note(system, entities.stream(0).taken() as u32);
        let mut pending = Vec::new();
        entities.close_streams(&mut pending).unwrap();
        place(&mut entities, &pending);
        // Reset the allocator as in a new world.
        entities = Entities::default();
    }
}
