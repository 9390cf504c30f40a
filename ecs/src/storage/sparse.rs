//! Components outside the tables: sparse sets, and tags of one bit per entity.
//!
//! A sparse set stores its values contiguously in one [`Column`] and finds them by entity index through pages of rows, which are
//! only allocated where they are used. Zero-sized components need no values: their set is a bitmap. Adding and removing does not
//! affect tables.
//!
//! As in tables, a removed value is first moved past the last one, and dropped at the end of the operation.
//!
//! Tests: tests/storage/sparse.rs

mod set;
mod tag;
mod storage;
mod copy;

pub(crate) use self::copy::{SparseCopy, StorageMembers, indexes};
pub(crate) use self::set::SparseSet;
pub(crate) use self::storage::SparseStorage;
