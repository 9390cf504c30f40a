//! Relationships, hierarchies, names and pairs: the components and the indexes that link entities.
//!
//! This room uses `util`, `entity`, `component` and `storage`. A link has two sides, and `structure` changes both sides in one operation.
//! So this room comes before `structure` in the order of rooms.
//!
//! Tests: tests/relationships

pub mod relation;
pub mod relationship;
pub mod name;
pub mod hierarchy;
