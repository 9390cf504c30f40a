//! What the output of `#[system]` is made of where the function goes down or up a relationship.

use core::marker::PhantomData;

use super::RowAccess;
use crate::const_access::{ConstAccess, NamedAccess, Role};
use crate::query::{ChildRows, Fetch, QueryData, ReadOnlyFetch};
use crate::relationship::Relationship;

/// A parameter for what a target or sources have. With a type around it, rustc says what is wrong with the component.
pub struct LinkedTerm<D>(PhantomData<fn() -> D>);

impl<D: QueryData<Terms: ReadOnlyFetch>> RowAccess for LinkedTerm<D> {
    const ACCESS: ConstAccess = ConstAccess::Query(D::Terms::TERM);
}

/// A parameter for what a target or sources have, to be checked when the program is compiled.
pub const fn linked_access<D: RowAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, D::ACCESS, Role::Linked)
}

/// The relationship of a system, to be checked when the program is compiled.
pub const fn relationship<R: Relationship>() {}

/// What a parameter for sources gives of each.
pub type LinkedData<T> = <T as LinkedItems>::Data;

/// What is given of several linked entities: [`ChildRows`](crate::query::ChildRows).
pub trait LinkedItems {
    /// What of each.
    type Data: QueryData<Terms: ReadOnlyFetch>;
}

impl<P: QueryData<Terms: ReadOnlyFetch>> LinkedItems for ChildRows<'_, P> {
    type Data = P;
}
