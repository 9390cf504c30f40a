//! What systems borrow, as far as it is known when they are compiled, and whether their parameters get into each other's
//! way.
//!
//! The check goes by [`ComponentKey`](crate::component::ComponentKey)s. Where one is not exact it says nothing; the check when a system is built, which
//! goes by `TypeId`s, sees everything.
//!
//! `#[system]` emits a constant that compares the parameters with each other. Systems with parameters of their own, plain
//! functions and queries of a `World` have such a constant too; it is evaluated when the program is built. The methods that
//! a user hands them to name it, so that the compiler points to the user's line. A key that is not exact belongs to a
//! generic type or to a type that a macro defines. A derive that a `macro_rules!` wrote is recognised by its position, which
//! is not that of the outermost macro call (`line!`); the derive counts copies of one item, whose positions are equal. Where
//! both types are written out in the function, the macro asks the compiler whether they are one type (`Pair::SAME`).

mod access;
mod disjoint;
mod conflict;
mod same_type;
mod report;
mod check;

pub(crate) use self::access::{ConstAccess, Given, NamedAccess, Role};
pub(crate) use self::check::{check_disabling, check_nameless, check_one_of_each, check_query, may_repeat};
pub use self::check::{check_same_types, check_system};
pub(crate) use self::report::Nameless;
pub use self::same_type::{Pair, SameTypePair, TypesDiffer};

#[cfg(test)]
mod tests;
