//! The runtime part of `#[system]` for functions that follow a relationship (`down` or `up`).
//!
//! Tests: tests/relationships/down.rs

use core::marker::PhantomData;

use super::RowAccess;
use crate::access::const_access::{ConstAccess, NamedAccess, Role};
use crate::query::{ChildRows, Fetch, QueryData, ReadOnlyFetch};
use crate::relations::relationship::Relationship;

/// A parameter for data of a target or of sources. Because of this wrapper type, rustc reports an error for the
/// component.
pub struct LinkedTerm<D>(PhantomData<fn() -> D>);

impl<D: QueryData<Terms: ReadOnlyFetch>> RowAccess for LinkedTerm<D> {
    const ACCESS: ConstAccess = ConstAccess::Query(D::Terms::TERM);
}

/// Returns the access of a parameter for data of a target or of sources, for the check at compile time.
pub const fn linked_access<D: RowAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, D::ACCESS, Role::Linked)
}

/// Checks at compile time that a type is a relationship.
pub const fn relationship<R: Relationship>() {}

/// The data that a parameter for sources yields for each source.
pub type LinkedData<T> = <T as LinkedItems>::Data;

/// The data of several linked entities: [`ChildRows`](crate::query::ChildRows).
pub trait LinkedItems {
    /// The data of each entity.
    type Data: QueryData<Terms: ReadOnlyFetch>;
}

impl<P: QueryData<Terms: ReadOnlyFetch>> LinkedItems for ChildRows<'_, P> {
    type Data = P;
}
