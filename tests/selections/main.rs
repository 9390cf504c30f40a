//! Many entities changed at once, compared with the same changes made entity by entity.

mod explicit;
mod panics;
mod parts;
mod queue;
mod run;

use proptest::prelude::*;
use proptest::test_runner::Config;

use queue::queues;
use run::{Operation, Run, operations};

fn config(cases: u32) -> Config {
    // A failing input is printed; it becomes a named test instead of a file of seeds.
    Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() }
}

fn play(operations: &[Operation]) {
    let mut run = Run::new();
    for operation in operations {
        run.step(operation);
    }
    run.finish();
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_world_changed_by_selections_agrees_with_a_map_changed_entity_by_entity(operations in operations(1..50)) {
        play(&operations);
    }

    #[test]
    fn selections_among_other_commands_agree_with_a_map_changed_command_by_command(queues in queues(1..6)) {
        let mut run = Run::new();
        queues.iter().for_each(|queue| run.play_queue(queue));
        run.finish();
    }
}
