//! Queries: all entities that have certain components.
//!
//! The data of a query ([`QueryData`]) and its filter ([`QueryFilter`]) are types; the matched tables are cached in a
//! [`QueryState`]; a [`Query`] combines that state with a borrowed world.
// Tests: tests/queries

#[doc(hidden)]
pub mod change;
mod fetch;
mod block_loop;
mod filter;
mod data;
mod pairs;

mod terms;
mod matching;

mod error;
mod cache;
mod blocks;
mod block_iter;
mod matching_rows;
mod cursor;

mod row_ranges;
mod ahead;
mod find;
mod handle;
mod many;
mod combinations;
mod fold;
mod iter;
mod partition;
mod sorting;

mod view;
mod nested;
mod target;
mod lens;
mod unique;
mod related;
mod inner;
mod contiguous;
mod par;
mod par_many;
mod par_slices;
mod forest;
mod linked;
mod select;
mod explain;
#[doc(hidden)]
pub mod selection;
pub(crate) mod named;

pub(crate) use self::blocks::Matched;
pub use self::cache::QueryState;
pub use self::combinations::QueryCombinationIter;
#[cfg(test)]
pub(crate) use self::cursor::RowCursor;
pub use self::data::{ContiguousQueryData, DataOf, QueryData, QueryItem, ROQueryItem, ReadOnlyQueryData, SliceItem};
pub use self::error::{QueryEntityError, QuerySingleError};
pub use self::explain::{ExplainedTerm, QueryExplanation};
#[cfg(test)]
pub(crate) use self::fetch::Rows;
pub use self::fetch::{ContiguousFetch, Fetch, Kept, ReadOnlyFetch};
pub use self::filter::{FilterOf, FilterTerms, QueryFilter};
pub(crate) use self::find::lacking;
pub(crate) use self::forest::{Forest, ForestNeeds, SlotRun};
pub use self::handle::Query;
pub use self::iter::{QueryContiguousIter, QueryIter};
pub use self::lens::QueryLens;
pub use self::linked::{ChildRows, LinkedRows};
pub(crate) use self::linked::{LinkedKernel, LinkedWalk};
pub use self::many::{
    QueryManyIter, QueryManyMatchedIter, QueryManyUniqueIter, QueryManyUnwrappedIter, QuerySortedIter,
    QuerySortedManyIter, QuerySortedManyUniqueIter,
};
pub(crate) use self::matching::{is_per_row, registered as registered_terms};
#[cfg(test)]
pub(crate) use self::matching_rows::RowBatch;
pub use self::nested::NestedQuery;
pub use self::pairs::{PairAccess, PairData, PairIter, ReadPair, RefPair, WritePair};
pub(crate) use self::pairs::{ReadPairs, WritePairs};
pub use self::par::{BatchingStrategy, QueryParIter};
pub use self::par_many::QueryParManyIter;
pub use self::par_slices::QueryContiguousParIter;
pub(crate) use self::partition::MatchPosition;
pub use self::related::{AncestorIter, DescendantDepthFirstIter, DescendantIter};
#[doc(hidden)]
pub use self::row_ranges::{RowList, listed_rows};
pub(crate) use self::row_ranges::{RowRanges, SliceKernel};
pub(crate) use self::select::{SelectionReader, select};
pub use self::target::Target;
pub use self::terms::{
    Added, AddedComponents, Allow, Alternative, AnyOf, AnyOfTerms, Changed, FirstOf, Has, MutSlice, Or, Pairs, PairsTo,
    ReadAllBut, ReadGiven, RefSlice, SpawnDetails, Spawned, With, Without, WriteAllBut, WriteGiven,
};
#[cfg(test)]
pub(crate) use self::terms::{Presence, TermState, TickScan};

pub use crate::reexports::query::*;
