//! What was done last: changes come in runs, and by the type of a bundle is found what becomes of it before its number is.
//!
//! What a change needs of its plan is copied to here as far as that takes no memory of its own: an operation on one entity is short, so
//! a processor waits for each number that leads to another one.

use core::any::TypeId;

use super::plan::Target;
use crate::component::type_bits;
use crate::entity::TableId;

/// How many types of bundles are remembered at most.
const PLACES: usize = 8;

/// For types of bundles, each of which has one place that it may share with others: what was done last.
pub(super) struct Latest<T>([Entry<T>; PLACES]);

#[derive(Clone, Copy)]
struct Entry<T> {
    /// That of [`NoBundle`] if the entry is empty.
    bundle: TypeId,
    done: T,
}

/// The type that an empty entry has, which is not that of a bundle.
struct NoBundle;

/// How entities with a bundle are made.
#[derive(Clone, Copy)]
pub(super) struct Making {
    /// The table where they come, if nothing is done but to move at most [`FEW`] values to its columns; else one that does not exist.
    pub(super) table: TableId,
    /// Where the plan is.
    pub(super) at: u32,
    /// The targets, if there is a table, and others behind them.
    pub(super) targets: [Target; FEW],
}

/// With more components than this, moving them takes so long that finding the plan does not count.
pub(super) const FEW: usize = 8;

/// How a bundle is added to entities of a table, or removed from them.
#[derive(Clone, Copy)]
pub(super) struct LightChange {
    pub(super) from: TableId,
    pub(super) to: TableId,
    /// Where the plan is.
    pub(super) at: u32,
}

impl Default for Latest<Making> {
    fn default() -> Self {
        Self::of(Making { table: TableId::UNUSED, at: 0, targets: [Target::Nowhere; FEW] })
    }
}

impl Default for Latest<LightChange> {
    fn default() -> Self {
        Self::of(LightChange { from: TableId::UNUSED, to: TableId::UNUSED, at: 0 })
    }
}

impl<T: Copy> Latest<T> {
    /// Nothing but this, of no bundle.
    fn of(nothing: T) -> Self {
        Self([Entry { bundle: TypeId::of::<NoBundle>(), done: nothing }; PLACES])
    }

    #[inline(always)]
    pub(super) fn get(&self, bundle: TypeId) -> Option<&T> {
        let entry = &self.0[place(bundle)];
        (entry.bundle == bundle).then_some(&entry.done)
    }

    #[inline]
    pub(super) fn note(&mut self, bundle: TypeId, done: T) {
        self.0[place(bundle)] = Entry { bundle, done };
    }
}

/// The place of a type. The compiler knows it where it knows the type.
#[inline(always)]
fn place(bundle: TypeId) -> usize {
    type_bits(bundle) as usize % PLACES
}
