//! Types that are written out in two parameters.

use core::marker::PhantomData;

use super::access::{ConstAccess, NamedAccess};
use super::conflict::{BorrowKind, Conflict};

/// A component or resource that two parameters of a system borrow by the same type, written out in both, one of them
/// mutably. Where types are written out, their identity is certain even if their keys are not exact.
#[derive(Clone, Copy)]
pub struct SameTypePair {
    /// The places of the parameters.
    pub(super) params: (usize, usize),
    /// The type as it is written.
    name: &'static str,
    pub(super) kind: BorrowKind,
    /// Whether it is one type; what is written differently may be.
    pub(super) same: bool,
}

impl SameTypePair {
    /// A type that the parameters `first` and `second` borrow; the two are one parameter if it borrows it twice.
    #[must_use]
    pub const fn new(first: usize, second: usize, name: &'static str, resource: bool, same: bool) -> Self {
        let kind = if resource { BorrowKind::Resource } else { BorrowKind::Component };
        Self { params: (first, second), name, kind, same }
    }

    /// The same, of parameters for messages of the type.
    #[must_use]
    pub const fn messages(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::Messages, same }
    }

    /// The same, of parameters for a value that stays on its thread.
    #[must_use]
    pub const fn non_send(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::NonSend, same }
    }

    /// The same, of a component that one of the two borrows and the other asks the changes of.
    #[must_use]
    pub const fn changes(first: usize, second: usize, name: &'static str, same: bool) -> Self {
        Self { params: (first, second), name, kind: BorrowKind::Changes, same }
    }

    /// Whether a parameter is what its name says, and not one of another library with such a name.
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

/// Tells whether two types are one where both are written out: an inherent constant is found before that of a trait.
pub struct Pair<A: ?Sized, B: ?Sized>(PhantomData<A>, PhantomData<B>);

impl<A: ?Sized> Pair<A, A> {
    /// They are.
    pub const SAME: bool = true;
}

/// Found where two types differ.
pub trait TypesDiffer {
    /// They are not.
    const SAME: bool = false;
}

impl<A: ?Sized, B: ?Sized> TypesDiffer for Pair<A, B> {}
