//! Storages of components outside the tables: sparse sets, and tags of one bit per entity.
//!
//! A sparse set stores its values contiguously in one [`Column`]. Pages map entity indexes to rows; a page is allocated when it is first
//! used. Zero-sized components need no values, so their storage is a bitmap. Adding and removing sparse components does not affect tables.
//!
//! As in tables, a removed value is first moved past the last value. There it is called *retired*, and it is dropped at the end of the
//! operation.
//!
//! Tests: tests/storage/sparse.rs

mod set;
mod tag;
mod storage;
mod copy;

pub(crate) use self::copy::{SparseCopy, StorageMembers, indexes};
pub(crate) use self::set::SparseSet;
pub(crate) use self::storage::SparseStorage;
