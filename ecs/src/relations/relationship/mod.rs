//! Relationships: links between two entities that are stored on both sides.
//!
//! The *source* has a component that names its *target*, a [`Relationship`]; the target has a component that lists its sources, a
//! [`RelationshipTarget`]. A program changes the first; the library updates the second. This module defines both traits and the collections
//! of sources.
// Tests: tests/relationships

mod collection;
mod sync;
mod settled;
mod source_list;
mod traits;

pub use self::collection::{OrderedRelationshipSourceCollection, RelationshipSourceCollection, Unlisted};
pub use self::source_list::SourceList;
pub use self::traits::{Relationship, RelationshipTarget, SourceIter, TargetField};
pub use crate::reexports::relationship::*;
