//! Operations on many entities at once and on whole entities, and how they are drawn.

use proptest::collection::vec;
use proptest::prelude::*;

use super::forms::{Targets, targets};
use super::operations::{count, kind, value, which};
use super::parts::{KINDS, Mask, Rows};

/// How columns are given.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// As a tuple.
    Tuple,
    /// As a batch, in which the components of the mask `repeated` are repeated. If they are added `twice`, those that were
    /// there go.
    Batch { repeated: Mask, twice: bool },
}

/// Columns for the components of a bundle.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) kind: u8,
    pub(crate) rows: Rows,
    pub(crate) form: Form,
}

/// An id to spawn at.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// One that was seen before, living or not.
    Known(usize),
    /// A generation that is beyond all others.
    Future { index: u32 },
    /// Any generation; it may be past.
    Any { index: u32, generation: u32 },
    /// An index that is too far off.
    Far,
    /// The index of the id before, if there is one.
    Again,
}

/// How the components that were taken out of an entity are used.
#[derive(Clone, Debug)]
pub(crate) enum Luggage {
    Spawned,
    Inserted { which: usize },
    Dropped,
}

#[derive(Clone, Debug)]
pub(crate) enum Bulk {
    SpawnColumns {
        columns: Columns,
    },
    /// There are `missing` fewer ids than places.
    SpawnColumnsAt {
        places: Vec<Place>,
        missing: usize,
        columns: Columns,
    },
    Extend {
        kind: u8,
        value: u32,
        count: u32,
        promised: usize,
    },
    InsertBatch {
        which: Vec<usize>,
        kind: u8,
        value: u32,
    },
    TakeAll {
        which: usize,
        luggage: Luggage,
    },
    CloneEntity {
        which: usize,
    },
    /// To a world in which there are strangers; all come `back`, or the world is dropped with them.
    MoveTo {
        targets: Targets,
        kind: u8,
        strangers: u32,
        back: bool,
    },
}

fn columns() -> impl Strategy<Value = Columns> {
    let form = prop_oneof![
        Just(Form::Tuple),
        (any::<Mask>(), any::<bool>()).prop_map(|(repeated, twice)| Form::Batch { repeated, twice }),
    ];
    let odd = proptest::option::weighted(0.1, 0..KINDS);
    (kind(), value(), count(), odd, form).prop_map(|(kind, value, count, odd, form)| Columns {
        kind,
        rows: Rows { value, count, odd },
        form,
    })
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        12 => (0..200_u32).prop_map(|index| Place::Future { index }),
        3 => (0..200_u32, 1..9_u32).prop_map(|(index, generation)| Place::Any { index, generation }),
        1 => which().prop_map(Place::Known),
        1 => Just(Place::Again),
        1 => Just(Place::Far),
    ]
}

pub(crate) fn bulk() -> impl Strategy<Value = Bulk> {
    let missing = prop_oneof![9 => Just(0_usize), 1 => Just(1_usize)];
    let promised = prop_oneof![3 => 0..10_usize, 1 => Just(usize::MAX)];
    let luggage = prop_oneof![
        3 => Just(Luggage::Spawned),
        2 => which().prop_map(|which| Luggage::Inserted { which }),
        1 => Just(Luggage::Dropped),
    ];
    prop_oneof![
        3 => columns().prop_map(|columns| Bulk::SpawnColumns { columns }),
        2 => (vec(place(), 0..5), missing, columns())
            .prop_map(|(places, missing, columns)| Bulk::SpawnColumnsAt { places, missing, columns }),
        1 => (kind(), value(), count(), promised)
            .prop_map(|(kind, value, count, promised)| Bulk::Extend { kind, value, count, promised }),
        2 => (vec(which(), 0..10), kind(), value())
            .prop_map(|(which, kind, value)| Bulk::InsertBatch { which, kind, value }),
        2 => (which(), luggage).prop_map(|(which, luggage)| Bulk::TakeAll { which, luggage }),
        3 => which().prop_map(|which| Bulk::CloneEntity { which }),
        2 => (targets(), kind(), 0..4_u32, any::<bool>())
            .prop_map(|(targets, kind, strangers, back)| Bulk::MoveTo { targets, kind, strangers, back }),
    ]
}
