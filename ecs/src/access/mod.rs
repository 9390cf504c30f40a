//! The access of queries and systems, and the conflicts between two accesses.
//!
//! Code gets a `&mut` to a value through a shared store only after its access was checked. The terms of a query are checked against each
//! other, and so are the parameters of a system. A system with `&mut World` conflicts with everything. Ticks are part of the access:
//! testing a component for changes counts as reading the component. As an exception, a query may write a component that it tests for
//! changes itself. The options of a row system (`with`, `changed` and so on) are filters of its rows, and are checked like its parameters:
//! as filters they can make the rows disjoint from other queries, and they borrow.
// Tests: ecs/src/access/const_access/tests.rs, tests/systems/disjoint.rs

mod set;
mod query;
mod system;
pub(crate) mod term;
pub(crate) mod const_access;

pub use self::query::FilteredAccess;
pub use self::set::ComponentConflict;
pub use self::system::{Access, ParamAccess};
