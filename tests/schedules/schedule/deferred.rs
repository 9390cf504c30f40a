//! The time at which commands are applied, determined by which systems see their effects.

use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleConfigs;

use super::Set::{First, Second};
use super::{schedule, use_threads};

#[derive(Component)]
struct Made;

fn make(mut commands: Commands<'_, '_>) {
    commands.spawn(Made);
}

/// Notes how many it sees.
#[derive(Clone, Default)]
struct Counts(Arc<Mutex<Vec<usize>>>);

impl Counts {
    fn count(&self) -> ScheduleConfigs {
        let counts = self.clone();
        let count = move |all: Query<'_, '_, &Made>| counts.add(all.count());
        count.into_configs()
    }

    fn add(&self, count: usize) {
        self.0.lock().expect("no panic poisons it").push(count);
    }

    /// A run in a new world.
    fn run(self, schedule: &mut Schedule) -> Vec<usize> {
        schedule.run(&mut World::new());
        self.take()
    }

    fn take(&self) -> Vec<usize> {
        std::mem::take(&mut self.0.lock().expect("no panic poisons it"))
    }
}

#[test]
fn commands_are_applied_before_what_is_ordered_after() {
    let counts = Counts::default();
    let mut chain = schedule((make, counts.count(), make, counts.count()).chain());
    assert_eq!(counts.run(&mut chain), [1, 2]);
    let counts = Counts::default();
    let mut after = schedule((counts.count().after(First), make.in_set(First), make));
    // They are applied together, in the order of the systems.
    assert_eq!(counts.run(&mut after), [2]);
}

#[test]
fn commands_of_systems_without_an_order_are_applied_at_the_end() {
    let counts = Counts::default();
    let mut schedule = schedule((make, counts.count(), make, counts.count()));
    let mut world = World::new();
    schedule.run(&mut world);
    assert_eq!((counts.take(), world.len()), (vec![0, 0], 2));
    schedule.run(&mut world);
    assert_eq!((counts.take(), world.len()), (vec![2, 2], 4));
}

#[test]
fn where_it_may_be_ignored_commands_are_applied_later() {
    let counts = Counts::default();
    let mut chain = schedule((make, counts.count()).chain_ignore_deferred());
    assert_eq!(counts.run(&mut chain), [0]);
    let counts = Counts::default();
    let mut single = schedule((make, counts.count().after_ignore_deferred(make)));
    assert_eq!(counts.run(&mut single), [0]);
    let counts = Counts::default();
    let mut both = schedule((make, counts.count().after_ignore_deferred(make), counts.count().after(make)));
    assert_eq!(counts.run(&mut both), [0, 1]);
}

#[test]
fn what_was_ignored_once_is_seen_later_in_the_chain() {
    let counts = Counts::default();
    let inner = (make, counts.count()).chain_ignore_deferred();
    let mut chain = schedule((inner, counts.count()).chain());
    assert_eq!(counts.run(&mut chain), [0, 1]);
}

#[test]
fn commands_cross_sets_and_empty_sets() {
    let counts = Counts::default();
    let mut through = schedule((counts.count().after(Second), make.before(First)));
    through.configure_sets((First, Second).chain());
    assert_eq!(counts.run(&mut through), [1]);
    let counts = Counts::default();
    let mut ignored = schedule((counts.count().after_ignore_deferred(First), make.in_set(First)));
    assert_eq!(counts.run(&mut ignored), [0]);
}

#[test]
fn there_are_as_few_applications_as_can_be() {
    // Three pairs: the commands of all first ones are applied once, before all second ones.
    let counts = Counts::default();
    let pair = || (make, counts.count()).chain();
    let mut pairs = schedule((pair(), pair(), pair()));
    assert_eq!(counts.clone().run(&mut pairs), [3, 3, 3]);
    // A system that is not ordered after any commands runs before the first application.
    let counts = Counts::default();
    let mut aside = schedule(((make, counts.count()).chain(), counts.count()));
    assert_eq!(counts.run(&mut aside), [0, 1]);
}

#[test]
fn systems_without_commands_between_two_others_need_no_application() {
    let counts = Counts::default();
    let mut chain = schedule((counts.count(), || (), counts.count(), make, || (), counts.count()).chain());
    assert_eq!(counts.run(&mut chain), [0, 0, 1]);
}

#[test]
fn an_exclusive_system_sees_the_commands_only_of_what_it_is_ordered_after() {
    for (ordered, expected) in [(true, 1), (false, 0)] {
        let seen = Arc::new(Mutex::new(None));
        let note = {
            let seen = Arc::clone(&seen);
            move |world: &mut World| {
                *seen.lock().expect("no panic poisons it") = Some(world.query::<&Made>().count(world))
            }
        };
        let mut schedule = if ordered { schedule((make, note).chain()) } else { schedule((make, note)) };
        schedule.run(&mut World::new());
        assert_eq!(*seen.lock().expect("no panic poisons it"), Some(expected));
    }
}

/// An exclusive system that notes how many it sees.
fn note(counts: &Counts) -> ScheduleConfigs {
    let counts = counts.clone();
    let note = move |world: &mut World| {
        let count = world.query::<&Made>().count(world);
        counts.add(count);
    };
    note.into_configs()
}

#[test]
fn an_exclusive_system_sees_commands_that_the_order_ignores() {
    let cases: [fn(&Counts) -> ScheduleConfigs; 10] = [
        |seen| (make, note(seen)).chain_ignore_deferred(),
        |seen| (note(seen), make, note(seen)).chain_ignore_deferred(),
        |seen| (make, note(seen), note(seen), make, note(seen)).chain_ignore_deferred(),
        // The system in between ignores the commands, or has some itself.
        |seen| (make, seen.count(), note(seen)).chain_ignore_deferred(),
        |seen| (make, make, seen.count(), note(seen)).chain_ignore_deferred(),
        |seen| (make, (|| (), note(seen))).chain_ignore_deferred(),
        |seen| ((make, || ()), (|| (), (note(seen), || ()).chain_ignore_deferred())).chain_ignore_deferred(),
        |seen| (note(seen).after_ignore_deferred(First), make.in_set(First)).into_configs(),
        |seen| (note(seen).in_set(Second), make.before_ignore_deferred(Second)).into_configs(),
        |seen| {
            let counts = seen.clone();
            let note = move |In(()): In<()>, world: &mut World| counts.add(world.query::<&Made>().count(world));
            (make, (|| ()).pipe(note)).chain_ignore_deferred()
        },
    ];
    let expected: [&[usize]; 10] = [&[1], &[0, 1], &[1, 1, 2], &[0, 1], &[0, 2], &[1], &[1], &[1], &[1], &[1]];
    for (number, (case, expected)) in cases.into_iter().zip(expected).enumerate() {
        for threads in [1, 4] {
            let counts = Counts::default();
            let mut schedule = schedule(case(&counts));
            let mut world = World::new();
            use_threads(&mut world, &mut schedule, threads);
            schedule.run(&mut world);
            assert_eq!(counts.take(), expected, "case {number} on {threads} threads");
        }
    }
}

#[test]
fn commands_that_an_order_ignores_are_applied_before_the_next_order_that_does_not() {
    let counts = Counts::default();
    let mut after =
        schedule((make, counts.count().in_set(First).after_ignore_deferred(make), counts.count().after(First)));
    assert_eq!(counts.run(&mut after), [0, 1]);
    let counts = Counts::default();
    let mut sets = schedule((make.before_ignore_deferred(First), counts.count().in_set(Second)));
    sets.configure_sets((First, Second).chain());
    assert_eq!(counts.run(&mut sets), [1]);
}

#[test]
fn the_conditions_of_a_set_see_the_commands_of_what_the_set_is_ordered_after() {
    let counts = Counts::default();
    let mut schedule = schedule((counts.count().in_set(First), make));
    let any = |all: Query<'_, '_, &Made>| !all.is_empty();
    schedule.configure_sets(First.after(make).run_if(any));
    assert_eq!(counts.run(&mut schedule), [1]);
}

#[test]
fn commands_of_both_systems_of_a_pipe_are_applied() {
    let first = |mut commands: Commands<'_, '_>| _ = commands.spawn(Made);
    let second = |In(()): In<()>, mut commands: Commands<'_, '_>| _ = commands.spawn(Made);
    let counts = Counts::default();
    let mut schedule = schedule((first.pipe(second).in_set(First), counts.count().after(First)));
    assert_eq!(counts.run(&mut schedule), [2]);
}
