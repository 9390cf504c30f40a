//! Types that are written out in two parameters.
//!
//! Tests: tests/ui/fail, tests/ui/errors

use core::marker::PhantomData;

use super::access::{ConstAccess, NamedAccess};
use super::conflict::{BorrowKind, Conflict};

/// A component or resource that two parameters of a system borrow, written as the same type in both, one of them mutably. Where
/// types are written out, the compiler can compare them even if their keys are not exact.
#[derive(Clone, Copy)]
pub struct SameTypePair {
    /// The positions of the parameters.
    pub(super) params: (usize, usize),
    /// The type as it is written.
    name: &'static str,
    pub(super) kind: BorrowKind,
    /// Whether the two are the same type; types that are written differently may be equal, too.
    pub(super) same: bool,
}

impl SameTypePair {
    /// A type that the parameters `first` and `second` borrow; the two are equal if one parameter borrows the type twice.
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

    /// Like [`new`](Self::new), for parameters that access a value which stays on its thread.
    #[must_use]
    pub const fn non_send(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::NonSend, same }
    }

    /// Like [`new`](Self::new), for a component that one of the two borrows and the other tests for changes.
    #[must_use]
    pub const fn changes(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::Changes, same }
    }

    /// Whether a parameter is the one that its name suggests, and not a type of another library with that name.
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

/// Determines whether two types that are written out are the same: an inherent constant takes precedence over the constant of a
/// trait.
pub struct Pair<A: ?Sized, B: ?Sized>(PhantomData<A>, PhantomData<B>);

impl<A: ?Sized> Pair<A, A> {
    /// The types are the same.
    pub const SAME: bool = true;
}

/// Selected if the two types differ.
pub trait TypesDiffer {
    /// The types differ.
    const SAME: bool = false;
}

impl<A: ?Sized, B: ?Sized> TypesDiffer for Pair<A, B> {}
