//! What a case of the model test does, as data.

use proptest::collection::vec;
use proptest::prelude::*;

/// Entities, as numbers of which each stands for some entity.
pub(crate) type Who = Vec<u32>;

/// One step of a case.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Spawn {
        count: usize,
        bundle: u8,
        how: u8,
    },
    Despawn(Who),
    /// Changes values, one by one.
    Write {
        who: Who,
        how: u8,
    },
    /// Changes each `nth` value that a query yields.
    WriteEach {
        nth: usize,
        how: u8,
    },
    /// Changes all values.
    Sweep(u8),
    Insert {
        who: Who,
        bundle: u8,
        how: u8,
    },
    Remove {
        who: Who,
        bundle: u8,
        how: u8,
    },
    /// To all that have `Health`.
    InsertAll {
        bundle: u8,
        how: u8,
    },
    RemoveAll {
        bundle: u8,
    },
    /// Removes `Health` or others and adds them in one change.
    Renew {
        who: Who,
        how: u8,
    },
    Retain(Who),
    Clone(Who),
    /// To another world and back.
    Travel(Who),
    Create {
        kind: u8,
        period: u8,
    },
    Drop(u8),
    /// Looks by hand.
    Look,
    Forget,
    Shrink,
    Skip(u32),
    /// Compares ticks; asks for those that are not known if `demand` is set.
    Inspect {
        who: Who,
        demand: bool,
    },
}

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![6 => vec(any::<u32>(), 1..4), 3 => vec(any::<u32>(), 4..40), 1 => vec(any::<u32>(), 100..250)]
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation::*;
    let (small, large) = (1..20usize, 60..150usize);
    let (a, b) = (any::<u8>(), any::<u8>());
    prop_oneof![
        3 => (small, a, b).prop_map(|(count, bundle, how)| Spawn { count, bundle, how }),
        1 => (large, a, b).prop_map(|(count, bundle, how)| Spawn { count, bundle, how }),
        3 => who().prop_map(Despawn),
        10 => (who(), a).prop_map(|(who, how)| Write { who, how }),
        4 => (1..90usize, a).prop_map(|(nth, how)| WriteEach { nth, how }),
        2 => a.prop_map(Sweep),
        6 => (who(), a, b).prop_map(|(who, bundle, how)| Insert { who, bundle, how }),
        5 => (who(), a, b).prop_map(|(who, bundle, how)| Remove { who, bundle, how }),
        1 => (a, b).prop_map(|(bundle, how)| InsertAll { bundle, how }),
        1 => a.prop_map(|bundle| RemoveAll { bundle }),
        4 => (who(), a).prop_map(|(who, how)| Renew { who, how }),
        1 => who().prop_map(Retain),
        2 => who().prop_map(Clone),
        1 => who().prop_map(Travel),
        3 => (a, b).prop_map(|(kind, period)| Create { kind, period }),
        2 => a.prop_map(Drop),
        2 => Just(Look),
        1 => Just(Forget),
        2 => Just(Shrink),
        1 => prop_oneof![0..100u32, any::<u32>(), (u32::MAX - 1000)..u32::MAX].prop_map(Skip),
        3 => (who(), proptest::bool::weighted(0.2)).prop_map(|(who, demand)| Inspect { who, demand }),
    ]
}

/// A case: how many entities there are of some shapes, who looks from the beginning, the first tick, and the steps.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub start: u32,
    pub entities: Vec<(usize, u8)>,
    pub consumers: Vec<(u8, u8)>,
    pub steps: Vec<Operation>,
}

pub(crate) fn cases(steps: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    let start = prop_oneof![Just(0), (u32::MAX - 200)..u32::MAX];
    let entities = vec((1..400usize, any::<u8>()), 1..5);
    let consumers = vec((any::<u8>(), any::<u8>()), 0..10);
    (start, entities, consumers, vec(operation(), steps)).prop_map(|(start, entities, consumers, steps)| Case {
        start,
        entities,
        consumers,
        steps,
    })
}
