//! One queue for all commands, against a queue for each: the worlds that come out are the same, and so are the errors.

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::entity::EntityError;
use strata_ecs::prelude::*;
use strata_tests::drops;

use super::commands::{Command, Kept, Recorder, plain_command};
use super::operations::kind;
use super::parts::{Make, REQUIRED_TOKENS, Row, with_bundle};
use super::replay::take_faults;
use super::watch::read;

/// The visible state of the world afterwards. Entities are identified by the order in which they became known, because their ids may
/// differ. Values that were constructed because a component requires them do not count: they are not constructed if a later command of the
/// sequence would replace them.
#[derive(Debug, PartialEq)]
struct Outcome {
    rows: Vec<Option<Row>>,
    faults: Vec<(&'static str, &'static str, usize)>,
    resource: Option<u32>,
    made: usize,
    dropped: usize,
}

/// A world with some entities, of which every fourth has been despawned.
fn world(kinds: &[u8]) -> (World, Vec<Entity>) {
    drops::reset();
    REQUIRED_TOKENS.set(0);
    let mut world = World::new();
    let spawn = |(at, kind): (usize, &u8)| with_bundle!(kind, M => world.spawn(M::make(20_000 + 10 * at as u32)).id());
    let known: Vec<Entity> = kinds.iter().enumerate().map(spawn).collect();
    for entity in known.iter().skip(3).step_by(4) {
        world.despawn(*entity);
    }
    (world, known)
}

fn outcome(mut world: World, recorder: &Recorder) -> Outcome {
    world.check_invariants();
    drops::assert_none_twice();
    let known = recorder.with(|record| record.known.clone());
    let place = |entity: Entity| known.iter().position(|known| *known == entity).unwrap_or(usize::MAX);
    let fault = |(command, bundle, error): (_, _, EntityError)| {
        assert!(matches!(error, EntityError::Despawned(_) | EntityError::Unknown(_)), "{error}");
        (command, bundle, place(error.entity()))
    };
    let outcome = Outcome {
        rows: known.iter().map(|entity| read(&world, *entity)).collect(),
        faults: take_faults(&mut world).into_iter().map(fault).collect(),
        resource: world.get_resource::<Kept>().map(|kept| kept.value),
        made: drops::alive() + drops::dropped() - REQUIRED_TOKENS.get(),
        // As many of those that were required are alive in all worlds.
        dropped: drops::dropped() + 10_000 - REQUIRED_TOKENS.get(),
    };
    drop(world);
    drops::assert_all_dropped_once();
    outcome
}

/// All commands through one queue.
fn together(kinds: &[u8], commands: &[Command]) -> Outcome {
    let (mut world, known) = world(kinds);
    let recorder = Recorder::new(known);
    let mut queue = CommandQueue::default();
    recorder.record(&mut Commands::new(&mut queue, &world), commands);
    queue.apply(&mut world);
    outcome(world, &recorder)
}

/// Each command through a queue of its own.
fn one_by_one(kinds: &[u8], commands: &[Command]) -> Outcome {
    let (mut world, known) = world(kinds);
    let recorder = Recorder::new(known);
    for single in commands.iter().flat_map(Command::singles) {
        let mut queue = CommandQueue::default();
        recorder.record(&mut Commands::new(&mut queue, &world), &[single]);
        queue.apply(&mut world);
        world.flush();
    }
    outcome(world, &recorder)
}

/// Each command through a queue of its own, but all of them recorded before the first is applied.
fn recorded_first(kinds: &[u8], commands: &[Command]) -> Outcome {
    let (mut world, known) = world(kinds);
    let recorder = Recorder::new(known);
    let mut queues = Vec::new();
    for single in commands.iter().flat_map(Command::singles) {
        let mut queue = CommandQueue::default();
        recorder.record(&mut Commands::new(&mut queue, &world), &[single]);
        queues.push(queue);
    }
    for mut queue in queues {
        queue.apply(&mut world);
        world.check_invariants();
    }
    outcome(world, &recorder)
}

/// As `recorded_first`, but the queues are put together again before they are applied.
fn appended(kinds: &[u8], commands: &[Command]) -> Outcome {
    let (mut world, known) = world(kinds);
    let recorder = Recorder::new(known);
    let mut all = CommandQueue::default();
    for single in commands.iter().flat_map(Command::singles) {
        let mut queue = CommandQueue::default();
        recorder.record(&mut Commands::new(&mut queue, &world), &[single]);
        all.append(&mut queue);
        assert!(queue.is_empty());
    }
    all.apply(&mut world);
    outcome(world, &recorder)
}

proptest! {
    #![proptest_config(super::config(200))]

    #[test]
    fn one_queue_for_all_commands_does_the_same_as_a_queue_for_each(
        kinds in vec(kind(), 0..6),
        commands in vec(plain_command(), 1..12),
    ) {
        let expected = one_by_one(&kinds, &commands);
        prop_assert_eq!(&together(&kinds, &commands), &expected);
        prop_assert_eq!(&recorded_first(&kinds, &commands), &expected);
        prop_assert_eq!(&appended(&kinds, &commands), &expected);
    }
}
