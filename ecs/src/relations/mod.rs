//! Relationships, hierarchies, names and pairs: the components and the indexes that link entities.
//!
//! This room uses `util`, `entity`, `component` and `storage`. A link has two sides, and both are changed in one operation: `structure`
//! does it, which is why this room stands before that one.
//!
//! Tests: tests/relationships

pub mod relation;
pub mod relationship;
pub mod name;
pub mod hierarchy;
