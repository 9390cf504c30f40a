//! Random descriptions of schedules.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// A world, a schedule, and what happens between its runs.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// By entity: which components it has, as bits.
    pub(crate) entities: Vec<u16>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) sets: Vec<SetPlan>,
    /// Operations from outside of the schedule, before each run except the first.
    pub(crate) between: Vec<(u8, u8)>,
}

/// Systems that are added together.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Leaf(Leaf),
    Group { members: Vec<Node>, chain: u8, condition: Option<u8> },
}

#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) shape: u8,
    /// Which components it is about, and by which filter.
    pub(crate) types: (u8, u8, u8),
    pub(crate) seed: u8,
    pub(crate) set: Option<u8>,
    /// In which way it is ordered by a set.
    pub(crate) order: Option<(u8, u8)>,
    pub(crate) condition: Option<u8>,
}

#[derive(Clone, Debug)]
pub(crate) struct SetPlan {
    /// A set before it in the list.
    pub(crate) parent: Option<u8>,
    /// It comes after that one.
    pub(crate) after: Option<u8>,
    pub(crate) condition: Option<u8>,
}

/// How many sets there are.
pub(crate) const SETS: usize = 4;

fn leaves() -> impl Strategy<Value = Leaf> {
    let rarely = |of: u8| option::weighted(0.15, 0..of);
    let order = option::weighted(0.12, (0..4_u8, 0..SETS as u8));
    let types = (any::<u8>(), any::<u8>(), any::<u8>());
    (any::<u8>(), types, any::<u8>(), option::weighted(0.4, 0..SETS as u8), order, rarely(255))
        .prop_map(|(shape, types, seed, set, order, condition)| Leaf { shape, types, seed, set, order, condition })
}

fn nodes() -> impl Strategy<Value = Node> {
    leaves().prop_map(Node::Leaf).prop_recursive(3, 12, 4, |inner| {
        (vec(inner, 1..5), 0..4_u8, option::weighted(0.2, any::<u8>()))
            .prop_map(|(members, chain, condition)| Node::Group { members, chain, condition })
    })
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let set =
        (option::weighted(0.3, any::<u8>()), option::weighted(0.3, any::<u8>()), option::weighted(0.25, any::<u8>()))
            .prop_map(|(parent, after, condition)| SetPlan { parent, after, condition });
    let entities = prop_oneof![3 => vec(any::<u16>(), 0..40), 1 => vec(any::<u16>(), 100..180)];
    (entities, vec(nodes(), 1..9), vec(set, SETS), vec((any::<u8>(), any::<u8>()), 1..5))
        .prop_map(|(entities, nodes, sets, between)| Case { entities, nodes, sets, between })
}
