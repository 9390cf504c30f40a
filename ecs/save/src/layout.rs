//! The layout of a saved world.
//!
//! All numbers are little-endian, and lists are preceded by their lengths as 8 bytes. The layout is:
//!
//! - the magic bytes, the version of the layout, and the checksum of all other bytes;
//! - the names and versions of components, of resources, of relations, of kept components, and of kept resources, each with a flag that is
//!   set for components that are a side of a relationship;
//! - the clock, and the ids;
//! - the tables, each with its entities, its stamp and its columns;
//! - the sparse sets, each with its entities and its column;
//! - the pairs, by relation: the number of the relation, the ends, the positions in the lists of the ends, the ticks, and a block of values;
//! - the kept values of components;
//! - the resources, and the kept resources;
//! - a block with consumer state (`consumers.rs`);
//! - the names of the left-out components of each table, if tables with different left-out components stay separate.
//!
//! The components of the ends of relations have numbers after the others. A column is the number of its component, its stamp, a flag for
//! ticks, and the ticks; the form of the values; then a block of values. A block is preceded by its length in bytes. Plain values are stored
//! as their bytes. Other values are stored consecutively in postcard's encoding: either all have equal lengths, or the lengths follow as 4
//! bytes each. So a program that does not know the type of the values can separate them.
//!
//! The kept values of components are a list of entities and, if the list is not empty, a stamp, a flag for ticks, the ticks, and the values
//! of each entity. The kept resources are a flag for their presence and, if it is set, ticks and values. Such values are preceded by their
//! number; each value is the number of a type, a flag for plain values, and a block.
//!
//! Tests: tests/snapshots/saves.rs, tests/snapshots/hostile.rs

use crc32fast::Hasher;

/// The first bytes of a saved world. As in PNG files, they reveal damage by programs that treat the file as text.
pub(crate) const MAGIC: [u8; 8] = *b"\x93STRATA\n";
/// The version of the layout.
pub(crate) const VERSION: u32 = 4;
/// The version of the layout if the names of left-out components are appended.
pub(crate) const VERSION_WITH_LEFT_OUT: u32 = 5;

/// The form of the values of a column.
pub(crate) mod form {
    /// Values in postcard's encoding, followed by the length of each.
    pub(crate) const EACH: u8 = 0;
    /// Values as their bytes in memory.
    pub(crate) const PLAIN: u8 = 1;
    /// Values in postcard's encoding, all with equal lengths.
    pub(crate) const EVEN: u8 = 2;
}

/// Returns the checksum of all bytes except the checksum itself.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let (before, after) = (MAGIC.len() + 4, MAGIC.len() + 8);
    let mut hasher = Hasher::new();
    hasher.update(&bytes[..before.min(bytes.len())]);
    hasher.update(bytes.get(after..).unwrap_or_default());
    hasher.finalize()
}

/// Returns all bytes except the checksum, with their offsets.
pub(crate) fn without_checksum(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let of_checksum = MAGIC.len() + 4..MAGIC.len() + 8;
    bytes.iter().copied().enumerate().filter(move |(at, _)| !of_checksum.contains(at))
}
