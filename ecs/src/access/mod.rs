//! The access of queries and systems, and when two of them conflict.
//!
//! Code gets `&mut` to a value through a shared store only after its access was checked: the terms of a query against each other,
//! the parameters of a system against each other, and a system that holds `&mut World` against everything. Ticks are part of the
//! access: testing a component for changes reads the component, except that a query may write a component that it tests for changes.
//! The options of a row system (`with`, `changed` and so on) are filters of its rows and are checked like its parameters: they
//! exclude other queries, and they borrow.
// Tests: ecs/src/access/const_access/tests.rs, tests/systems/disjoint.rs

mod set;
mod query;
mod system;
pub(crate) mod term;
pub(crate) mod const_access;

pub use self::query::FilteredAccess;
pub use self::set::ComponentConflict;
pub use self::system::{Access, ParamAccess};
