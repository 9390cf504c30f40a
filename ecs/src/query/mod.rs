//! Queries: all entities that have certain components.
//!
//! What is asked for ([`QueryData`]) and what is demanded besides ([`QueryFilter`]) is known by type; which tables match
//! is remembered in a [`QueryState`]; a [`Query`] is that state beside a borrowed world.

mod term;
mod fetch;
mod fetch_more;

mod filter;
mod changes;

mod any;
mod slices;

mod data;

mod cache;
mod walk;

mod runs;
mod iter;
mod spread;
mod many;

mod error;
mod view;
mod par;
mod select;
mod explain;

pub use self::any::Alternative;
pub(crate) use self::cache::CacheOf;
pub use self::cache::QueryState;
pub use self::changes::{Added, Changed};
pub use self::data::{AnyOf, ContiguousQueryData, FirstOf, Has, QueryData, ReadOnlyQueryData};
pub use self::error::{QueryEntityError, QuerySingleError};
pub use self::explain::{ExplainedTerm, QueryExplanation};
pub use self::fetch::{Fetch, ReadOnlyFetch};
pub use self::filter::{AnyOfTerms, FilterTerms, Or, QueryFilter, With, Without};
pub use self::iter::{QueryContiguousIter, QueryIter};
pub use self::many::{QueryCombinationIter, QueryManyIter};
pub use self::par::{BatchingStrategy, QueryParIter};
pub(crate) use self::runs::{RunKernel, Runs};
pub(crate) use self::select::{Lookup, select};
pub use self::slices::{ContiguousFetch, MutSlice, RefSlice};
pub(crate) use self::spread::Reached;
pub use self::view::Query;
