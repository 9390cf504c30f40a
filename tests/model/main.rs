//! Random operations on a world and on a naive one that is nothing but a map from ids to rows of optional values.
//!
//! After every operation the two must agree, the world's invariants must hold, and exactly the values that can be reached
//! must be alive. In the second property destructors, clones, iterators and closures panic at random places: a change of
//! one entity is then complete all the same, of a larger operation a part may be missing, and nothing may be dropped twice.

mod bulk;
mod columns;
mod commands;
mod differential;
mod faults;
mod naive;
mod operations;
mod parts;
mod replay;
mod run;
mod selections;
mod watch;

use proptest::prelude::*;
use proptest::test_runner::Config;

use operations::{Step, steps};
use run::Run;

fn config(cases: u32) -> Config {
    // A failing input is printed; it becomes a named test below instead of a file of seeds.
    Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() }
}

fn play(steps: &[Step]) {
    let mut run = Run::new();
    for step in steps {
        run.step(step);
    }
    run.finish();
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn a_world_agrees_with_a_map_after_every_operation(steps in steps(1..80, false)) {
        play(&steps);
    }

    #[test]
    fn a_world_stays_whole_when_destructors_iterators_and_closures_panic(steps in steps(1..60, true)) {
        play(&steps);
    }
}
