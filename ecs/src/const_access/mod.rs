//! What systems borrow, as far as it is known when they are compiled, and whether their parameters get into each other's
//! way.
//!
//! The check goes by [`ComponentKey`](crate::component::ComponentKey)s. Where one is not exact it says nothing; the check when a system is built, which
//! goes by `TypeId`s, sees everything.

mod access;
mod conflict;
mod same_type;
mod report;
mod check;

pub(crate) use self::access::{ConstAccess, NamedAccess, Role};
pub use self::check::check_system;
pub(crate) use self::check::{check_function, check_query};
pub use self::same_type::{Pair, SameTypePair, TypesDiffer};
