//! Components outside the tables: sparse sets, and tags of one bit an entity.
//!
//! A sparse set keeps its values densely in one [`Column`] and finds them by entity index through pages of rows, which
//! exist only where there is something. A zero-sized component needs no values: its set is a bit map. Adding and removing
//! touches no table.
//!
//! As in tables, a removed value is first brought behind the last one and dropped when everything else is done.

mod set;
mod tag;
mod storage;
mod copy;

pub(crate) use self::copy::{Members, SparseCopy, indexes};
pub(crate) use self::set::SparseSet;
pub(crate) use self::storage::SparseStorage;
