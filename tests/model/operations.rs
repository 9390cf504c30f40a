//! The operations and how they are drawn.

use std::ops::Range;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::bulk::{Bulk, bulk};
use super::commands::{Command, Fate, commands, fate};
use super::parts::BUNDLES;

/// An operation; `which` picks one of the ids ever handed out, living or not, and `kind` a bundle or a component.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn { kind: u8, value: u32 },
    SpawnDynamic { first: u8, second: u8, value: u32 },
    SpawnBatch { kind: u8, count: u32, promised: usize, panic_at: Option<u32> },
    SpawnAt { which: usize, kind: u8, value: u32 },
    Reserve { count: u32, spawn_between: bool, fill: Option<u8> },
    Insert { which: usize, kind: u8, value: u32 },
    InsertDynamic { which: usize, first: u8, second: u8, value: u32 },
    Remove { which: usize, kind: u8 },
    Take { which: usize, kind: u8 },
    InsertIfNew { which: usize, kind: u8, value: u32 },
    Replace { which: usize, old: u8, new: u8, value: u32 },
    Exchange { which: usize, old: u8, new: u8, value: u32 },
    Retain { which: usize, kind: u8 },
    ClearEntity { which: usize },
    Despawn { which: usize },
    Write { which: usize, kind: u8, value: u32 },
    WriteAll { kind: u8, value: u32, inside: bool },
    InsertResource { value: u32 },
    RemoveResource,
    Scope { value: u32, panics: bool },
    Clear,
    Shrink,
    Commands { commands: Vec<Command>, reserved: usize, fate: Fate },
    Bulk { bulk: Bulk, panic_at: Option<u32> },
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
    prop_oneof![8 => 0..6_u32, 1 => 6..70_u32]
}

fn operation(faults: bool) -> impl Strategy<Value = Operation> {
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
    let changing = prop_oneof![
        8 => (which(), kind(), value()).prop_map(|(which, kind, value)| Operation::Insert { which, kind, value }),
        2 => (which(), kind(), kind(), value())
            .prop_map(|(which, first, second, value)| Operation::InsertDynamic { which, first, second, value }),
        6 => (which(), kind()).prop_map(|(which, kind)| Operation::Remove { which, kind }),
        4 => (which(), kind()).prop_map(|(which, kind)| Operation::Take { which, kind }),
        3 => (which(), kind(), value()).prop_map(|(which, kind, value)| Operation::InsertIfNew { which, kind, value }),
        3 => (which(), 0..7_u8, kind(), value())
            .prop_map(|(which, old, new, value)| Operation::Replace { which, old, new, value }),
        3 => (which(), 0..7_u8, kind(), value())
            .prop_map(|(which, old, new, value)| Operation::Exchange { which, old, new, value }),
        2 => (which(), kind()).prop_map(|(which, kind)| Operation::Retain { which, kind }),
        1 => which().prop_map(|which| Operation::ClearEntity { which }),
        5 => which().prop_map(|which| Operation::Despawn { which }),
        3 => (which(), kind(), value()).prop_map(|(which, kind, value)| Operation::Write { which, kind, value }),
    ];
    let other = prop_oneof![
        3 => (kind(), value(), any::<bool>()).prop_map(|(kind, value, inside)| Operation::WriteAll { kind, value, inside }),
        2 => value().prop_map(|value| Operation::InsertResource { value }),
        1 => Just(Operation::RemoveResource),
        2 => (value(), panics).prop_map(|(value, panics)| Operation::Scope { value, panics }),
        1 => Just(Operation::Clear),
        3 => Just(Operation::Shrink),
        8 => (commands(), 0..3_usize, fate())
            .prop_map(|(commands, reserved, fate)| Operation::Commands { commands, reserved, fate }),
    ];
    let bulk = (bulk(), breaks_at).prop_map(|(bulk, panic_at)| Operation::Bulk { bulk, panic_at });
    prop_oneof![4 => growing, 8 => changing, 3 => other, 6 => bulk]
}

/// Sequences of operations; with `faults` some of them meet a panic.
pub(crate) fn steps(length: Range<usize>, faults: bool) -> impl Strategy<Value = Vec<Step>> {
    let fuse = if faults { option::weighted(0.4, 0..5_usize).boxed() } else { Just(None).boxed() };
    vec((operation(faults), fuse).prop_map(|(operation, fuse)| Step { operation, fuse }), length)
}
