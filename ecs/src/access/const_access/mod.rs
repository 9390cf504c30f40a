//! The compile-time access of systems, and the check whether their parameters conflict.
//!
//! The check compares [`ComponentKey`](crate::component::ComponentKey)s. If a key is not exact, the check reports nothing; the check
//! when a system is built, which compares `TypeId`s, finds every conflict.
//!
//! `#[system]` emits a constant that compares the parameters with each other. Plain functions, `SystemState`s and queries of a
//! `World` have such a constant too; it is evaluated when the program is built. The methods that take them from the user refer to
//! it, so the compiler's error points to the user's line. A key that is not exact belongs to a generic type or to a type that a
//! macro defines. A derive that a `macro_rules!` wrote is identified by its position, which differs from the position of the
//! outermost macro call (`line!`); the derive counts copies of one item, whose positions are equal. If both types are written out in
//! the function, the macro uses the compiler to determine whether they are the same type (`Pair::SAME`).

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
