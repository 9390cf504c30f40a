//! Four recorded changes of each entity, by hand: the limits for commands.

use std::hint::black_box;

use super::baseline::Id;
use super::commands::{ROWS, gained};
use super::data::{Asleep, Goal, Kept, Speed, Tint};
use super::{Contestant, Sample, limits, undone};

/// The components that an entity gains.
type Gained = (Speed, Goal, Tint);

/// Sleeping entities, and awake entities, which have more components.
#[derive(Default)]
struct Sleepers {
    places: Vec<Place>,
    asleep_ids: Vec<Id>,
    asleep_kept: Vec<Kept>,
    asleep: Vec<Asleep>,
    awake_ids: Vec<Id>,
    awake_kept: Vec<Kept>,
    speeds: Vec<Speed>,
    goals: Vec<Goal>,
    tints: Vec<Tint>,
}

#[derive(Clone, Copy)]
struct Place {
    generation: u32,
    is_awake: bool,
    row: u32,
}

impl Sleepers {
    fn new(rows: usize) -> Self {
        let mut sleepers = Self::default();
        sleepers.put_to_sleep(rows);
        sleepers
    }

    /// Resets to the initial state.
    fn put_to_sleep(&mut self, rows: usize) {
        self.awake_ids.clear();
        self.awake_kept.clear();
        self.speeds.clear();
        self.goals.clear();
        self.tints.clear();
        self.places.clear();
        self.places.extend((0..rows as u32).map(|row| Place { generation: 1, is_awake: false, row }));
        self.asleep_ids.clear();
        self.asleep_ids.extend((0..rows as u32).map(|index| Id { index, generation: 1 }));
        self.asleep_kept.resize(rows, Kept(1.0));
        self.asleep.resize(rows, Asleep(1));
    }

    /// Moves an entity from the sleeping to the awake ones.
    #[inline(always)]
    fn wake(&mut self, id: Id, (speed, goal, tint): Gained) {
        let row = self.places[id.index as usize].row as usize;
        self.asleep_ids.swap_remove(row);
        self.asleep.swap_remove(row);
        self.awake_kept.push(self.asleep_kept.swap_remove(row));
        if let Some(moved) = self.asleep_ids.get(row) {
            self.places[moved.index as usize].row = row as u32;
        }
        let place = &mut self.places[id.index as usize];
        (place.is_awake, place.row) = (true, self.awake_ids.len() as u32);
        self.awake_ids.push(id);
        self.speeds.push(speed);
        self.goals.push(goal);
        self.tints.push(tint);
    }

    #[inline(always)]
    fn sleeps(&self, id: Id) -> bool {
        let place = self.places.get(id.index as usize);
        place.is_some_and(|place| place.generation == id.generation && !place.is_awake)
    }
}

/// One of the changes.
#[derive(Clone, Copy)]
enum Step {
    Speed(Speed),
    Goal(Goal),
    Tint(Tint),
    Wake,
}

/// One record for an entity, with all its changes. The id is trusted.
pub(super) fn bare() -> Contestant {
    limits::bare(one_record_each)
}

/// Four records for an entity, which are merged, and a checked id.
pub(super) fn honest() -> Contestant {
    limits::honest(a_record_for_each_step)
}

fn one_record_each() -> Sample {
    undone(
        (Sleepers::new(ROWS), Vec::<(Id, Gained)>::new()),
        |(sleepers, recorded)| {
            let gained = gained();
            recorded.extend(sleepers.asleep_ids.iter().map(|&id| (id, gained)));
            for (id, gained) in black_box(recorded).drain(..) {
                sleepers.wake(id, gained);
            }
        },
        |(sleepers, _)| {
            assert!(sleepers.asleep_ids.is_empty());
            sleepers.put_to_sleep(ROWS);
        },
    )
}

fn a_record_for_each_step() -> Sample {
    undone(
        (Sleepers::new(ROWS), Vec::<(Id, Step)>::new()),
        |(sleepers, recorded)| {
            let (speed, goal, tint) = gained();
            for &id in &sleepers.asleep_ids {
                recorded.push((id, Step::Speed(speed)));
                recorded.push((id, Step::Goal(goal)));
                recorded.push((id, Step::Tint(tint)));
                recorded.push((id, Step::Wake));
            }
            apply(sleepers, black_box(recorded));
            recorded.clear();
        },
        |(sleepers, _)| {
            assert!(sleepers.asleep_ids.is_empty());
            sleepers.put_to_sleep(ROWS);
        },
    )
}

fn apply(sleepers: &mut Sleepers, recorded: &[(Id, Step)]) {
    for steps in recorded.chunk_by(|(a, _), (b, _)| (a.index, a.generation) == (b.index, b.generation)) {
        let id = steps[0].0;
        let (mut speed, mut goal, mut tint, mut wakes) = (None, None, None, false);
        for &(_, step) in steps {
            match step {
                Step::Speed(value) => speed = Some(value),
                Step::Goal(value) => goal = Some(value),
                Step::Tint(value) => tint = Some(value),
                Step::Wake => wakes = true,
            }
        }
        if let (Some(speed), Some(goal), Some(tint), true) = (speed, goal, tint, wakes && sleepers.sleeps(id)) {
            sleepers.wake(id, (speed, goal, tint));
        }
    }
}
