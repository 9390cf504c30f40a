//! Comparison of types that are written out in two parameters.
//!
//! Tests: tests/ui/fail, tests/ui/errors

use core::marker::PhantomData;

use super::access::{ConstAccess, NamedAccess};
use super::conflict::{BorrowKind, Conflict};

/// A component or resource that two parameters of a system borrow, at least one of them mutably. The type is written out in both
/// parameters. Types that are written out can be compared at compile time even if their keys are not exact.
#[derive(Clone, Copy)]
pub struct SameTypePair {
    /// The positions of the parameters.
    pub(super) params: (usize, usize),
    /// The type as it is written.
    name: &'static str,
    pub(super) kind: BorrowKind,
    /// Whether the types in the two parameters are the same. Types that are written differently may also be the same.
    pub(super) same: bool,
}

impl SameTypePair {
    /// Returns a pair for a type that the parameters `first` and `second` borrow. If one parameter borrows the type twice, `first` and
    /// `second` are equal.
    #[must_use]
    pub const fn new(first: usize, second: usize, name: &'static str, resource: bool, same: bool) -> Self {
        let kind = if resource { BorrowKind::Resource } else { BorrowKind::Component };
        Self { params: (first, second), name, kind, same }
    }

    /// Like [`new`](Self::new), for parameters that access messages of the type.
    #[must_use]
    pub const fn messages(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::Messages, same }
    }

    /// Like [`new`](Self::new), for parameters that access a non-send value.
    #[must_use]
    pub const fn non_send(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::NonSend, same }
    }

    /// Like [`new`](Self::new), for a component that one parameter borrows and the other parameter tests for changes.
    #[must_use]
    pub const fn changes(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::Changes, same }
    }

    /// Returns whether a parameter is of the kind that the name of its type suggests. A type of another library may have the name of a
    /// parameter type of this crate.
    pub(super) const fn is_of(&self, param: &NamedAccess) -> bool {
        let access = match param.access {
            ConstAccess::Once(_, access) => *access,
            access => access,
        };
        match access {
            ConstAccess::Resource { .. } => matches!(self.kind, BorrowKind::Resource | BorrowKind::Messages),
            ConstAccess::NonSend => matches!(self.kind, BorrowKind::NonSend),
            ConstAccess::Query(_) | ConstAccess::Lookup(_) => {
                matches!(self.kind, BorrowKind::Component | BorrowKind::AllComponents | BorrowKind::Changes)
            }
            _ => false,
        }
    }

    pub(super) const fn conflict(&self, lookup: bool) -> Conflict {
        Conflict { lookup, ..Conflict::new(self.kind, self.name) }
    }
}

/// Determines whether two types are the same, by the constant `SAME`. If they are, `SAME` is an inherent constant, which takes precedence
/// over the constant of the trait [`TypesDiffer`].
pub struct Pair<A: ?Sized, B: ?Sized>(PhantomData<A>, PhantomData<B>);

impl<A: ?Sized> Pair<A, A> {
    /// True, because the types are the same.
    pub const SAME: bool = true;
}

/// Provides the constant `SAME` of a [`Pair`] of different types.
pub trait TypesDiffer {
    /// False, because the types differ.
    const SAME: bool = false;
}

impl<A: ?Sized, B: ?Sized> TypesDiffer for Pair<A, B> {}
