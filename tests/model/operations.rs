//! The operations and how they are drawn.

use std::ops::Range;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::Union;

use super::bulk::{Bulk, bulk};
use super::commands::{Command, Fate, commands, fate};
use super::consumers::{ConsumerStep, consumer_step};
use super::forms::{Edits, edits_in_a_form};
use super::parts::BUNDLES;
use super::readers::{ReaderStep, reader_step};

/// An operation; `which` picks one of the ids ever handed out, living or not, and `kind` a bundle or a component.
///
/// An operation on existing entities is an [`Edit`](super::edits::Edit), and is done in all forms.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn { kind: u8, value: u32 },
    SpawnDynamic { first: u8, second: u8, value: u32 },
    SpawnBatch { kind: u8, count: u32, promised: usize, panic_at: Option<u32> },
    SpawnAt { which: usize, kind: u8, value: u32 },
    Reserve { count: u32, spawn_between: bool, fill: Option<u8> },
    Edit { edits: Edits },
    WriteAll { kind: u8, value: u32, inside: bool },
    InsertResource { value: u32 },
    RemoveResource,
    Scope { value: u32, panics: bool },
    Clear,
    Shrink,
    RunSchedule,
    Commands { commands: Vec<Command>, reserved: usize, fate: Fate },
    Bulk { bulk: Bulk, panic_at: Option<u32> },
    Reader { step: ReaderStep },
    Consumer { step: ConsumerStep },
}

/// An operation and, if it is set, how many drops go well before one panics.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) fuse: Option<usize>,
}

pub(crate) fn which() -> impl Strategy<Value = usize> {
    any::<usize>()
}

pub(crate) fn kind() -> impl Strategy<Value = u8> {
    0..BUNDLES
}

pub(crate) fn value() -> impl Strategy<Value = u32> {
    0..10_000_u32
}

/// A count of rows, with now and then enough of them to make a table grow more than once.
pub(crate) fn count() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..6_u32, 1 => 6..140_u32]
}

/// The operations that are most frequent in a property. All kinds of operations occur in each property.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Focus {
    /// All operations.
    World,
    /// Readers of removals.
    Removals,
    /// Consumers of changes.
    Changes,
    /// Selections.
    Selections,
    /// Lists of commands.
    Queues,
}

impl Focus {
    /// How often operations that make entities are drawn, edits, others, those on many entities, readers and consumers.
    fn weights(self) -> [u32; 6] {
        match self {
            Self::World => [4, 9, 3, 4, 1, 1],
            Self::Removals => [3, 9, 2, 2, 7, 1],
            Self::Changes => [1, 9, 1, 1, 1, 6],
            Self::Selections => [3, 9, 1, 1, 1, 1],
            Self::Queues => [1, 0, 9, 0, 1, 1],
        }
    }
}

fn operation(focus: Focus, faults: bool) -> impl Strategy<Value = Operation> {
    let panic_at = if faults { option::weighted(0.3, 0..6_u32).boxed() } else { Just(None).boxed() };
    let panics = if faults { any::<bool>().boxed() } else { Just(false).boxed() };
    let breaks_at = if faults { option::weighted(0.5, 0..8_u32).boxed() } else { Just(None).boxed() };
    let promised = prop_oneof![3 => 0..10_usize, 1 => Just(usize::MAX), 1 => Just(1_usize << 40)];
    let growing = prop_oneof![
        6 => (kind(), value()).prop_map(|(kind, value)| Operation::Spawn { kind, value }),
        2 => (kind(), kind(), value()).prop_map(|(first, second, value)| Operation::SpawnDynamic { first, second, value }),
        3 => (kind(), count(), promised, panic_at)
            .prop_map(|(kind, count, promised, panic_at)| Operation::SpawnBatch { kind, count, promised, panic_at }),
        1 => (which(), kind(), value()).prop_map(|(which, kind, value)| Operation::SpawnAt { which, kind, value }),
        2 => (0..5_u32, any::<bool>(), option::of(kind()))
            .prop_map(|(count, spawn_between, fill)| Operation::Reserve { count, spawn_between, fill }),
    ];
    let editing = edits_in_a_form(focus == Focus::Selections, faults).prop_map(|edits| Operation::Edit { edits });
    let lists = if focus == Focus::Queues { 60 } else { 8 };
    let other = prop_oneof![
        3 => (kind(), value(), any::<bool>()).prop_map(|(kind, value, inside)| Operation::WriteAll { kind, value, inside }),
        2 => value().prop_map(|value| Operation::InsertResource { value }),
        1 => Just(Operation::RemoveResource),
        2 => (value(), panics).prop_map(|(value, panics)| Operation::Scope { value, panics }),
        1 => Just(Operation::Clear),
        2 => Just(Operation::Shrink),
        2 => Just(Operation::RunSchedule),
        lists => (commands(), 0..3_usize, fate())
            .prop_map(|(commands, reserved, fate)| Operation::Commands { commands, reserved, fate }),
    ];
    let bulk = (bulk(), breaks_at).prop_map(|(bulk, panic_at)| Operation::Bulk { bulk, panic_at });
    let reader = reader_step().prop_map(|step| Operation::Reader { step });
    let consumer = consumer_step().prop_map(|step| Operation::Consumer { step });
    let all = [growing.boxed(), editing.boxed(), other.boxed(), bulk.boxed(), reader.boxed(), consumer.boxed()];
    Union::new_weighted(focus.weights().into_iter().zip(all).filter(|(weight, _)| *weight > 0).collect())
}

/// The operations on a world.
#[derive(Clone, Debug)]
pub(crate) struct History {
    pub(crate) start: Vec<Operation>,
    pub(crate) steps: Vec<Step>,
}

/// Many entities, consumers that look from the beginning, and the first tick.
fn crowd() -> impl Strategy<Value = Vec<Operation>> {
    let start = prop_oneof![Just(0), (u32::MAX - 200)..u32::MAX]
        .prop_map(|runs| Operation::Consumer { step: ConsumerStep::Skip { runs } });
    let entities = (kind(), 1..400_u32).prop_map(|(kind, count)| Operation::SpawnBatch {
        kind,
        count,
        promised: 0,
        panic_at: None,
    });
    let consumers = (any::<u8>(), any::<u8>())
        .prop_map(|(kind, period)| Operation::Consumer { step: ConsumerStep::Create { kind, period } });
    (start, vec(entities, 1..5), vec(consumers, 0..10))
        .prop_map(|(start, entities, consumers)| [vec![start], entities, consumers].concat())
}

/// Histories; with `faults` some of their steps meet a panic.
pub(crate) fn histories(focus: Focus, length: Range<usize>, faults: bool) -> impl Strategy<Value = History> {
    let fuse = if faults { option::weighted(0.4, 0..5_usize).boxed() } else { Just(None).boxed() };
    let start = if focus == Focus::Changes { crowd().boxed() } else { Just(Vec::new()).boxed() };
    let steps = vec((operation(focus, faults), fuse).prop_map(|(operation, fuse)| Step { operation, fuse }), length);
    (start, steps).prop_map(|(start, steps)| History { start, steps })
}
