//! The part of the access of systems that is known at compile time, and the check for conflicts of parameters.
//!
//! The check compares [`ComponentKey`](crate::component::ComponentKey)s. If a key is not exact, the check reports nothing. Every conflict
//! is found when a system is built, because the check at that time compares `TypeId`s.
//!
//! `#[system]` emits a constant whose evaluation compares the parameters with each other. Plain functions, `SystemState`s and queries of a
//! `World` have such a constant, too. It is evaluated when the program is built. The methods to which the user passes them refer to the
//! constant, so the error of the compiler points to the user's line. A key that is not exact belongs to a generic type, or to a type that a
//! macro defines. A derive that a `macro_rules!` macro wrote is detected by its position, which differs from the position of the outermost
//! macro call (`line!`). Copies of one item have equal positions, so the derive counts them. If both types are written out in the function,
//! `Pair::SAME` determines whether they are the same type.

mod access;
mod disjoint;
mod conflict;
mod same_type;
mod report;
mod check;

pub(crate) use self::access::{ConstAccess, NamedAccess, Role, YieldedOnce};
pub(crate) use self::check::{check_disabling, check_nameless, check_one_of_each, check_query, may_repeat};
pub use self::check::{check_same_types, check_system};
pub(crate) use self::report::Nameless;
pub use self::same_type::{Pair, SameTypePair, TypesDiffer};

#[cfg(test)]
mod tests;
