//! Each operation, in each stage, with each allocation failing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use strata_tests::{alloc, drops, effort, panics};

use super::operations::{ENTITIES, MANY, Operation, VALUES};
use super::relations::RELATIONS;
use super::stage::{KINDS, Kind, Stage};
use super::systems::SYSTEMS;

/// The panic payload of the handler of failed allocations.
struct OutOfMemory;

fn use_handler() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::alloc::set_alloc_error_hook(|_| {
            // Unwinding needs memory, and a second failure during unwinding ends the process.
            alloc::recover();
            std::panic::panic_any(OutOfMemory);
        });
        let printed = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.payload().is::<OutOfMemory>() {
                alloc::recover();
                alloc::exempt(|| printed(info));
            }
        }));
    });
}

/// In the short form, one in this number of allocations fails. Each kind of stage starts with another allocation, so that nearly all
/// allocations of an operation fail once.
const STEP: usize = 7;

/// How one run ended.
enum Ended {
    /// No allocation failed: there are no more.
    Unharmed,
    /// An allocation failed, and everything is in order.
    InOrder,
    /// Something is wrong.
    Broken(String),
}

fn attempt(operation: fn(&mut Stage), kind: Kind, calls: usize, for_ever: bool) -> Ended {
    drops::reset();
    let mut stage = Stage::new(kind);
    let run = || catch_unwind(AssertUnwindSafe(|| operation(&mut stage)));
    let (result, failures) = alloc::failing(calls, for_ever, run);
    let mut wrong = Vec::new();
    match result {
        Err(payload) if !payload.is::<OutOfMemory>() => wrong.push(format!("panicked: {}", panics::text(&*payload))),
        _ if failures == 0 => return Ended::Unharmed,
        _ => {}
    }
    if let Err(text) = panics::catch(|| stage.check()) {
        wrong.push(format!("afterwards: {text}"));
    }
    if let Err(text) = panics::catch(|| drop(stage)) {
        wrong.push(format!("dropped: {text}"));
    }
    if let Err(text) = panics::catch(drops::assert_all_dropped_once) {
        wrong.push(text);
    }
    if wrong.is_empty() { Ended::InOrder } else { Ended::Broken(wrong.join("; ")) }
}

fn exhaust(operations: &[Operation]) {
    use_handler();
    let wanted = std::env::var("STRATA_OPERATION").unwrap_or_default();
    let step = effort::step(STEP);
    let (mut runs, mut broken) = (0, Vec::new());
    for (name, operation) in operations.iter().filter(|(name, _)| wanted.is_empty() || *name == wanted) {
        let stages = KINDS.into_iter().flat_map(|kind| [(kind, false), (kind, true)]);
        for (nth, (kind, for_ever)) in stages.enumerate() {
            for calls in (nth % step..).step_by(step) {
                match attempt(*operation, kind, calls, for_ever) {
                    Ended::Unharmed => break,
                    Ended::InOrder => {}
                    Ended::Broken(text) => broken.push(format!("{name}, {kind:?}, {calls}, {for_ever}: {text}")),
                }
                runs += 1;
            }
        }
    }
    println!("{runs} runs, {} broken", broken.len());
    assert!(broken.is_empty(), "{} of {runs} runs went wrong:\n{}", broken.len(), broken.join("\n"));
}

#[test]
fn hazard_21_one_entity_at_a_time() {
    exhaust(ENTITIES);
}

#[test]
fn hazard_21_many_entities_at_once() {
    exhaust(MANY);
}

#[test]
fn hazard_21_values_messages_and_commands() {
    exhaust(VALUES);
}

#[test]
fn hazard_21_systems_and_schedules() {
    exhaust(SYSTEMS);
}

#[test]
fn hazard_21_links_pairs_hooks_and_observers() {
    exhaust(RELATIONS);
}
