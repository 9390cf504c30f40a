//! Relationships: links between two entities that are stored on both sides.
//!
//! The *source* has a component that contains its *target*, a [`Relationship`]. The target has a component that lists its sources, a
//! [`RelationshipTarget`]. A program changes the component of the source, and the library updates the component of the target. This module
//! defines both traits and the collections of sources.
// Tests: tests/relationships

mod collection;
mod sync;
mod settled;
mod source_list;
mod traits;

pub use self::collection::{OrderedRelationshipSourceCollection, RelationshipSourceCollection, Unlisted};
pub use self::source_list::{SourceList, SourceListIter};
pub use self::traits::{Relationship, RelationshipTarget, SourceIter, TargetField};
pub use crate::reexports::relationship::*;
