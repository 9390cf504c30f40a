//! What a query or a system borrows, and when two of them are in each other's way.
//!
//! Code gets `&mut` to a value through a shared store only by an access that was checked: the terms of a query against each
//! other, the parameters of a system against each other, and a system that holds `&mut World` against everything. Ticks are
//! borrowed, too: asking whether a component has changed reads the component, except that a query may write what it asks the
//! changes of. The options of a row system (`with`, `changed` and so on) are filters of its rows and are checked among its
//! parameters: they exclude other queries, and they borrow.

mod set;
mod query;
mod system;

pub use self::query::FilteredAccess;
pub use self::set::ComponentConflict;
pub use self::system::{Access, ParamAccess};
