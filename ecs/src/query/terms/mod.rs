//! The terms of queries, each with its item and its demands.
//!
//! Terms are evaluated in steps: once per query, once per table, once per row. A query enum yields the first variant that matches.
//! A table usually determines the variant; rows are checked only if an earlier variant names a sparse component. The access of an
//! enum is the union of the accesses of its variants, and it demands what all of them demand.
//!
//! Tests: tests/queries/terms.rs, tests/queries/enums.rs

/// Evaluates to a tuple with the kept state of each member. Uses no closures, because there would be one for each member of each
/// tuple.
macro_rules! kept_of_members {
    ($kept:ident $($T:ident $at:tt)*) => {
        match $kept {
            Some(kept) => ($(Some(&kept.$at),)*),
            None => ($(None::<&<$T::Terms as Fetch>::State>,)*),
        }
    };
}

/// Defines in an implementation of `Fetch` that each table matches.
macro_rules! match_each_table {
    () => {
        type Column = ();

        fn column(_: &Self::State, _: &$crate::storage::table::Table) -> Option<()> {
            Some(())
        }
    };
}

mod source;
mod slices;

mod changed;
mod component;
mod entity;
mod has;
mod with;
mod whole;
mod spawned;
mod pairs;
mod new_pairs;

mod option;
mod tuple;
mod or;
mod any_of;

pub use self::any_of::{Alternative, AnyOf, FirstOf};
#[cfg(test)]
pub(crate) use self::changed::TickScan;
pub use self::changed::{Added, Changed};
pub use self::has::Has;
pub use self::or::{AnyOfTerms, Or};
pub use self::pairs::{Pairs, PairsTo};
pub use self::slices::{MutSlice, RefSlice};
#[cfg(test)]
pub(crate) use self::source::{Presence, TermState};
pub use self::spawned::{SpawnDetails, Spawned};
pub use self::whole::{AddedComponents, ReadAllBut, ReadGiven, WriteAllBut, WriteGiven};
pub use self::with::{Allow, With, Without};
