//! Relationships: what is written down on both sides of a link between two entities.
//!
//! The *source* has a component that names its *target*, a [`Relationship`]; the target has one that lists its sources, a
//! [`RelationshipTarget`]. A program changes the first; the library keeps the second. Here is what a pair of
//! such components is, and in which collections sources can be listed.

mod collection;
mod sync;
mod settled;
mod source_list;
mod traits;

pub use self::collection::{OrderedRelationshipSourceCollection, RelationshipSourceCollection, Unlisted};
pub use self::source_list::SourceList;
pub use self::traits::{Relationship, RelationshipTarget, SourceIter, TargetField};
pub use crate::map::relationship::*;
