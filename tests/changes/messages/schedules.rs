//! When messages age in schedules, and which readers see them then.

use strata_ecs::prelude::*;

use super::{Hit, Log, log, take_log, world};

/// Writes the number of the run.
fn hit(mut hits: MessageWriter<'_, Hit>, mut run: Local<'_, u32>) {
    hits.write(Hit(*run));
    *run += 1;
}

/// Holds in the runs that are a multiple of `N`, from the first.
fn each<const N: u32>(mut run: Local<'_, u32>) -> bool {
    let holds = run.is_multiple_of(N);
    *run += 1;
    holds
}

#[test]
fn a_reader_in_each_run_sees_each_message_once_wherever_it_stands() {
    for before in [true, false] {
        let mut world = world();
        let mut schedule = Schedule::default();
        if before {
            schedule.add_systems((log, hit));
        } else {
            schedule.add_systems((hit, log));
        }
        (0..10).for_each(|_| schedule.run(&mut world));
        assert_eq!(take_log(&mut world), (0..if before { 9 } else { 10 }).collect::<Vec<_>>());
    }
}

#[test]
fn a_message_of_a_run_is_there_until_the_end_of_the_next() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(hit);
    for run in 0..5 {
        schedule.run(&mut world);
        let messages = world.resource::<Messages<Hit>>();
        let there: Vec<u32> = messages.get_cursor().read(messages).map(|hit| hit.0).collect();
        assert_eq!(there, (run.max(1) - 1..=run).collect::<Vec<u32>>());
    }
}

#[test]
fn a_message_between_two_runs_is_there_in_the_next() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(log);
    world.write_message(Hit(1));
    schedule.run(&mut world);
    assert_eq!(take_log(&mut world), [1]);
    world.write_message(Hit(2));
    for expected in [&[2][..], &[], &[]] {
        schedule.run(&mut world);
        assert_eq!(take_log(&mut world), expected);
    }
    assert!(world.resource::<Messages<Hit>>().is_empty());
}

/// The messages that a reader read, and the number of missed messages that was reported to it.
#[derive(Resource, Default)]
struct Books {
    read: Vec<u32>,
    missed: u64,
}

fn keep_books(mut hits: MessageReader<'_, '_, Hit>, mut books: ResMut<'_, Books>) {
    books.read.extend(hits.read().map(|hit| hit.0));
    books.missed += hits.take_missed();
}

#[test]
fn hazard_53_a_reader_that_runs_rarely_loses_what_is_counted_and_nothing_else() {
    fn check<const N: u32>(with_attribute: bool) {
        #[system(run_if(each::<N>))]
        fn rarely<const N: u32>(mut hits: MessageReader<Hit>, mut books: ResMut<Books>) {
            books.read.extend(hits.read().map(|hit| hit.0));
            books.missed += hits.take_missed();
        }
        let mut world = world();
        world.init_resource::<Books>();
        let mut schedule = Schedule::default();
        schedule.add_systems(hit);
        if with_attribute {
            schedule.add_systems(rarely::<N>);
        } else {
            schedule.add_systems(keep_books.run_if(each::<N>));
        }
        (0..12 * N + 1).for_each(|_| schedule.run(&mut world));
        let books = world.resource::<Books>();
        let written = u64::from(12 * N + 1);
        assert_eq!(books.read.len() as u64 + books.missed, written);
        assert!(books.read.windows(2).all(|pair| pair[0] < pair[1]));
        // Only the messages of the last two runs still exist.
        assert_eq!(books.missed, u64::from(12 * N.saturating_sub(2)));
    }
    check::<1>(false);
    check::<2>(false);
    check::<3>(true);
    check::<7>(false);
    check::<7>(true);
}

/// A system that its condition keeps from running from the start counts too.
#[test]
fn hazard_53_a_reader_that_has_never_run_counts() {
    #[derive(Resource)]
    struct On;
    let on = |on: Option<Res<'_, On>>| on.is_some();
    let mut world = world();
    world.init_resource::<Books>();
    let mut schedule = Schedule::default();
    schedule.add_systems((hit, (keep_books, || ()).run_if(on)));
    (0..10).for_each(|_| schedule.run(&mut world));
    world.insert_resource(On);
    schedule.run(&mut world);
    let books = world.resource::<Books>();
    assert_eq!((&books.read[..], books.missed), (&[9, 10][..], 9));
}

#[test]
fn a_schedule_may_run_without_ending_frames() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems(hit).set_ends_frames(false);
    (0..5).for_each(|_| schedule.run(&mut world));
    assert_eq!((world.frame_number(), world.resource::<Messages<Hit>>().len()), (0, 5));
    world.update_messages();
    assert_eq!((world.frame_number(), world.resource::<Messages<Hit>>().len()), (0, 5));
    world.update_messages();
    assert!(world.resource::<Messages<Hit>>().is_empty());
    // The first run is a run of a schedule that has not run in this frame.
    schedule.set_ends_frames(true);
    (0..3).for_each(|_| schedule.run(&mut world));
    assert_eq!((world.frame_number(), world.resource::<Messages<Hit>>().len()), (2, 2));
}

#[test]
fn messages_age_however_they_came_into_the_world() {
    #[derive(Message, Default)]
    struct Inserted(u32);
    let mut world = World::new();
    let mut messages = Messages::<Inserted>::default();
    messages.write_default();
    world.insert_resource(messages);
    world.init_resource::<Messages<Hit>>();
    world.resource_mut::<Messages<Hit>>().write(Hit(1));
    let mut schedule = Schedule::default();
    let lens = |world: &World| (world.resource::<Messages<Inserted>>().len(), world.resource::<Messages<Hit>>().len());
    for expected in [(1, 1), (1, 1), (0, 0)] {
        schedule.run(&mut world);
        assert_eq!(lens(&world), expected);
    }
    world.remove_resource::<Messages<Hit>>();
    schedule.run(&mut world);
    assert_eq!(world.write_message(Hit(1)).id, 0);
    schedule.run(&mut world);
    assert_eq!(lens(&world), (0, 1));
}

#[test]
fn a_system_reads_each_world_from_its_beginning() {
    let mut schedule = Schedule::default();
    schedule.add_systems(log);
    for _ in 0..2 {
        let mut world = World::new();
        world.init_resource::<Log>();
        world.write_message_batch([Hit(1), Hit(2)]);
        schedule.run(&mut world);
        assert_eq!(take_log(&mut world), [1, 2]);
    }
}
