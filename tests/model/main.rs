//! Random histories of a world and of an oracle, which is nothing but a map from ids to rows of optional values.
//!
//! After every step the two must agree: which entities there are, what they have, what queries of all kinds find, which
//! removals each reader sees and with which values, which changes each consumer sees, what commands report, how many
//! values are alive; and the world's invariants must hold. With faults, destructors, clones, iterators and closures panic
//! at random places: a change of one entity is then complete all the same, of a larger operation a part may be missing,
//! and nothing may be dropped twice.
//!
//! # Where an operation is added
//!
//! An operation on entities that are there is a type with an implementation of `Edit` in `edits.rs`, and its name in the
//! list there. The implementation says how it is drawn, what it does to the oracle, and which calls and commands of the
//! library do it. Nothing else knows it: `forms.rs` plays it on single entities, on selections, by commands each in a queue
//! of its own, by commands grouped and by turns, by commands of selections, and by systems on several threads; `commands.rs`
//! puts it into lists among other commands, and `differential.rs` compares ways of running those; `run.rs` shrinks, lets
//! panics happen and compares.
//!
//! An operation that creates entities or concerns the world as a whole has only one form: it is a variant of `Operation` (`operations.rs`)
//! and a method of `Run`. The oracle carries it out by the methods of `oracle.rs`, so that readers and consumers are compared as well.

mod bulk;
mod columns;
mod commands;
mod consumers;
mod differential;
mod edits;
mod faults;
mod forms;
mod listeners;
mod operations;
mod oracle;
mod parts;
mod readers;
mod recorder;
mod replay;
mod run;
mod selections;
mod watch;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm};
use strata_tests::effort;

use commands::{Command, Fate};
use edits::{AnyEdit, Insert, Remove, Replace};
use operations::{Focus, History, Operation, Step, histories};
use readers::ReaderStep;
use run::Run;

/// `PROPTEST_CASES` takes the place of the number, if it is set.
fn config(cases: u32) -> Config {
    // A failing input is printed; it becomes a named test below instead of a file of seeds.
    // Each alternative of a strategy gets a generator of its own, so a cheap one is worth it.
    let rng_algorithm = RngAlgorithm::XorShift;
    let is_set = std::env::var_os("PROPTEST_CASES").is_some();
    let cases = if is_set { Config::default().cases } else { effort::cases(cases) };
    Config { cases, failure_persistence: None, max_shrink_iters: 20_000, rng_algorithm, ..Config::default() }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn a_world_agrees_with_a_map_after_every_operation(history in histories(Focus::World, 1..80, false)) {
        Run::play(&history);
    }

    #[test]
    fn a_world_stays_whole_when_destructors_iterators_and_closures_panic(
        history in histories(Focus::World, 1..60, true),
    ) {
        Run::play(&history);
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn readers_see_what_a_map_has_lost(history in histories(Focus::Removals, 1..80, false)) {
        Run::play(&history);
    }

    #[test]
    fn nothing_is_lost_or_dropped_twice_when_destructors_panic(history in histories(Focus::Removals, 1..60, true)) {
        Run::play(&history);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn each_consumer_sees_each_change_once(history in histories(Focus::Changes, 1..60, false)) {
        Run::play(&history);
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_world_changed_by_selections_agrees_with_a_map_changed_entity_by_entity(
        history in histories(Focus::Selections, 1..50, false),
    ) {
        Run::play(&history);
    }

    #[test]
    fn selections_among_other_commands_agree_with_a_map_changed_command_by_command(
        history in histories(Focus::Queues, 1..6, false),
    ) {
        Run::play(&history);
    }
}

fn play(operations: Vec<Operation>) {
    let steps = operations.into_iter().map(|operation| Step { operation, fuse: None }).collect();
    Run::play(&History { start: Vec::new(), steps });
}

/// The second closure spawns before what the first has recorded is applied; the edits that the first and the third have
/// recorded follow each other, and are one change.
#[test]
fn a_closure_that_spawns_is_applied_before_what_the_closure_before_it_recorded() {
    let removal =
        vec![(AnyEdit::Replace(Replace { old: 0, new: 24, value: 0 }), 0), (AnyEdit::Remove(Remove { kind: 4 }), 0)];
    let insertion = vec![(AnyEdit::Insert(Insert { kind: 4, value: 0 }), 0)];
    let commands = vec![
        Command::Queue { commands: vec![Command::Group { which: 0, steps: removal }] },
        Command::SpawnNow { kind: 0, value: 0 },
        Command::Queue { commands: vec![Command::Turns { which: [0, 0], steps: insertion }] },
    ];
    play(vec![
        Operation::Reader { step: ReaderStep::Add { kind: 3, values: false } },
        Operation::Spawn { kind: 0, value: 0 },
        Operation::Commands { commands, reserved: 0, fate: Fate::Flushed },
    ]);
}
